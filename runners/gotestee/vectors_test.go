package gotestee_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/gotestee"
	"github.com/monosim/monosim/runners/testee"
	"github.com/monosim/monosim/vectors"
)

// The goal is that the engine answers every golden case as the reference did, but
// for those on the list of known failures, which are run too. The method is the
// one of `monosim vectors verify`.

func knownFailing(t *testing.T) map[string]bool {
	t.Helper()
	text, err := fs.ReadFile(vectors.FS(), vectors.KnownFailing)
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
	suites, err := vectors.Suites(vectors.FS())
	if err != nil {
		t.Fatal(err)
	}
	report, err := testee.Verify(gotestee.New("test"), suites, testee.Selection{}, knownFailing(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range report.By(testee.ByOp) {
		t.Run(g.Name, func(t *testing.T) {
			for _, r := range report.Results {
				if r.Op == g.Name && r.Status == testee.Failed {
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

// The examples are those of the protocol's description. One of them shows a quirk
// in which the engine differs on purpose.
func TestTheEngineAnswersTheExamples(t *testing.T) {
	text, err := os.ReadFile("../python/testdata/examples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	engine, n := gotestee.New("test"), 0
	for line := range strings.Lines(string(text)) {
		n++
		c, err := testee.ParseCase(line)
		if err != nil {
			t.Fatal(err)
		}
		_, want, err := testee.ParseAnswer(line)
		if err != nil {
			t.Fatal(err)
		}
		got := engine.Answer(c)
		diff := testee.Compare(c.Op, want, got)
		if diverges := c.ID == "mocked_zkclient.sequence/election"; diverges != (diff != "") { // Q87
			t.Errorf("%s: diverges on purpose: %v (-want +got):\n%s", c.ID, diverges, diff)
		}
	}
	if n < 100 {
		t.Errorf("found %d examples, want 100 or more", n)
	}
}

// A quirk of decision diverge is shown by cases that the engine answers otherwise;
// one that it answers alike shows nothing.
func TestTheEngineDivergesWhereTheVerdictSaysSo(t *testing.T) {
	suites, err := vectors.Suites(vectors.FS())
	if err != nil {
		t.Fatal(err)
	}
	report, err := testee.Verify(gotestee.New("test"), suites, testee.Selection{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	diverging := map[string]bool{}
	for _, s := range suites {
		for _, c := range s.Cases {
			diverging[c.ID] = c.Verdict == vectors.Diverge
		}
	}
	for _, r := range report.Results {
		if diverging[r.ID] && r.Status != testee.Explained {
			t.Errorf("%s: %v, although the verdict is diverge; take the flag of the quirk off it", r.ID, r.Status)
		}
	}
}

// The engine's own names are spelt right; a case asks by the reference's.
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
	suites, err := vectors.Suites(vectors.FS())
	if err != nil {
		t.Fatal(err)
	}
	engine := gotestee.New("test")
	for _, s := range suites {
		for i := range s.Cases {
			v, err := testee.VectorOf(&s.Cases[i])
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
	suites, err := vectors.Suites(vectors.FS())
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
