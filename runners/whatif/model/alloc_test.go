//go:build !race

package model

import "testing"

// Goal: a hedged request allocates no memory. Method: compare two runs of which one is twice
// as long, and divide the difference in allocations by the additional requests.
func TestHedgedRequestsAllocateNothing(t *testing.T) {
	allocatesNothing(t, hedged)
}

// Goal: skipped calls, delayed retries, retry budgets and circuit breakers allocate no
// memory either.
func TestCuresAllocateNothing(t *testing.T) {
	allocatesNothing(t, func(seconds int64) *Spec {
		s := fan(2, 3, 7, seconds) // the load is 120 % of what two of the three replicas can serve
		s.Control.Dead = []Which{{Tier: PS, Number: 0}}
		s.Tiers[PS].SkipLate = true
		s.Timeout, s.Retries = 10e6, 2
		s.Backoff, s.Budget, s.Breaker = Backoff{Base: 1e6, Factor: 2, Most: 1e9, Jitter: 0.2}, Budget{Share: 0.2, Burst: 10}, Breaker{Failures: 20, OpenNs: 50e6}
		return s
	})
}

func allocatesNothing(t *testing.T, spec func(seconds int64) *Spec) {
	t.Helper()
	count := func(seconds int64) (requests, allocs float64) {
		s := spec(seconds)
		allocs = testing.AllocsPerRun(1, func() {
			one, err := s.Run(0, 0)
			if err != nil {
				t.Fatal(err)
			}
			requests = float64(one.Requests)
		})
		return requests, allocs
	}
	n1, a1 := count(4)
	n2, a2 := count(8)
	if each := (a2 - a1) / (n2 - n1); each > 0.001 {
		t.Errorf("%.4f allocations for a request", each)
	}
}

// Goal: recording latencies for hedging, and computing their quantiles, allocates no memory.
func TestTrackersAllocateNothing(t *testing.T) {
	var tr tracker
	n := int64(0)
	if got := testing.AllocsPerRun(10_000, func() {
		n = n*6364136223846793005 + 1442695040888963407
		tr.observe(0.99, n>>40&0xffffff)
		tr.value(0.99)
	}); got != 0 {
		t.Errorf("%g allocations for an observation", got)
	}
}
