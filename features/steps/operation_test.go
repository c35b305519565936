package steps

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
)

// Goal: scenarios about recorded cases check what an answer contains, fail if it does not, and
// build no cluster. Method: a runner with made-up answers.

// answeringRunner answers a case with the answer for the quirks in the request.
type answeringRunner struct {
	fakeRunner
	answers map[string]runners.Answer
}

func (r *answeringRunner) Operation(id, quirks string) (runners.Answer, error) {
	if id != "m.op/a" {
		return runners.Answer{}, &runners.SpecError{Where: "recorded case", Found: id}
	}
	return r.answers[quirks], nil
}

const withFault = `{"steps": [{"r": null}, {"e": {"type": "KeyError", "message": "m"}}, {"r": {"a": "b b"}, "tree": [["/x", "d", 0], ["/y", "d", 1]]}], "flags": ["f", "f"]}`

func newAnsweringRunner() *answeringRunner {
	return &answeringRunner{answers: map[string]runners.Answer{
		"python":  {JSON: []byte(withFault)},
		"-Q1,-Q2": {JSON: []byte(`{"r": [["m", 1], ["n", 2]]}`), Differs: "all"},
		"-Q3":     {JSON: []byte(`{"e": {"type": "ValueError", "message": ""}}`), Differs: "all"},
		"-Q4":     {JSON: []byte(withFault)},
	}}
}

func TestFindingsLookAtTheLastAnswer(t *testing.T) {
	r := newAnsweringRunner()
	report := run(t, suiteOf(r, `
Feature: f
  Scenario: s
    Given the recorded case m.op/a
    When it is answered as the reference does
    Then step 1 returns null
    And step 2 raises KeyError
    And step 3 returns {"a": "b b"}
    And the answer at "steps > 3 > a" is "b b"
    And the answer at "steps > 3 > a" has "b" 2 times
    And the answer at "steps > 3" has "tree" 1 time
    And the answer at "steps > 3" has no "writes"
    And the answer at "steps > 3 > tree" has "/y" 1 time
    And the answer at "steps > 3 > tree > /y" is ["/y", "d", 1]
    And the answer at "flags" has "f" 2 times
    When it is answered with Q1 and Q2 repaired
    Then the answer is [["m", 1], ["n", 2]]
    And the answer at "n" is 2
    And the answer at "" has ["m", 1] 1 time
    When it is answered with Q3 repaired
    Then the answer raises ValueError
`))
	if report.Passed != 1 {
		t.Fatal(report.Results[0].Failure())
	}
	if len(r.made) != 0 {
		t.Errorf("got %d clusters, want none", len(r.made))
	}
	if diff := cmp.Diff([]string{"python", "-Q1,-Q2", "-Q3"}, report.Results[0].Quirks); diff != "" {
		t.Errorf("quirks (-want +got):\n%s", diff)
	}
	if report.TraceHash() == 0 || report.Results[0].Stats.TraceHash == 0 {
		t.Error("got no trace hash, want that of the answers")
	}
}

func TestFindingsFail(t *testing.T) {
	const asked = "the recorded case m.op/a\n    When it is answered as the reference does\n"
	for _, c := range []struct{ name, steps, want string }{
		{"another value", asked + "    Then step 1 returns 1", "the answer at steps > 1, want 1, got {\"r\":null}"},
		{"no exception", asked + "    Then step 1 raises KeyError", "want it to raise KeyError"},
		{"another exception", asked + "    Then step 2 raises TypeError", "want it to raise TypeError, got {\"e\":{\"message\":\"m\""},
		{"another number", asked + `    Then the answer at "flags" has "f" 1 time`, `want 1 times, got 2 times in ["f","f"]`},
		{"one too many", asked + `    Then the answer at "flags" has no "f"`, "want 0 times"},
		{"no such place", asked + `    Then the answer at "steps > 9 > a" is 1`, "the answer at steps > 9 > a: found no 9 in"},
		{"what can have nothing", asked + `    Then the answer at "steps > 1 > r" has no "a"`, "which can never have"},
		{"objects that have no names", asked + `    Then the answer at "steps" has no "a"`, "which can never have"},
		{"bad JSON", asked + `    Then the answer is {x}`, "the scenario's JSON {x}"},
		{"a repair that changes nothing", asked + "    When it is answered with Q4 repaired\n    Then step 1 returns null", "with Q4 repaired the answer is still the recorded one"},
		{"no answer yet", "the recorded case m.op/a\n    Then the answer is 1", "found no answer to look at"},
		{"an unknown case", "the recorded case m.op/b\n    When it is answered as the reference does\n    Then the answer is 1", "recorded case: found m.op/b"},
		{"two cases", "the recorded case m.op/a\n    And the recorded case m.op/b\n    Then the answer is 1", "found a second recorded case"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := failure(t, suiteOf(newAnsweringRunner(), "Feature: f\n  Scenario: s\n    Given "+c.steps+"\n"))
			if !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q in it", got, c.want)
			}
		})
	}
}

func TestAnAnswerThatIsNotTheRecordedOneFails(t *testing.T) {
	r := newAnsweringRunner()
	r.answers["python"] = runners.Answer{JSON: []byte("1"), Differs: "- 2\n+ 1"}
	got := failure(t, suiteOf(r, "Feature: f\n  Scenario: s\n    Given the recorded case m.op/a\n    When it is answered as the reference does\n    Then the answer is 1\n"))
	if want := "the answer is not the recorded one (-recorded +got):\n- 2\n+ 1"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}

func TestARunnerWithoutOperationsSkips(t *testing.T) {
	report := run(t, suiteOf(&fakeRunner{}, "Feature: f\n  Scenario: s\n    Given the recorded case m.op/a\n    When it is answered as the reference does\n    Then the answer is 1\n"))
	if report.Skipped != 1 {
		t.Errorf("got %d skipped, want 1", report.Skipped)
	}
}

func TestAScenarioIsAboutAClusterOrARecordedCase(t *testing.T) {
	_, err := suiteOf(newAnsweringRunner(), "Feature: f\n  Scenario: s\n    Given the recorded case m.op/a\n    When the cluster starts\n    Then every pod runs\n").Run()
	var input *InputError
	if !errors.As(err, &input) || input.Where != "x.feature:4" || !strings.Contains(input.Text, "want one of them") {
		t.Errorf("got %v, want the line where the cluster comes in", err)
	}
}
