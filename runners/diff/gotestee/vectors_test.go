package gotestee_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// Goal: the engine answers every golden case as the reference did. The list of known failures names
// the exceptions, which are run too. Method: the comparison of `monosim vectors verify`.

func knownFailing(t *testing.T) map[string]bool {
	t.Helper()
	text, err := fs.ReadFile(golden.FS(), golden.KnownFailing)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		id, _, _ := strings.Cut(line, "#")
		if id = strings.TrimSpace(id); id != "" {
			known[id] = true
		}
	}
	return known
}

func TestTheEngineAnswersAsTheReferenceDid(t *testing.T) {
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	report, err := conformance.Verify(gotestee.New("test"), suites, conformance.Selection{}, knownFailing(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range report.By(conformance.ByOp) {
		t.Run(g.Name, func(t *testing.T) {
			for _, r := range report.Results {
				if r.Op == g.Name && r.Status == conformance.Failed {
					t.Errorf("%s (-want +got), see monosim vectors show %s:\n%s", r.ID, r.ID, r.Text)
				}
			}
			t.Log(g.Counts)
		})
	}
	if c := report.Counts(); c.Passed < 3700 {
		t.Errorf("only %d cases pass, want at least 3700: %v", c.Passed, c)
	}
}

// Goal: a quirk of the decision diverge has cases that the engine answers differently from the
// reference. If it answered them alike, they would show nothing.
func TestTheEngineDivergesWhereTheVerdictSaysSo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	report, err := conformance.Verify(gotestee.New("test"), suites, conformance.Selection{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	diverging := map[string]bool{}
	for _, s := range suites {
		for _, c := range s.Cases {
			diverging[c.ID] = c.Verdict == scope.Diverge
		}
	}
	for _, r := range report.Results {
		if diverging[r.ID] && r.Status != conformance.Explained {
			t.Errorf("%s: %v, although the verdict is diverge; take the flag of the quirk off it", r.ID, r.Status)
		}
	}
}

// Goal: operations are named as in the reference, with its spelling mistakes. The engine's own
// names are spelt correctly.
func TestQ177_OperationsKeepTheSpellingOfTheReference(t *testing.T) {
	hello, err := gotestee.New("test").Hello()
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range map[string]bool{
		"utils.pasre_sub_model_name": true, "utils.InstanceFormater.from_json": true,
		"utils.parse_sub_model_name": false, "utils.InstanceFormatter.from_json": false,
	} {
		if got := hello.Knows(op); got != want {
			t.Errorf("%s: got known %v, want %v", op, got, want)
		}
	}
}

func TestTwoAnswersToACaseAreEqual(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	engine := gotestee.New("test")
	for _, s := range suites {
		for i := range s.Cases {
			v, err := conformance.VectorOf(&s.Cases[i])
			if err != nil {
				t.Fatal(err)
			}
			if a, b := engine.Answer(&v.Case).Line("x"), engine.Answer(&v.Case).Line("x"); a != b {
				t.Errorf("%s: the first answer is %s, the second %s", v.ID, a, b)
			}
		}
	}
}

func TestEveryOperationHasAGoldenCase(t *testing.T) {
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, s := range suites {
		for _, c := range s.Cases {
			shown[c.Op] = true
		}
	}
	for _, op := range gotestee.Ops() {
		if !shown[op] {
			t.Errorf("operation %s: found no case in the vectors", op)
		}
	}
}
