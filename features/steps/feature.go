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

// scenario is a scenario of a file. An outline has one case for each row of its examples.
type scenario struct {
	feature, name, path string
	text                string // of the file
	// line is where the scenario begins. first and last are its outermost lines, from its
	// tags to its last step or row.
	line, first, last int
	cases             []scenarioCase
}

type scenarioCase struct {
	// name is the scenario's title, with the values of the row of an outline.
	name string
	// values writes the values of the row of an outline, "" elsewhere.
	values string
	// row is the line of the row, 0 for a scenario without an outline.
	row  int
	tags []string
	// written is how the file has it.
	written *Written
	// not has the runners that a tag excludes for the case, with the reasons.
	not   map[string]string
	steps []step
	// taken reports that the case was asked for.
	taken bool
}

// step is a step of a file, read once for all of its runs.
type step struct {
	keyword, text          string
	keywordAsWritten       string
	line                   int
	background, hasContent bool
	// said is the step's sentence; args are the arguments that say takes.
	said *Sentence
	args []reflect.Value
}

// line returns the line by which a person runs the case alone.
func (c *scenarioCase) line(sc *scenario) int {
	if c.row > 0 {
		return c.row
	}
	return sc.line
}

// take marks the cases that a line asks for: the line of a row asks for its case, any other
// line of the scenario, and 0, for all. It reports whether it marked any.
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

// readFeature makes the scenarios of one file; why has the reasons of its tags, by the ids
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

// each visits the scenarios and backgrounds of a feature, also those in rules.
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

// reader has the parts of one file by their ids.
type reader struct {
	why          map[string]string
	steps        map[string]*messages.Step
	inBackground map[string]bool
	scenarios    map[string]*messages.Scenario
	feature      Heading
	rules        map[string]string // names, by ids of scenarios
	tagLines     map[string]int    // by ids of tags
}

// Written is how a scenario is written in its file.
type Written struct {
	Feature, Scenario Heading
	// Rule is the name of the rule that it is in.
	Rule string
}

// Heading is a feature or a scenario without what is in it. A scenario has the tags of what it is
// in, too.
type Heading struct {
	Keyword, Name, Description string
	Line                       int
	Tags                       []Tag
}

// Tag is a tag with its line.
type Tag struct {
	Name string
	Line int
}

// newID numbers the parts of files. Two files have parts of one number, as nothing compares them.
var newID = (&counter{}).next

type counter struct{ n atomic.Int64 }

func (c *counter) next() string { return strconv.FormatInt(c.n.Add(1), 10) }

// tagged takes down the lines of tags, and returns them.
func (r *reader) tagged(list []*messages.Tag) (tags []Tag) {
	for _, t := range list {
		r.tagLines[t.Id] = int(t.Location.Line)
		tags = append(tags, Tag{t.Name, int(t.Location.Line)})
	}
	return tags
}

// read takes down the headings of a file.
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

// rowless lists the outlines whose examples have no row.
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

// rowOf finds a row of an outline: its line, and its values as "policy: latest, n: 3".
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

// beginnings lists the lines on which the scenarios of a file begin.
func beginnings(list []*scenario) string {
	lines := lists.MapOrNil(list, func(sc *scenario) string { return strconv.Itoa(sc.line) })
	if lines == nil {
		return "no scenario"
	}
	return "those that begin on " + strings.Join(lines, ", ")
}
