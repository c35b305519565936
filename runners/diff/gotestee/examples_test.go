package gotestee_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// Goal: each operation has an example in the protocol's description. The examples' answers are
// those of the reference, and the engine gives them too. Method: compare each line with the golden
// case of its id. To add an example, add a line with its id alone and run the test with -update.

var update = flag.Bool("update", false, "rewrite the examples from the golden cases of their ids")

const examples = "../testee/testdata/examples.jsonl"

func goldenCases(t *testing.T) map[string]*golden.Case {
	t.Helper()
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	golden := map[string]*golden.Case{}
	for _, s := range suites {
		for i := range s.Cases {
			golden[s.Cases[i].ID] = &s.Cases[i]
		}
	}
	return golden
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// idOf returns the id of a line, which may have no other field.
func idOf(t *testing.T, line string) string {
	t.Helper()
	id, _, err := testee.ParseAnswer(line)
	if id == "" {
		t.Fatalf("example %.80s: found no id: %v", line, err)
	}
	return id
}

func TestExamplesAreGoldenCases(t *testing.T) {
	golden := goldenCases(t)
	var want []string
	lines := readLines(t, examples)
	for _, line := range lines {
		c, ok := golden[idOf(t, line)]
		if !ok {
			t.Fatalf("example %s: found no golden case of that id", idOf(t, line))
		}
		text, err := c.Line()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, text)
	}
	if *update {
		if err := os.WriteFile(examples, []byte(strings.Join(want, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("%s differs from the golden cases, run with -update (-want +got):\n%s", examples, diff)
	}
}

func TestEveryOperationHasAnExample(t *testing.T) {
	shown := map[string]bool{}
	for _, line := range readLines(t, examples) {
		c, err := testee.ParseCase(line)
		if err != nil {
			t.Fatal(err)
		}
		shown[c.Op] = true
	}
	for _, op := range gotestee.Ops() {
		if !shown[op] {
			t.Errorf("operation %s: found no example", op)
		}
	}
}

// Goal: the engine answers the examples as the reference does. One example shows Q87, in which the
// engine differs on purpose.
func TestTheEngineAnswersTheExamples(t *testing.T) {
	golden, engine := goldenCases(t), gotestee.New("test")
	for _, line := range readLines(t, examples) {
		v, err := conformance.VectorOf(golden[idOf(t, line)])
		if err != nil {
			t.Fatal(err)
		}
		diff := conformance.Compare(v.Op, v.Want, engine.Answer(&v.Case))
		if diverges := golden[v.ID].Verdict == scope.Diverge; diverges != (diff != "") {
			t.Errorf("%s: diverges on purpose: %v (-want +got):\n%s", v.ID, diverges, diff)
		}
	}
}
