package testee

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
)

// The goal is that invented cases are the same for the same seed, and that a
// differing one becomes as small as it can. The method is a subject that is wrong
// on purpose.

func TestTheSameSeedInventsTheSameCases(t *testing.T) {
	for _, op := range GeneratedOps() {
		for i := range 3 {
			a, tape := invent(op, 5, i)
			b, _ := invent(op, 5, i)
			if a.Line() != b.Line() {
				t.Errorf("%s case %d: one seed gives %s and %s", op, i, a.Line(), b.Line())
			}
			if again := build(op, replayDraws(tape)); again.Line() != a.Line() {
				t.Errorf("%s case %d: its draws give %s, want %s", op, i, again.Line(), a.Line())
			}
		}
	}
}

func TestSeedsInventDifferentCases(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(20) {
		c, _ := invent("utils.ZKPath", seed, 0)
		seen[c.Line()] = true
	}
	if len(seen) < 10 {
		t.Errorf("20 seeds give %d cases, want many", len(seen))
	}
}

func TestShrinkingFindsTheSmallestTape(t *testing.T) {
	// The case differs when one draw is 10 or more and a later one is odd.
	differs := func(tape []uint64) bool {
		i := slices.IndexFunc(tape, func(v uint64) bool { return v >= 10 })
		return i >= 0 && slices.ContainsFunc(tape[i+1:], func(v uint64) bool { return v%2 == 1 })
	}
	got := shrink([]uint64{7, 3, 88, 4, 9, 15, 2, 61}, differs)
	if diff := cmp.Diff([]uint64{10, 1}, got); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
}

// wrongOnA answers cases as the reference does, unless a path holds "entry".
type wrongOnA struct{ echo }

func (wrongOnA) Answer(c *Case) Answer {
	v, _ := c.In.Get("pattern_str")
	if len(pysem.Str(v)) > 3 {
		return Answer{Kind: Returned, Out: "wrong"}
	}
	return Answer{Kind: Returned, Out: c.In}
}

func TestADifferenceIsShrunkToAVector(t *testing.T) {
	d := Differ{Reference: echo{}, Selection: Selection{Suites: []string{"utils.normalize_regex"}}, Cases: 20, Seed: 1}
	report, err := d.Run(wrongOnA{})
	if err != nil {
		t.Fatal(err)
	}
	c := report.Counts()
	if c.Failed == 0 || c.Failed != len(report.Differences) || c.Total() != 20 {
		t.Fatalf("got %v with %d differences, want some of 20 failed", c, len(report.Differences))
	}
	for _, difference := range report.Differences {
		// The plainest pattern of the generator that is longer than three letters.
		if got, want := string(difference.Vector.In), `{"pattern_str": "ps_{i}"}`; got != want {
			t.Errorf("%s: the smallest input is %s, want %s", difference.ID, got, want)
		}
	}
}

func TestAKnownFailureThatPassesFails(t *testing.T) {
	d := Differ{
		Reference: echo{}, Selection: Selection{Suites: []string{"utils.isabs"}}, Cases: 2, Seed: 1,
		Known: map[string]bool{"utils.isabs/seed-1-1": true},
	}
	report, err := d.Run(echo{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Counts{Passed: 1, Failed: 1}, report.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}
