package steps

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	messages "github.com/cucumber/messages/go/v34"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps/tags"
)

// scenario is a scenario in a file. A scenario outline has one case for each row of its examples.
type scenario struct {
	feature, name, path string
	text                string // text of the whole file
	// line is where the scenario begins. first is the line of its first tag, and last is the line
	// of its last step or row.
	line, first, last int
	cases             []scenarioCase
}

type scenarioCase struct {
	// name is the scenario's title. In an outline, the values of the row are filled in.
	name string
	// values holds the values of an outline's row as text, "" without an outline.
	values string
	// row is the line of an outline's row, 0 without an outline.
	row  int
	tags []string
	// written holds the scenario as the file has it.
	written *Written
	// not holds the runners that a tag excludes for the case, each with the reason.
	not   map[string]string
	steps []step
	// taken means that the user asked for this case.
	taken bool
}

// step is a step of a file. It is parsed once for all runs.
type step struct {
	keyword, text          string
	keywordAsWritten       string
	line                   int
	background, hasContent bool
	// said is the sentence that the step uses. args holds the arguments for the sentence's
	// function.
	said *Sentence
	args []reflect.Value
}

// line returns the line number with which a person can run this case alone.
func (c *scenarioCase) line(sc *scenario) int {
	if c.row > 0 {
		return c.row
	}
	return sc.line
}

// take marks the cases that a line number asks for. The line of a row means its case. Any other
// line of the scenario, or 0, means all cases. take reports whether it marked any.
func (sc *scenario) take(line int) bool {
	if line != 0 && (line < sc.first || line > sc.last) {
		return false
	}
	ofRow := slices.ContainsFunc(sc.cases, func(c scenarioCase) bool { return line != 0 && c.row == line })
	for i := range sc.cases {
		c := &sc.cases[i]
		c.taken = c.taken || !ofRow || c.row == line
	}
	return true
}

// keep drops the cases that were not taken or that the filter rejects.
func (sc *scenario) keep(wanted tags.Filter) {
	sc.cases = slices.DeleteFunc(sc.cases, func(c scenarioCase) bool {
		return !c.taken || !wanted(c.tags)
	})
}

// readFeature makes the scenarios of one file. why holds the reasons given for its tags, by the ids
// of the tags.
func readFeature(doc document, pickles []*messages.Pickle, why map[string]string) []*scenario {
	f := doc.Feature
	r := reader{why: why, steps: map[string]*messages.Step{}, inBackground: map[string]bool{}, scenarios: map[string]*messages.Scenario{},
		rules: map[string]string{}, tagLines: map[string]int{}}
	r.read(f)
	each(f, func(sc *messages.Scenario) {
		r.scenarios[sc.Id] = sc
		r.add(sc.Steps, false)
	}, func(b *messages.Background) { r.add(b.Steps, true) })
	var found []*scenario
	byID := map[string]*scenario{}
	for _, p := range pickles {
		source := r.scenarios[p.AstNodeIds[0]]
		sc := byID[source.Id]
		if sc == nil {
			sc = &scenario{feature: f.Name, name: source.Name, path: doc.Uri, text: doc.text, line: int(source.Location.Line)}
			sc.first, sc.last = linesOf(source)
			byID[source.Id] = sc
			found = append(found, sc)
		}
		sc.cases = append(sc.cases, r.newCase(source, p))
	}
	return found
}

// each calls the function scenario with every scenario of a feature, and the function background
// with every Background. It includes those inside rules.
func each(f *messages.Feature, scenario func(*messages.Scenario), background func(*messages.Background)) {
	visit := func(sc *messages.Scenario, b *messages.Background) {
		if sc != nil {
			scenario(sc)
		}
		if b != nil && background != nil {
			background(b)
		}
	}
	for _, child := range f.Children {
		visit(child.Scenario, child.Background)
		if child.Rule != nil {
			for _, c := range child.Rule.Children {
				visit(c.Scenario, c.Background)
			}
		}
	}
}

// linesOf returns the first and the last line of a scenario.
func linesOf(sc *messages.Scenario) (first, last int) {
	first, last = int(sc.Location.Line), int(sc.Location.Line)
	for _, t := range sc.Tags {
		first = min(first, int(t.Location.Line))
	}
	reach := func(l *messages.Location) { last = max(last, int(l.Line)) }
	for _, s := range sc.Steps {
		reach(s.Location)
	}
	for _, e := range sc.Examples {
		reach(e.Location)
		for _, row := range e.TableBody {
			reach(row.Location)
		}
	}
	return first, last
}

// reader holds the parsed parts of one file, by their ids.
type reader struct {
	why          map[string]string
	steps        map[string]*messages.Step
	inBackground map[string]bool
	scenarios    map[string]*messages.Scenario
	feature      Heading
	rules        map[string]string // names of rules, by the ids of their scenarios
	tagLines     map[string]int    // lines of tags, by the ids of the tags
}

// Written holds a scenario as its file has it.
type Written struct {
	Feature, Scenario Heading
	// Rule is the name of the rule that contains the scenario, "" if none does.
	Rule string
}

// Heading is the first part of a feature or a scenario, without its steps. The tags of a scenario
// include those of the feature and rule around it.
type Heading struct {
	Keyword, Name, Description string
	Line                       int
	Tags                       []Tag
}

// Tag is a Gherkin tag and the line of the file on which it stands.
type Tag struct {
	Name string
	Line int
}

// newID returns a new id for a part of a file. All files share one counter, because ids of
// different files are never compared.
var newID = (&counter{}).next

type counter struct{ n atomic.Int64 }

func (c *counter) next() string { return strconv.FormatInt(c.n.Add(1), 10) }

// tagged records the lines of tags, and returns the tags with their lines.
func (r *reader) tagged(list []*messages.Tag) (tags []Tag) {
	for _, t := range list {
		r.tagLines[t.Id] = int(t.Location.Line)
		tags = append(tags, Tag{t.Name, int(t.Location.Line)})
	}
	return tags
}

// read records the headings of a file.
func (r *reader) read(f *messages.Feature) {
	r.feature = Heading{Keyword: f.Keyword, Name: f.Name, Description: f.Description, Line: int(f.Location.Line), Tags: r.tagged(f.Tags)}
	each(f, func(sc *messages.Scenario) {
		r.tagged(sc.Tags)
		for _, e := range sc.Examples {
			r.tagged(e.Tags)
		}
	}, nil)
	for _, child := range f.Children {
		if child.Rule == nil {
			continue
		}
		r.tagged(child.Rule.Tags)
		for _, c := range child.Rule.Children {
			if c.Scenario != nil {
				r.rules[c.Scenario.Id] = child.Rule.Name
			}
		}
	}
}

// rowless lists the scenario outlines whose examples have no row, so that they never run.
func rowless(f *messages.Feature) (list []*messages.Scenario) {
	each(f, func(sc *messages.Scenario) {
		rows := 0
		for _, e := range sc.Examples {
			rows += len(e.TableBody)
		}
		if len(sc.Examples) > 0 && rows == 0 {
			list = append(list, sc)
		}
	}, nil)
	return list
}

func (r *reader) add(steps []*messages.Step, background bool) {
	for _, s := range steps {
		r.steps[s.Id], r.inBackground[s.Id] = s, background
	}
}

func (r *reader) newCase(source *messages.Scenario, p *messages.Pickle) scenarioCase {
	written := Written{Feature: r.feature, Rule: r.rules[source.Id],
		Scenario: Heading{Keyword: source.Keyword, Name: p.Name, Description: source.Description, Line: int(source.Location.Line)}}
	c := scenarioCase{name: p.Name, written: &written}
	if len(p.AstNodeIds) > 1 {
		c.row, c.values = rowOf(source, p.AstNodeIds[1])
		if p.Name == source.Name {
			c.name += " (" + c.values + ")"
		}
	}
	for _, t := range p.Tags {
		c.tags = append(c.tags, t.Name)
		written.Scenario.Tags = append(written.Scenario.Tags, Tag{t.Name, r.tagLines[t.AstNodeId]})
		if m := notTag.FindStringSubmatch(t.Name); m != nil {
			if c.not == nil {
				c.not = map[string]string{}
			}
			c.not[m[1]] = r.why[t.AstNodeId]
		}
	}
	c.not = forAnyAgent(c.not)
	for _, ps := range p.Steps {
		s := r.steps[ps.AstNodeIds[0]]
		c.steps = append(c.steps, step{
			keyword: strings.TrimSpace(s.Keyword), keywordAsWritten: s.Keyword, text: ps.Text, line: int(s.Location.Line),
			background: r.inBackground[s.Id], hasContent: ps.Argument != nil,
		})
	}
	c.forTensorFlow()
	return c
}

// rowOf finds a row of an outline by its id. It returns the row's line, and its values such as
// "policy: latest, n: 3".
func rowOf(sc *messages.Scenario, id string) (line int, values string) {
	for _, e := range sc.Examples {
		for _, row := range e.TableBody {
			if row.Id != id {
				continue
			}
			var list []string
			for i, cell := range row.Cells {
				list = append(list, e.TableHeader.Cells[i].Value+": "+cell.Value)
			}
			return int(row.Location.Line), strings.Join(list, ", ")
		}
	}
	return 0, ""
}

// beginnings lists the line numbers at which the scenarios of a file begin, for a message.
func beginnings(list []*scenario) string {
	lines := lists.MapOrNil(list, func(sc *scenario) string { return strconv.Itoa(sc.line) })
	if lines == nil {
		return "no scenario"
	}
	return "those that begin on " + strings.Join(lines, ", ")
}
