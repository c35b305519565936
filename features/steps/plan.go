package steps

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v21"
)

// InputError is a fault of what the suite was asked to run: a path, a tag filter,
// a sentence that nobody defined. It is a message for a person.
type InputError struct {
	// Where is file:line, a path or an option.
	Where string
	Text  string
}

func (e *InputError) Error() string { return e.Where + ": " + e.Text }

// scenario is a scenario of a file. An outline has one case for each row of its
// examples.
type scenario struct {
	feature, name, path string
	line                int
	cases               []scenarioCase
	sentences           []*sentence // that it says, each once
}

type scenarioCase struct {
	tags  []string
	steps []step
}

// step is a step as the file has it.
type step struct {
	keyword, text string
	line          int
}

// plan finds the scenarios and holds them to the vocabulary.
func (s *Suite) plan() ([]*scenario, error) {
	if err := checkTags(s.Tags); err != nil {
		return nil, err
	}
	features, err := godog.TestSuite{Options: &godog.Options{FS: s.FS, Paths: s.Paths, Tags: s.Tags}}.RetrieveFeatures()
	if err != nil {
		return nil, &InputError{Where: "features", Text: err.Error()}
	}
	var found []*scenario
	for _, f := range features {
		path := lineSuffix.ReplaceAllString(f.Uri, "")
		list, err := readFeature(path, f.Feature, f.Pickles)
		if err != nil {
			return nil, err
		}
		for _, sc := range list {
			if !slices.ContainsFunc(found, func(o *scenario) bool { return o.path == sc.path && o.line == sc.line }) {
				found = append(found, sc)
			}
		}
	}
	if len(found) == 0 {
		return nil, s.nothing()
	}
	return found, nil
}

var lineSuffix = regexp.MustCompile(`:\d+$`)

// nothing says why there is nothing to run.
func (s *Suite) nothing() error {
	if s.Tags != "" {
		return &InputError{Where: "tags " + s.Tags, Text: "found no scenario with all of them in " + strings.Join(s.Paths, ", ")}
	}
	for _, path := range s.Paths {
		file, line, ok := strings.Cut(path, ".feature:")
		if !ok {
			continue
		}
		begins := "no scenario"
		if features, err := (godog.TestSuite{Options: &godog.Options{FS: s.FS, Paths: []string{file + ".feature"}}}).RetrieveFeatures(); err == nil && len(features) > 0 {
			begins = "those that begin on " + strings.Join(scenarioLines(features[0].Feature), ", ")
		}
		return &InputError{Where: file + ".feature:" + line, Text: "found no scenario that begins on this line, want one of " + begins}
	}
	return &InputError{Where: strings.Join(s.Paths, ", "), Text: "found no scenario in a .feature file"}
}

func scenarioLines(f *messages.Feature) []string {
	var lines []string
	each(f, func(sc *messages.Scenario) { lines = append(lines, strconv.FormatInt(sc.Location.Line, 10)) }, nil)
	return lines
}

// each visits the scenarios and backgrounds of a feature, those in rules too.
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

var tagTerm = regexp.MustCompile(`^~?@[\w-]+$`)

// checkTags takes only filters that mean the same everywhere: all of these.
func checkTags(filter string) error {
	if filter == "" {
		return nil
	}
	for term := range strings.SplitSeq(filter, "&&") {
		if !tagTerm.MatchString(strings.TrimSpace(term)) {
			return &InputError{Where: "tags " + filter, Text: fmt.Sprintf(
				"found %q, want tags joined by && as in \"@v3 && ~@slow\": run twice instead of saying or", strings.TrimSpace(term))}
		}
	}
	return nil
}

// readFeature makes the scenarios of one file.
func readFeature(path string, f *messages.Feature, pickles []*messages.Pickle) ([]*scenario, error) {
	r := reader{path: path, steps: map[string]*messages.Step{}, inBackground: map[string]bool{}, scenarios: map[string]*messages.Scenario{}}
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
			sc = &scenario{feature: f.Name, name: p.Name, path: path, line: int(source.Location.Line)}
			byID[source.Id] = sc
			found = append(found, sc)
		}
		if err := r.addCase(sc, p); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// reader knows the parts of one file by their ids.
type reader struct {
	path         string
	steps        map[string]*messages.Step
	inBackground map[string]bool
	scenarios    map[string]*messages.Scenario
}

func (r *reader) add(steps []*messages.Step, background bool) {
	for _, s := range steps {
		r.steps[s.Id], r.inBackground[s.Id] = s, background
	}
}

// addCase holds one case to the vocabulary: every step is one sentence, a
// Background has shapes only, something is asserted, and all is about a cluster or
// all about a recorded case.
func (r *reader) addCase(sc *scenario, p *messages.Pickle) error {
	var c scenarioCase
	for _, t := range p.Tags {
		c.tags = append(c.tags, t.Name)
	}
	asserts, onCluster, onCase := false, false, false
	for _, ps := range p.Steps {
		source := r.steps[ps.AstNodeIds[0]]
		st := step{keyword: strings.TrimSpace(source.Keyword), text: ps.Text, line: int(source.Location.Line)}
		c.steps = append(c.steps, st)
		said, err := r.sentence(st)
		if err != nil {
			return err
		}
		where := fmt.Sprintf("%s:%d", r.path, st.line)
		if ps.Argument != nil {
			return &InputError{Where: where, Text: "found a table or a doc string, which no sentence takes"}
		}
		if r.inBackground[source.Id] && said.kind != aShape {
			return &InputError{Where: where, Text: fmt.Sprintf("found %q in a Background, want the shape of the cluster only", st.text)}
		}
		asserts = asserts || said.kind == anAssertion || said.kind == aFinding
		ofCase := said.kind == aQuestion || said.kind == aFinding
		onCase, onCluster = onCase || ofCase, onCluster || !ofCase
		if onCase && onCluster {
			return &InputError{Where: where, Text: fmt.Sprintf("found %q in a scenario about a cluster and a recorded case, want one of them", st.text)}
		}
		if !slices.Contains(sc.sentences, said) {
			sc.sentences = append(sc.sentences, said)
		}
	}
	if !asserts {
		return &InputError{Where: fmt.Sprintf("%s:%d", r.path, sc.line), Text: "found a scenario that asserts nothing"}
	}
	sc.cases = append(sc.cases, c)
	return nil
}

// sentence finds the one that a step says.
func (r *reader) sentence(st step) (*sentence, error) {
	found := match(st.text)
	where := fmt.Sprintf("%s:%d", r.path, st.line)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, &InputError{Where: where, Text: fmt.Sprintf("no sentence says\n    %s\n  the nearest that is known is\n    %s", st.text, nearest(st.text))}
	}
	var texts []string
	for _, s := range found {
		texts = append(texts, s.text)
	}
	return nil, &InputError{Where: where, Text: fmt.Sprintf("%q can mean each of %q", st.text, texts)}
}
