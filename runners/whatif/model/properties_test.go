package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// Goal: the state before the warm-up does not matter (CAP-5.3). Method: a system that starts
// empty and a system that starts with five times the load, with full queues, give the same
// mean.
func TestAnEmptyAndAFullBeginGiveTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	begin := func(factor float64) (means []float64) {
		s := fan(3, 2, 5, 10) // the load is 62 % of what the fleet can serve
		s.Windows[0].Start, s.Windows[0].End = 20e9, 23e9
		s.Windows[0].Warmup = 2e9
		s.Arrivals.Traffic = []Traffic{{From: 18e9, To: 18.1e9, Factor: factor}}
		for k := range 20 {
			one, err := s.Run(0, k)
			if err != nil {
				t.Fatal(err)
			}
			means = append(means, float64(one.SumNs)/float64(one.Completed))
		}
		return means
	}
	empty, full := begin(1), begin(5)
	a, half := stats.Interval(empty, 0.99)
	b, other := stats.Interval(full, 0.99)
	if math.Abs(a-b) > half+other {
		t.Errorf("begun empty %.4f +- %.4f ms, begun full %.4f +- %.4f ms", a/1e6, half/1e6, b/1e6, other/1e6)
	}
}

// Goal: the model is monotone where real fleets are (CAP-7.6): with random balancing and
// without batches, retries and hedges. Method: pairs of simulations with the same random
// numbers, for random fleets. One replica more never increases the mean latency beyond its
// confidence interval, and a longer timeout never makes more calls time out.
func TestMoreReplicasAndLongerTimeoutsAreNeverWorse(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const runs = 6
	for fleet := range 8 {
		shards, replicas := 1+rng.IntN(4), 1+rng.IntN(3)
		load := (0.2 + 0.6*rng.Float64()) * float64(replicas) * 4
		make := func(replicas int, timeout int64) *Spec {
			s := fan(shards, replicas, load, 1)
			s.Seed = uint64(fleet + 1)
			s.Tiers[PS].Law = law.Shaped(1e6, 0.5+float64(fleet%3)*0.5)
			s.Timeout = timeout
			return s
		}
		paired := func(value func(*Sample) float64, few, more *Spec) (mean, half float64) {
			var differences []float64
			for k := range runs {
				a, err := few.Run(0, k)
				if err != nil {
					t.Fatal(err)
				}
				b, err := more.Run(0, k)
				if err != nil {
					t.Fatal(err)
				}
				differences = append(differences, value(b)-value(a))
			}
			return stats.Interval(differences, 0.99)
		}
		latency := func(s *Sample) float64 { return float64(s.SumNs) / float64(s.Completed) }
		if d, half := paired(latency, make(replicas, 0), make(replicas+1, 0)); d-half > 0 {
			t.Errorf("fleet %d: %d shards of %d replicas at %.1fk/s: one more makes the mean %.4f +- %.4f ms longer", fleet, shards, replicas, load, d/1e6, half/1e6)
		}
		timedOut := func(s *Sample) float64 { return float64(s.Calls.TimedOut) / float64(s.Calls.Sent) }
		if d, half := paired(timedOut, make(replicas, 3e6), make(replicas, 6e6)); d-half > 0 {
			t.Errorf("fleet %d: a timeout twice as long lets %.4f +- %.4f more calls time out", fleet, d, half)
		}
	}
}
