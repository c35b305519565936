package model

import (
	"math"
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// queue returns a spec with one entry container with c threads. Requests arrive at the given
// rate in thousands per second, and each takes an exponential time with mean 1 ms.
func queue(c int, rate float64, seconds int64) *Spec {
	s := &Spec{Seed: 1, Balance: "random"}
	s.Tiers[Entry] = Tier{Replicas: []int{1}, Threads: c, Cores: float64(c), Queue: -1, Law: law.Exponential(1e6)}
	s.Items = law.Constant(1)
	s.Arrivals = Arrivals{Process: "poisson", Rate: plan.RateLaw{Points: []plan.RatePoint{{At: 0, Rate: plan.Rate(rate * 1000)}}}}
	s.Windows = []Window{{Window: plan.Window{End: plan.Duration(seconds * 1e9)}, Warmup: 1e9}}
	return s
}

// fan returns a spec with n shards of r containers with 4 threads each, and no work at the
// entry.
func fan(n, r int, rate float64, seconds int64) *Spec {
	s := queue(1, rate, seconds)
	s.Tiers[Entry].Law = law.Law{}
	for range n {
		s.Tiers[PS].Replicas = append(s.Tiers[PS].Replicas, r)
		s.Calls = append(s.Calls, Call{Shard: len(s.Calls), Share: 1 / float64(n)})
	}
	s.Tiers[PS].Threads, s.Tiers[PS].Cores, s.Tiers[PS].Queue = 4, 4, -1
	s.Tiers[PS].Law = law.Exponential(1e6)
	return s
}

func meanMs(t *testing.T, s *Spec, runs int) float64 {
	t.Helper()
	sum, n := int64(0), int64(0)
	for k := range runs {
		one, err := s.Run(0, k)
		if err != nil {
			t.Fatal(err)
		}
		if one.Little > 1e9 || !one.Conserved {
			t.Errorf("run %d: Little's residual %g, conserved %v: %+v", k, float64(one.Little)/1e12, one.Conserved, one.Calls)
		}
		sum += one.SumNs
		n += one.Completed
	}
	return float64(sum) / float64(n) / 1e6
}

func TestQueuesAreWhatTheoryTells(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	for _, c := range []struct {
		name string
		spec *Spec
		want float64 // ms
	}{
		{"M/M/1 at 0.7", queue(1, 0.7, 100), 1 / (1 - 0.7)},
		{"M/M/4 at 0.8", queue(4, 3.2, 100), 1 + 0.74554},
		{"fork-join of two at 0.5", func() *Spec {
			s := fan(2, 1, 0.5, 100)
			s.Tiers[PS].Threads, s.Tiers[PS].Cores = 1, 1
			return s
		}(), (12 - 0.5) / 8 / (1 - 0.5)},
		{"M/M/1 sharing processors at 0.7", func() *Spec {
			s := queue(1, 0.7, 100)
			s.Tiers[Entry].Threads, s.Tiers[Entry].Shared = 1000, true
			return s
		}(), 1 / (1 - 0.7)},
	} {
		if got := meanMs(t, c.spec, 4); math.Abs(got/c.want-1) > 0.04 {
			t.Errorf("%s: got %.4f ms, want %.4f", c.name, got, c.want)
		}
	}
}

// Goal: calls that take longer than the timeout are retried, and all calls and requests stay
// accounted for.
func TestTimeoutsAreConserved(t *testing.T) {
	s := fan(5, 2, 5, 20)
	s.Timeout, s.Retries = 3e6, 2
	s.Latency[0] = law.Constant(1e5)
	one, err := s.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !one.Conserved || one.Little > 1e9 || one.Calls.TimedOut == 0 || one.Calls.Late == 0 || one.Waited[0] == 0 {
		t.Errorf("got %+v, waited %v, Little %d, conserved %v", one.Calls, one.Waited, one.Little, one.Conserved)
	}
}

func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{5, 20, 100} {
		s := fan(n, 4, 4*4*0.7, 1)
		s.Timeout, s.Retries = 200e6, 2
		s.Latency[0] = law.Constant(1.5e5)
		b.Run("", func(b *testing.B) {
			calls, requests := int64(0), int64(0)
			b.ReportAllocs()
			for k := range b.N {
				one, err := s.Run(0, k)
				if err != nil {
					b.Fatal(err)
				}
				calls += one.Calls.Sent
				requests += one.Requests
			}
			b.ReportMetric(float64(calls)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
			b.ReportMetric(float64(requests)/b.Elapsed().Seconds()/1e6, "Mreq/s")
		})
	}
}
