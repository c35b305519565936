package burst_test

import (
	"math"
	"testing"

	"github.com/monosim/monosim/runners/whatif/burst"
	"github.com/monosim/monosim/runners/whatif/law"
)

func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if math.Abs(got-want) > part*math.Abs(want) {
		t.Errorf("%s: got %v, want %v within %v %%", what, got, want, part*100)
	}
}

// look is the loop of n agents that sleep 60 s between rounds. In a round each makes so many
// requests, one every gap nanoseconds. The server can answer can requests a second.
func look(n int, each, gap, can float64) burst.Load {
	return burst.Load{Period: 60e9, Each: each, Cost: 1 / can, Agents: []burst.Agents{{N: n, Gap: gap}}}
}

// Goal: agents that start together ask all at once. The busiest second has as many requests
// as the round trip time permits, and the drain is as long as the server needs for them.
func TestTogether(t *testing.T) {
	short := burst.Of([]burst.Load{look(100, 222, 1e6, 100e3)}, nil, 1)
	near(t, "all within a second", short.Second, 22200, 1e-9)
	near(t, "of the server", short.Busy, 0.222, 1e-9)
	near(t, "drain", short.Drain, 0.222e9, 1e-9)
	long := burst.Of([]burst.Load{look(1000, 4000, 1e6, 100e3)}, nil, 1)
	near(t, "a second of four", long.Second, 1e6, 1e-6)
	near(t, "all that is asked", long.Drain, 40e9, 1e-6)
	never := burst.Of([]burst.Load{look(2000, 4000, 1e6, 100e3)}, nil, 1)
	near(t, "drain, at most the period", never.Drain, 64e9, 1e-9)
	if none := burst.Of([]burst.Load{look(0, 10, 1e6, 100e3)}, nil, 1); none != (burst.Peak{}) {
		t.Errorf("no agents: got %+v", none)
	}
}

// Goal: if starts are spread evenly, the load over time is a trapezium, whose busiest second
// is known from the spread of starts and the length of a round.
func TestTrapezium(t *testing.T) {
	for _, c := range []struct{ spread, round float64 }{{0.8, 0.4}, {2, 0.3}, {0.3, 3}, {5, 5}} {
		const n, each = 50_000, 400
		got := burst.Of([]burst.Load{look(n, each, c.round/each*1e9, 1e6)}, burst.Starts{law.Between(0, c.spread*1e9)}, 1)
		near(t, "busiest second", got.Second, n*each*trapezium(c.spread, c.round), 0.02)
	}
}

// trapezium returns the probability that the sum of two uniform times, of lengths a and b,
// lies within the second around its middle.
func trapezium(a, b float64) float64 {
	const steps = 20_000
	within := 0.0
	for i := range steps {
		x := (float64(i)+0.5)/steps*a - a/2
		low, high := math.Max(-0.5, x-b/2), math.Min(0.5, x+b/2)
		within += math.Max(0, high-low) / b / steps
	}
	return within
}

// Goal: agents whose starts are spread over a whole period behave as if independent. The
// busiest second then has about the largest of some sixty Poisson numbers with mean n/60,
// for any number n of agents.
func TestIndependent(t *testing.T) {
	for _, n := range []int{600, 6000, 60_000, 600_000} {
		got := burst.Of([]burst.Load{look(n, 1, 0, 1e9)}, burst.Starts{law.Between(0, 600e9)}, 1).Second
		mean := float64(n) / 60
		if low, high := mean+1.8*math.Sqrt(mean), mean+5*math.Sqrt(mean)+1; got < low || got > high {
			t.Errorf("%d agents: got %v in the busiest second, want %v to %v", n, got, low, high)
		}
	}
}

// Goal: more agents never make a smaller burst, and a wider spread of starts never a larger
// one, apart from random differences.
func TestMonotone(t *testing.T) {
	last := 0.0
	for _, n := range []int{1, 10, 100, 1000, 2048, 2049, 4000, 10_000} {
		p := burst.Of([]burst.Load{look(n, 50, 1e6, 1e5)}, burst.Starts{law.Between(0, 2e9)}, 1)
		if p.Second < 0.95*last {
			t.Errorf("%d agents: got %v in the busiest second, %v of fewer", n, p.Second, last)
		}
		last = p.Second
	}
	last = math.Inf(1)
	for _, spread := range []float64{0.1, 0.5, 1, 2, 5, 20} {
		p := burst.Of([]burst.Load{look(1000, 50, 1e6, 1e4)}, burst.Starts{law.Between(0, spread*1e9)}, 1)
		if p.Drain > last*1.1 {
			t.Errorf("spread over %v s: drained after %v, after %v of less", spread, p.Drain, last)
		}
		last = p.Drain
	}
}

// Goal: loads of different periods add up, as a loop of 10 s and a loop of 60 s.
func TestLoadsAddUp(t *testing.T) {
	slow, quick := look(100, 10, 0, 1e5), look(100, 5, 0, 1e5)
	quick.Period = 10e9
	p := burst.Of([]burst.Load{slow, quick}, nil, 1)
	near(t, "both at once", p.Second, 1500, 1e-9)
	near(t, "mean of the quick one", quick.Mean(), 50, 1e-9)
}
