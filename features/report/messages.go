package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	messages "github.com/cucumber/messages/go/v34"

	"github.com/monosim/monosim/features/featurefile"
	"github.com/monosim/monosim/features/steps"
)

// messagesVersion is the version of the Cucumber Messages protocol. It is the same as the version
// of the Go module that contains the protocol's types.
const messagesVersion = "34.2.0"

// These types replace types of the module. The module's types leave empty lists and a start of 0
// out of the JSON.
type (
	testCase struct {
		ID      string     `json:"id"`
		Pickle  string     `json:"pickleId"`
		Steps   []testStep `json:"testSteps"`
		TestRun string     `json:"testRunStartedId"`
	}
	testStep struct {
		ID          string            `json:"id"`
		PickleStep  string            `json:"pickleStepId"`
		Definitions []string          `json:"stepDefinitionIds"`
		Matches     []testStepMatched `json:"stepMatchArgumentsLists"`
	}
	testStepMatched struct {
		Arguments []steps.Argument `json:"stepMatchArguments"`
	}
)

// messagesForm is the listener of NewMessages.
type messagesForm struct {
	out     io.Writer
	lines   bytes.Buffer // not written yet
	encode  *json.Encoder
	version string
	ids     messages.Incrementing
	plan    steps.Plan

	definitions []string // ids of the step definitions, in the order of the plan's expressions
	run         string   // id of the test run
	pickles     map[scenarioKey]*messages.Pickle
	cases       map[scenarioKey]testCase // test cases that were announced and have not started
	at          time.Duration            // sum of the virtual times of all runs so far
}

// NewMessages makes a listener that writes Cucumber Messages, one JSON object a line, as
// cucumber-js does: files, pickles, step definitions, and the result of each step. Times are
// virtual, and runs follow one another. version is the program's version. A run with a further seed
// is a test case of its own, with an attachment that names the seed.
func NewMessages(w io.Writer, version string) steps.Listener {
	f := &messagesForm{out: w, version: version, pickles: map[scenarioKey]*messages.Pickle{}, cases: map[scenarioKey]testCase{}}
	f.encode = json.NewEncoder(&f.lines)
	f.encode.SetEscapeHTML(false)
	return f
}

// Begin writes the messages about the files and sentences, before anything runs.
func (f *messagesForm) Begin(p steps.Plan) error {
	f.plan = p
	f.say("meta", messages.Meta{
		ProtocolVersion: messagesVersion, Implementation: &messages.Product{Name: "monosim", Version: f.version},
		Runtime: &messages.Product{Name: "go", Version: strings.TrimPrefix(runtime.Version(), "go")},
		Os:      &messages.Product{Name: runtime.GOOS}, Cpu: &messages.Product{Name: runtime.GOARCH},
	})
	for _, file := range p.Files {
		if err := f.file(file); err != nil {
			return err
		}
	}
	f.glue(p.Glue)
	f.run = f.ids.NewId()
	f.say("testRunStarted", messages.TestRunStarted{Id: f.run, Timestamp: f.now()})
	for _, file := range p.Files {
		for _, line := range file.Lines {
			key := scenarioKey{file.Path, line}
			one, err := f.testCase(key)
			if err != nil {
				return err
			}
			f.cases[key] = one
		}
	}
	return f.flush()
}

// file writes the messages of a file: its text, the parsed document, and its scenarios.
func (f *messagesForm) file(file steps.File) error {
	doc, err := featurefile.Parse(file.Text, file.Path, f.ids.NewId)
	if err != nil {
		return fmt.Errorf("%s: %w", file.Path, err) // should not happen: the file was read before
	}
	f.say("source", messages.Source{Uri: file.Path, Data: file.Text, MediaType: messages.SourceMediaType_TEXT_X_CUCUMBER_GHERKIN_PLAIN})
	f.say("gherkinDocument", doc)
	for _, p := range featurefile.Pickles(doc, f.ids.NewId) {
		f.pickles[scenarioKey{file.Path, int(p.Location.Line)}] = p
		f.say("pickle", p)
	}
	return nil
}

// glue writes the sentences as step definitions. The sentences are built into the program, so they
// have no source reference.
func (f *messagesForm) glue(g *steps.Glue) {
	for _, t := range g.Types {
		f.say("parameterType", messages.ParameterType{Id: f.ids.NewId(), Name: t.Name, RegularExpressions: []string{t.Pattern}, UseForSnippets: true})
	}
	for _, e := range g.Expressions {
		id := f.ids.NewId()
		f.definitions = append(f.definitions, id)
		f.say("stepDefinition", messages.StepDefinition{Id: id, SourceReference: &messages.SourceReference{},
			Pattern: &messages.StepDefinitionPattern{Source: e, Type: messages.StepDefinitionPatternType_CUCUMBER_EXPRESSION}})
	}
}

// testCase writes the message that announces a run of a scenario, and returns its content.
func (f *messagesForm) testCase(key scenarioKey) (testCase, error) {
	p := f.pickles[key]
	if p == nil {
		return testCase{}, fmt.Errorf("%s:%d: found a result of no scenario of the plan", key.path, key.line)
	}
	one := testCase{ID: f.ids.NewId(), Pickle: p.Id, TestRun: f.run, Steps: []testStep{}}
	for _, s := range p.Steps {
		st := testStep{ID: f.ids.NewId(), PickleStep: s.Id, Definitions: []string{}, Matches: []testStepMatched{}}
		if i, arguments := f.plan.Glue.Match(s.Text); i >= 0 {
			st.Definitions, st.Matches = append(st.Definitions, f.definitions[i]), append(st.Matches, testStepMatched{arguments})
		}
		one.Steps = append(one.Steps, st)
	}
	f.say("testCase", one)
	return one, nil
}

// Add writes a run: its begin, its steps and its end.
func (f *messagesForm) Add(r *steps.Result) (err error) {
	key := scenarioKey{r.Path, r.Line}
	one, announced := f.cases[key]
	delete(f.cases, key)
	if !announced {
		if one, err = f.testCase(key); err != nil {
			return err
		}
	}
	began, started := f.at, f.ids.NewId()
	f.say("testCaseStarted", messages.TestCaseStarted{Id: started, TestCaseId: one.ID, Timestamp: f.now()})
	if f.plan.Seeds > 1 {
		f.say("attachment", messages.Attachment{TestCaseStartedId: started, Body: fmt.Sprintf("seed %d, replay with: %s", r.Seed, r.Replay),
			MediaType: "text/x.cucumber.log+plain", ContentEncoding: messages.AttachmentContentEncoding_IDENTITY, Timestamp: f.now()})
	}
	for i, s := range r.Steps {
		f.say("testStepStarted", messages.TestStepStarted{TestCaseStartedId: started, TestStepId: one.Steps[i].ID, Timestamp: f.now()})
		f.at += s.Took
		f.say("testStepFinished", messages.TestStepFinished{TestCaseStartedId: started, TestStepId: one.Steps[i].ID,
			TestStepResult: stepResult(r, i), Timestamp: f.now()})
	}
	f.at = max(f.at, began+r.Stats.Virtual)
	f.say("testCaseFinished", messages.TestCaseFinished{TestCaseStartedId: started, Timestamp: f.now()})
	return f.flush()
}

// stepResult returns the result of the i-th step. A failure of the whole run counts as a failure of
// the run's last step.
func stepResult(r *steps.Result, i int) *messages.TestStepResult {
	s := r.Steps[i]
	took := messages.GoDurationToDuration(s.Took)
	result := &messages.TestStepResult{Duration: &took, Status: messages.TestStepResultStatus(strings.ToUpper(s.Status.String()))}
	if s.Err != nil {
		result.Message = why(r, s.Err)
	}
	if r.Err != nil && i == len(r.Steps)-1 {
		result.Status, result.Message = messages.TestStepResultStatus_FAILED, strings.TrimSpace(result.Message+"\n"+why(r, r.Err))
	}
	return result
}

// End writes the message that all runs are finished, and whether they succeeded.
func (f *messagesForm) End(s *steps.Summary) error {
	end := messages.TestRunFinished{TestRunStartedId: f.run, Success: s.Failed == 0 && !s.Interrupted, Message: s.Remark(), Timestamp: f.now()}
	f.say("testRunFinished", end)
	return f.flush()
}

// now returns the virtual time, counted from the first run.
func (f *messagesForm) now() *messages.Timestamp {
	t := messages.GoTimeToTimestamp(time.Unix(0, int64(f.at)))
	return &t
}

// say adds a message. kind names its only field. It panics on an encoding error, which these types
// cannot cause.
func (f *messagesForm) say(kind string, what any) {
	if err := f.encode.Encode(map[string]any{kind: what}); err != nil {
		panic(err)
	}
}

// flush writes the messages that say has added.
func (f *messagesForm) flush() error {
	_, err := f.lines.WriteTo(f.out)
	return err
}
