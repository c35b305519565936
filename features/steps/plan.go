package steps

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	messages "github.com/cucumber/messages/go/v34"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/featurefile"
	"github.com/monosim/monosim/features/steps/tags"
)

// InputError is a mistake in what the user asked for, such as a missing path, a wrong tag filter or
// an undefined sentence. Its text is for people.
type InputError struct {
	// Where is file:line, a path, or a command-line option.
	Where string
	Text  string

	cause error // the error that Text describes, or nil; Unwrap returns it
}

func (e *InputError) Error() string { return e.Where + ": " + e.Text }
func (e *InputError) Unwrap() error { return e.cause }

// Listed is a scenario, or a row of an outline, that a suite would run.
type Listed struct {
	Feature string `json:"feature"`
	Name    string `json:"name"`
	Path    string `json:"path"`
	// Line is where the row stands or, without an outline, where the scenario begins.
	Line  int      `json:"line"`
	Tags  []string `json:"tags"`
	Steps int      `json:"steps"`
	// Not holds the runners that a tag excludes, by name, each with the reason.
	Not map[string]string `json:"not,omitempty"`
}

// List lists what Run would run and checks it against the vocabulary, but runs nothing. It returns
// the same errors as Run.
func (s *Suite) List() ([]Listed, error) {
	scenarios, err := s.plan()
	if err != nil {
		return nil, err
	}
	var list []Listed
	for _, sc := range scenarios {
		list = append(list, lists.Map(sc.cases, func(c scenarioCase) Listed { return sc.listed(&c) })...)
	}
	return list, nil
}

// listed describes a case of the scenario as an entry of a listing.
func (sc *scenario) listed(c *scenarioCase) Listed {
	return Listed{Feature: sc.feature, Name: c.name, Path: sc.path, Line: c.line(sc), Tags: c.tags, Steps: len(c.steps), Not: c.not}
}

// shard keeps only the cases of the suite's shard. Cases are dealt out in turn, so that the slow
// scenarios of one file go to different machines.
func (s *Suite) shard(found []*scenario) ([]*scenario, error) {
	if s.Shards <= 1 {
		return found, nil
	}
	n, any := 0, false
	for _, sc := range found {
		sc.cases = slices.DeleteFunc(sc.cases, func(scenarioCase) bool {
			n++
			mine := (n-1)%s.Shards == s.Shard-1
			any = any || mine
			return !mine
		})
	}
	if n > 0 && !any {
		return nil, &InputError{Where: fmt.Sprintf("shard %d/%d", s.Shard, s.Shards), Text: fmt.Sprintf("found no scenario for it among %d, want at most that many shards", n)}
	}
	return found, nil
}

// plan finds the scenarios and checks them against the vocabulary. The error joins an [*InputError]
// for each mistake.
func (s *Suite) plan() ([]*scenario, error) {
	wanted, err := tags.Parse(s.Tags)
	if err != nil {
		return nil, &InputError{Where: "tags " + s.Tags, Text: err.Error()}
	}
	found, err := s.find()
	if err != nil {
		return nil, err
	}
	name, err := regexp.Compile(s.Name)
	if err != nil {
		return nil, &InputError{Where: "name " + s.Name, Text: "found no regular expression, want one as 'agent.*(killed|stopped)': " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")}
	}
	left := &leftOut{runner: s.Runner.Name()}
	for _, sc := range found {
		sc.keep(wanted)
		sc.cases = slices.DeleteFunc(sc.cases, func(c scenarioCase) bool {
			return !name.MatchString(c.name) || s.Only != nil && !s.Only(sc.listed(&c))
		})
		sc.cases = slices.DeleteFunc(sc.cases, left.take)
	}
	if found, err = s.shard(found); err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(sc *scenario) bool { return len(sc.cases) == 0 })
	if len(found) == 0 && left.why != "" {
		return nil, &InputError{Where: strings.Join(s.Paths, ", "), Text: "found no scenario that runs on " + left.runner + ": " + left.why}
	}
	if len(found) == 0 && s.Only != nil {
		return nil, &InputError{Where: strings.Join(s.Paths, ", "), Text: "found none of the scenarios that failed last, or that were asked for by other means than their tags"}
	}
	if len(found) == 0 && s.Name != "" {
		return nil, &InputError{Where: "name " + s.Name, Text: "found no scenario with such a title in " + strings.Join(s.Paths, ", ")}
	}
	if len(found) == 0 && s.Tags != "" {
		return nil, &InputError{Where: "tags " + s.Tags, Text: "found no scenario with such tags in " + strings.Join(s.Paths, ", ")}
	}
	if len(found) == 0 {
		return nil, &InputError{Where: strings.Join(s.Paths, ", "), Text: "found no scenario in a .feature file"}
	}
	h := holder{suite: s, known: newVocabulary(s.Runner.Faults(), s.Sentences...)}
	for _, sc := range found {
		h.scenario(sc)
	}
	return found, errors.Join(h.faults...)
}

// find reads the scenarios of all paths, each once, and marks the cases that the paths ask for.
func (s *Suite) find() ([]*scenario, error) {
	var found []*scenario
	for _, path := range s.Paths {
		file, line := cutLine(path)
		documents, err := s.documents(file)
		if err != nil {
			return nil, err
		}
		var list []*scenario
		for _, doc := range documents {
			why, err := readReasons(doc.GherkinDocument)
			if err != nil {
				return nil, err
			}
			list = append(list, readFeature(doc, featurefile.Pickles(doc.GherkinDocument, newID), why)...)
			for _, sc := range rowless(doc.Feature) {
				remark := fmt.Sprintf("%s:%d: %s %q has no row, so nothing of it runs", doc.Uri, sc.Location.Line, sc.Keyword, sc.Name)
				if first, last := linesOf(sc); line >= first && line <= last {
					return nil, &InputError{Where: path, Text: strings.TrimPrefix(remark, doc.Uri+":")}
				}
				if s.Remark != nil && line == 0 {
					s.Remark(remark)
				}
			}
		}
		any := false
		for _, sc := range list {
			if i := slices.IndexFunc(found, func(o *scenario) bool { return o.path == sc.path && o.line == sc.line }); i >= 0 {
				any = found[i].take(line) || any
			} else if sc.take(line) {
				any = true
				found = append(found, sc)
			}
		}
		if line > 0 && !any {
			return nil, &InputError{Where: path, Text: "found no scenario on this line, want one of " + beginnings(list)}
		}
	}
	return found, nil
}

// document is a parsed .feature file, together with its text.
type document struct {
	*messages.GherkinDocument
	text string
}

// documents parses a .feature file, or all such files in a directory, in the order of their paths.
func (s *Suite) documents(root string) ([]document, error) {
	fsys := s.FS
	if fsys == nil {
		fsys = hostFS{}
	}
	var list []document
	err := fs.WalkDir(fsys, root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return &InputError{Where: "features", Text: fmt.Sprintf("feature path %q is not available: %v", path, err)}
		}
		if entry.IsDir() || path != root && !strings.HasSuffix(path, ".feature") {
			return nil
		}
		text, err := fs.ReadFile(fsys, path)
		if err != nil {
			return &InputError{Where: "features", Text: err.Error()}
		}
		doc, err := featurefile.Parse(string(text), path, newID)
		if err != nil {
			return badSyntax(path, err)
		}
		if doc.Feature != nil {
			list = append(list, document{doc, string(text)})
		}
		return nil
	})
	return list, err
}

// badSyntax returns an error that joins an [*InputError] for each mistake in a file.
func badSyntax(path string, err error) error {
	var list featurefile.Mistakes
	if !errors.As(err, &list) {
		return &InputError{Where: path, Text: err.Error()}
	}
	var all []error
	for _, m := range list {
		all = append(all, &InputError{Where: fmt.Sprintf("%s:%d", path, m.Line), Text: m.Text})
	}
	return errors.Join(all...)
}

// hostFS gives access to all files of the machine, by relative and absolute paths.
type hostFS struct{}

func (hostFS) Open(name string) (fs.File, error) { return os.Open(name) }

var lineSuffix = regexp.MustCompile(`^(.*):(\d+)$`)

// cutLine splits file:line. If there is no line number, line is 0.
func cutLine(path string) (file string, line int) {
	m := lineSuffix.FindStringSubmatch(path)
	if m == nil {
		return path, 0
	}
	line, err := strconv.Atoi(m[2])
	if err != nil {
		return path, 0
	}
	return m[1], line
}

// holder checks scenarios against the vocabulary and collects the mistakes.
type holder struct {
	suite  *Suite
	known  vocabulary
	faults []error
}

// fault records a mistake at a line, unless the same mistake is recorded already.
func (h *holder) fault(sc *scenario, line int, text string, args ...any) {
	e := &InputError{Where: fmt.Sprintf("%s:%d", sc.path, line), Text: fmt.Sprintf(text, args...)}
	if !slices.ContainsFunc(h.faults, func(o error) bool { return o.Error() == e.Error() }) {
		h.faults = append(h.faults, e)
	}
}

func (h *holder) scenario(sc *scenario) {
	for i := range sc.cases {
		h.scenarioCase(sc, &sc.cases[i])
	}
}

// scenarioCase checks a case. Every step must match one sentence, a Background may have only
// shapes, and something must be asserted. All steps must be about a cluster, or all about a
// recorded case.
func (h *holder) scenarioCase(sc *scenario, c *scenarioCase) {
	asserts, unknown := false, false
	onCluster, onCase := false, false
	scratch, before := &World{runner: h.suite.Runner}, len(h.faults)
	for i := range c.steps {
		st := &c.steps[i]
		said := h.sentence(sc, st)
		if said == nil {
			unknown = true
			continue
		}
		var err error
		st.said = said
		st.args, err = said.arguments(st.text)
		if err == nil {
			err = said.possible(scratch, st)
		}
		if err != nil {
			h.fault(sc, st.line, "%v", err)
		}
		if st.hasContent {
			h.fault(sc, st.line, "found a table or a doc string, which no sentence takes")
		}
		if st.background && said.kind != aShape {
			h.fault(sc, st.line, "found %q in a Background, want the shape of the cluster only", st.text)
		}
		asserts = asserts || said.kind == anAssertion || said.kind == aFinding
		ofCase := said.kind == aQuestion || said.kind == aFinding
		if ofCase && onCluster || !ofCase && onCase {
			h.fault(sc, st.line, "found %q in a scenario about a cluster and a recorded case, want one of them", st.text)
		}
		onCase, onCluster = onCase || ofCase, onCluster || !ofCase
	}
	if len(h.faults) == before && !unknown && onCluster { // !unknown: fault drops what another row reported
		h.people(sc, c, scratch)
	}
	if !asserts && !unknown {
		h.fault(sc, sc.line, "found a scenario that asserts nothing%s", meantAsStep(c.written.Scenario.Description))
	}
}

// meantAsStep returns a hint if a line of a description looks like a misspelt step, otherwise "".
func meantAsStep(description string) string {
	for line := range strings.Lines(description) {
		line = strings.TrimSpace(line)
		if meant := featurefile.Meant(line, "en"); meant != "" && meant != line {
			return fmt.Sprintf("; of its description, is %q meant as %q", line, meant)
		}
	}
	return ""
}

// people checks that each pod, server, process, model and layout that a step names exists in the
// cluster of the case when the step runs.
func (h *holder) people(sc *scenario, c *scenarioCase, w *World) {
	if w.spec.Shards == 0 && w.spec.BareServer == nil && w.spec.Training == nil {
		h.fault(sc, sc.line, "found no cluster, want a scenario that begins with one: %q, %q or %q",
			"a v3 cluster of 1 shard with 2 replicas", "a model server", "a training job with 2 workers and 1 PS")
		return
	}
	known := nounsOf(w)
	known.own = h.suite.Sentences
	for i := range c.steps {
		st := &c.steps[i]
		err := st.said.peopled(&w.spec, st)
		if err == nil {
			err = known.check(st.said, st.text)
		}
		if err != nil {
			h.fault(sc, st.line, "%v", err)
		}
		known.take(st.said, st.text)
	}
}

// sentence returns the sentence that a step matches. If there is not exactly one, it records a
// mistake and returns nil.
func (h *holder) sentence(sc *scenario, st *step) *Sentence {
	found := h.known.match(st.text)
	switch len(found) {
	case 1:
		return found[0]
	case 0:
		h.fault(sc, st.line, "%s", h.known.unknown(st.text))
		return nil
	}
	texts := lists.MapOrNil(found, func(s *Sentence) string { return s.text })
	h.fault(sc, st.line, "%q can mean each of %q", st.text, texts)
	return nil
}
