package whatif

import (
	"io"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/judge"
)

// Goal: the remaining time follows from the speed so far, and never exceeds the budget.
func TestProgressSaysHowLongItTakes(t *testing.T) {
	for _, c := range []struct {
		name   string
		last   judge.Far
		passed time.Duration
		budget time.Duration // 0 for none
		want   string
	}{
		{"at the speed so far", judge.Far{Requests: 5000, Done: 11, Most: 31}, 10 * time.Second, 0, "5000 requests simulated, 11 of at most 31 replications, at most 20s left"},
		{"the budget ends before", judge.Far{Requests: 5000, Done: 11, Most: 31}, 10 * time.Second, 15 * time.Second, "5000 requests simulated, 11 of at most 31 replications, at most 5s left"},
		{"the budget is over", judge.Far{Requests: 5000, Done: 11, Most: 31}, 10 * time.Second, 5 * time.Second, "5000 requests simulated, 11 of at most 31 replications, at most 0s left"},
		{"nothing known", judge.Far{}, 0, 0, "0 requests simulated"},
	} {
		begin := time.Unix(1000, 0)
		f := newFar(io.Discard, time.Time{})
		if c.budget > 0 {
			f.deadline = begin.Add(c.budget)
		}
		f.begin, f.last = begin, c.last
		if got := f.line(begin.Add(c.passed)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
