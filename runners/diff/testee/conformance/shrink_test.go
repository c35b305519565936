package conformance

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
)

// Goal: random cases are the same for the same seed, and a case whose answers differ is shrunk
// as far as possible. Method: a subject that gives wrong answers on purpose.

func TestTheSameSeedInventsTheSameCases(t *testing.T) {
	for _, op := range catalogue.DrawnOps() {
		for i := range 3 {
			a, tape := catalogue.Invent(op, 5, i)
			b, _ := catalogue.Invent(op, 5, i)
			if a.Line() != b.Line() {
				t.Errorf("%s case %d: one seed gives %s and %s", op, i, a.Line(), b.Line())
			}
			if again := catalogue.Build(op, catalogue.ReplayDraws(tape)); again.Line() != a.Line() {
				t.Errorf("%s case %d: its draws give %s, want %s", op, i, again.Line(), a.Line())
			}
		}
	}
}

func TestSeedsInventDifferentCases(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(20) {
		c, _ := catalogue.Invent("utils.ZKPath", seed, 0)
		seen[c.Line()] = true
	}
	if len(seen) < 10 {
		t.Errorf("20 seeds give %d cases, want many", len(seen))
	}
}

func TestShrinkingFindsTheSmallestTape(t *testing.T) {
	// differs stands for a failing case: one draw is 10 or more, and a later draw is odd.
	differs := func(tape []uint64) bool {
		i := slices.IndexFunc(tape, func(v uint64) bool { return v >= 10 })
		return i >= 0 && slices.ContainsFunc(tape[i+1:], func(v uint64) bool { return v%2 == 1 })
	}
	got := catalogue.Shrink([]uint64{7, 3, 88, 4, 9, 15, 2, 61}, differs)
	if diff := cmp.Diff([]uint64{10, 1}, got); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
}

// echoAll answers every case with its `in`. It lists every operation that has a generator.
type echoAll struct{}

func (echoAll) Hello() (testee.Hello, error) {
	return testee.Hello{Name: "echo", Ops: catalogue.DrawnOps()}, nil
}
func (echoAll) Answer(c *testee.Case) testee.Answer {
	return testee.Answer{Kind: testee.Returned, Out: c.In}
}
func (echoAll) Close() error { return nil }

// wrongOnA answers as echoAll does, but wrongly if pattern_str is longer than three characters.
type wrongOnA struct{ echoAll }

func (wrongOnA) Answer(c *testee.Case) testee.Answer {
	v, _ := c.In.Get("pattern_str")
	if len(pysem.Str(v)) > 3 {
		return testee.Answer{Kind: testee.Returned, Out: "wrong"}
	}
	return testee.Answer{Kind: testee.Returned, Out: c.In}
}

func TestADifferenceIsShrunkToAVector(t *testing.T) {
	d := Differ{Selection: Selection{Suites: []string{"utils.normalize_regex"}}, Cases: 20, Seed: 1}
	report, err := d.Run(Pair{echoAll{}, wrongOnA{}})
	if err != nil {
		t.Fatal(err)
	}
	c := report.Counts()
	if c.Failed <= MostShrunk || len(report.Differences) != MostShrunk || c.Total() != 20 {
		t.Fatalf("got %v with %d differences, want more than %d of 20 failed, and so many made small", c, len(report.Differences), MostShrunk)
	}
	for _, difference := range report.Differences {
		// This is the simplest pattern of the generator that is longer than three letters.
		if got, want := string(difference.Vector.In), `{"pattern_str": "ps_{i}"}`; got != want {
			t.Errorf("%s: the smallest input is %s, want %s", difference.ID, got, want)
		}
	}
}

func TestAKnownFailureThatPassesFails(t *testing.T) {
	d := Differ{
		Selection: Selection{Suites: []string{"utils.isabs"}}, Cases: 2, Seed: 1,
		Known: map[string]bool{"utils.isabs/seed-1-1": true},
	}
	report, err := d.Run(Pair{echoAll{}, echoAll{}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Counts{Passed: 1, Failed: 1}, report.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// Goal: a subject is asked only about operations in its greeting. All cases go to operations that
// both subjects know.
func TestNothingIsInventedOfWhatTheSubjectDoesNotKnow(t *testing.T) {
	d := Differ{Cases: 40, Seed: 1}
	report, err := d.Run(Pair{echoAll{}, knowsIsabs{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Op != "utils.isabs" || r.Status != Passed {
			t.Errorf("%s: got %v, want a case of utils.isabs that passes", r.ID, r.Status)
		}
	}
	if len(report.Results) == 0 {
		t.Error("got no case, want those of utils.isabs")
	}
}

// knowsIsabs answers as echoAll does, but lists only one operation in its greeting.
type knowsIsabs struct{ echoAll }

func (knowsIsabs) Hello() (testee.Hello, error) {
	return testee.Hello{Name: "isabs", Ops: []string{"utils.isabs"}}, nil
}

func TestAReportDoesNotDependOnTheNumberOfPairs(t *testing.T) {
	run := func(pairs ...Pair) *DiffReport {
		t.Helper()
		told := 0
		d := Differ{Selection: Selection{Suites: []string{"utils.normalize_regex", "utils.isabs"}}, Cases: 60, Seed: 3, Answered: func(done, total int) {
			if told++; done != told || total != 60 {
				t.Errorf("told of %d of %d cases, want %d of 60", done, total, told)
			}
		}}
		report, err := d.Run(pairs...)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	p := Pair{echoAll{}, wrongOnA{}}
	if diff := cmp.Diff(run(p), run(p, p, p)); diff != "" {
		t.Errorf("one pair and three (-one +three):\n%s", diff)
	}
}

func TestAPlanHasEachCaseOnce(t *testing.T) {
	// utils.DeployType has few inputs, so the other operations take the rest of its share.
	ops := []string{"utils.DeployType", "utils.expand_pattern", "utils.parse_pattern"}
	of, seen := map[string]int{}, map[string]bool{}
	for _, p := range plan(ops, 300, 1) {
		c, _ := catalogue.Invent(p.op, 1, p.number)
		if seen[c.Line()] {
			t.Errorf("%s: found it twice", c.Line())
		}
		seen[c.Line()] = true
		of[p.op]++
	}
	if n := of["utils.DeployType"]; n == 0 || n >= 100 || of["utils.expand_pattern"] <= 100 || len(seen) != 300 {
		t.Errorf("got %v, want 300 in all, less than 100 of utils.DeployType", of)
	}
	if got := len(plan(ops[:1], 300, 1)); got != of["utils.DeployType"] {
		t.Errorf("alone it has %d cases, want its %d", got, of["utils.DeployType"])
	}
}
