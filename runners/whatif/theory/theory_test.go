package theory

import (
	"math"
	"testing"
)

// Goal: the formulas give the check values of CAP-7.1, 7.4 and 7.5.
func TestCheckValues(t *testing.T) {
	for _, c := range []struct {
		name             string
		got, want, digit float64
	}{
		{"Erlang C of 4 at 0.8", first(MMc(4, 3.2, 1)), 0.74554, 1e-5},
		{"Erlang C of 16 at 0.9", first(MMc(16, 14.4, 1)), 0.36959, 1e-5},
		{"Erlang C of 64 at 0.95", first(MMc(64, 60.8, 1)), 0.18375, 1e-5},
		{"M/M/1/1 blocks as Erlang B", first(MMcK(1, 1, 0.5, 1)), 1. / 3, 1e-9},
		{"1,000 servers without a queue block as Erlang B", first(MMcK(1000, 1000, 990, 1)), ErlangB(1000, 990), 1e-12},
		{"a long queue of 1,000 servers waits as M/M/c", second(MMcK(1000, 4000, 990, 1)), first(MMc(1000, 990, 1)), 1e-9},
		{"a short queue blocks", first(MMcK(2, 3, 1, 1)), 1. / 11, 1e-9},
		{"a short queue waits", second(MMcK(2, 3, 1, 1)), 1. / 10, 1e-9},
		{"a rare failure", FailAtLeast(20, 1_000_000, 1, 3, false) * 1e17, 2, 1e-9},
		{"fork-join of 2 by both", ForkJoin(2, 0.5, 1), ForkJoin2(0.5, 1), 1e-9},
		{"one of 10 dead, 20 shards", FailAtLeast(20, 10, 1, 1, false), 0.878, 5e-4},
		{"two timeouts", FailAtLeast(20, 10, 1, 2, false), 0.182, 5e-4},
		{"failed", FailAtLeast(20, 10, 1, 3, false), 0.0198, 5e-5},
		{"three of nine", FailAtLeast(1, 9, 3, 3, false), 0.0370, 5e-5},
		{"v3 to all of 100", TimeToAll(100, 30, 60, 0, 0), 84.70, 5e-3},
		{"v3 to all of 10000", TimeToAll(10_000, 30, 60, 0, 0), 89.47, 5e-3},
		{"v1 to all of 1000", TimeToAll(1000, 1, 1, 0, 0), 1.960, 5e-4},
		{"rough sort model to one", TimeToAll(1, 1, 1, 30, 0), 16, 1e-3},
		{"v1 to all of 1000, copied at once", TimeToAll(1000, 1, 1, 1e-6, 0), 1.960, 5e-4},
		{"v3 to all of 100, copied at once", TimeToAll(100, 30, 60, 1e-3, 0), 84.70, 5e-3},
	} {
		if math.Abs(c.got-c.want) > c.digit {
			t.Errorf("%s: got %g, want %g", c.name, c.got, c.want)
		}
	}
}

func first(a, _ float64) float64  { return a }
func second(_, b float64) float64 { return b }
