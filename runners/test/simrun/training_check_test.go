package simrun_test

import (
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Goal: the checker works on a real job. An invariant that the reference breaks is reported
// as known, and with the quirk repaired it holds.
func TestInvariantsOfAJobThatIsStoppedTwice(t *testing.T) {
	for quirks, want := range map[string][]string{
		"python": {"INV-1 TRN-2.8 and TRN-2.9", "INV-2 Q238"},
		"-Q238":  {"INV-1 TRN-2.8 and TRN-2.9"},
	} {
		t.Run(quirks, func(t *testing.T) {
			built, err := (&simrun.Runner{}).Build(runners.Spec{Seed: 1, Quirks: quirks, Training: &runners.TrainingSpec{Workers: 1, PS: 1}})
			if err != nil {
				t.Fatal(err)
			}
			c := built.(*simrun.Cluster)
			defer c.Close()
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			pass := func(d time.Duration) {
				t.Helper()
				_, err := c.Pass(d, nil)
				must(err)
			}
			must(c.StartTraining())
			pass(3 * time.Minute)
			for _, method := range []string{"StopTraining", "", "ResumeTraining", "StopTraining"} {
				if method == "" {
					pass(5 * time.Second)
					continue
				}
				_, err := c.Operate(method)
				must(err)
			}
			pass(time.Minute)
			var got []string
			for _, b := range c.Invariants() {
				got = append(got, b.Invariant+" "+b.Known)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", c.Invariants(), want)
			}
		})
	}
}
