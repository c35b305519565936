package conformance

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// Goal: an answer that agrees passes, also where the verdict is diverge. That verdict says that
// the engine differs from the reference, and a port may agree with it. Only a case on the list of
// known failures fails when it agrees.
func TestAgreeingIsNoFailureWhateverTheVerdict(t *testing.T) {
	parse := func(line string) testee.Answer {
		t.Helper()
		_, a, err := testee.ParseAnswer(line)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	same, other := parse(`{"id":"utils.isabs/a","out":true}`), parse(`{"id":"utils.isabs/a","out":false}`)
	for _, test := range []struct {
		name, verdict string
		got           testee.Answer
		known         bool
		want          Status
	}{
		{"match, agrees", scope.Match, same, false, Passed},
		{"match, differs", scope.Match, other, false, Failed},
		{"diverge, agrees", scope.Diverge, same, false, Passed},
		{"diverge, differs", scope.Diverge, other, false, Explained},
		{"known, agrees", scope.Match, same, true, Failed},
		{"known, differs", scope.Match, other, true, Explained},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &golden.Case{Question: golden.Question{ID: "utils.isabs/a", Op: "utils.isabs"}, Verdict: test.verdict}
			r := Result{}
			r.judge(c, &Vector{Case: testee.Case{ID: c.ID, Op: c.Op, In: &pysem.Dict{}}, Want: same}, test.got, test.known)
			if r.Status != test.want || (r.Asked != "") != strings.HasSuffix(test.name, "differs") {
				t.Errorf("got %v (%s) for %q, want %v", r.Status, r.Text, r.Asked, test.want)
			}
		})
	}
}

// lateTestee answers too late, except for cases of utils.isabs.
type lateTestee struct {
	echoAll
	asked map[string]int
}

func (l lateTestee) Answer(c *testee.Case) testee.Answer {
	l.asked[c.Op]++
	if c.Op == "utils.isabs" {
		return testee.Answer{Kind: testee.Returned, Out: true}
	}
	return testee.Answer{Kind: testee.Broken, Why: "late", Lack: "not in time", Late: true}
}

func TestAnOperationThatIsAlwaysLateIsAskedThreeTimes(t *testing.T) {
	suite := &golden.Suite{Name: "utils"}
	for _, id := range []string{"DeployType/a", "isabs/a", "DeployType/b", "isabs/b", "DeployType/c", "DeployType/d", "DeployType/e", "isabs/c"} {
		op, _, _ := strings.Cut("utils."+id, "/")
		suite.Cases = append(suite.Cases, golden.Case{
			Question: golden.Question{ID: "utils." + id, Op: op, In: []byte("{}")}, Out: []byte("true"), Verdict: scope.Match,
		})
	}
	subject := lateTestee{asked: map[string]int{}}
	report, err := Verify(subject, []*golden.Suite{suite}, Selection{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := report.Counts(); c.Failed != 5 || c.Passed != 3 || subject.asked["utils.DeployType"] != 3 || subject.asked["utils.isabs"] != 3 {
		t.Errorf("got %v, asked %v, want 5 failed of which 3 are asked, and 3 passed", c, subject.asked)
	}
	causes := CausesOf(report.Results)
	if len(causes) != 2 || causes[0].What != "no answer: not in time" || causes[0].Alone != 3 || causes[1].What != "no answer: not asked after late ones" {
		t.Errorf("causes: got %v, want that 3 were late and 2 not asked", causes)
	}
	if last := report.Results[6]; last.Text != "not asked: 3 answers of the operation were late before" || !last.Broken {
		t.Errorf("%s: got %q, want that it was not asked", last.ID, last.Text)
	}
}
