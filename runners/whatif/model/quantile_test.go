package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
)

// Goal: the tracker's bars are contiguous, and each latency falls between the bounds of its
// bar.
func TestEveryLatencyIsInItsBar(t *testing.T) {
	for _, ns := range []int64{0, 1, 63, 64, 1023, 1024, 2047, 2048, 2111, 2112, 999_999, 200_000_000, 3_600_000_000_000} {
		bar := trackerBar(ns)
		if low, high := trackerLow(bar), trackerLow(bar+1); float64(ns) < low || float64(ns) >= high || ns > 2048 && high/low > 1+1.0/16+1e-9 {
			t.Errorf("%d ns is in bar %d from %g to %g", ns, bar, low, high)
		}
	}
}

// Goal: the running quantile reflects the latest observations. Method: a law that changes.
// The tracker finds the quantile of the new law, as precisely as the number of kept
// observations permits.
func TestTheRunningQuantileForgets(t *testing.T) {
	for _, q := range []float64{0.9, 0.95, 0.99} {
		rng := rand.New(rand.NewPCG(1, 2))
		var tr tracker
		if _, ok := tr.value(q); ok {
			t.Errorf("q %g: a quantile of nothing", q)
		}
		for _, mean := range []float64{1e6, 20e6, 2e6} {
			var last []int64
			for range 12 * trackerMemory(q) {
				x := int64(mean * rng.ExpFloat64())
				tr.observe(q, x)
				last = append(last, x)
			}
			last = last[len(last)-int(trackerMemory(q))/2:]
			slices.Sort(last)
			exact := float64(last[int(q*float64(len(last)))])
			got, ok := tr.value(q)
			if want := -math.Log(1-q) * mean; !ok || math.Abs(float64(got)/want-1) > 0.1 || math.Abs(float64(got)/exact-1) > 0.1 {
				t.Errorf("q %g, mean %g: got %d, want %g, of the last %g", q, mean, got, want, exact)
			}
		}
	}
}

// Goal: the running quantile depends on the kept counts and not on their order. Method: a
// sorted and a shuffled list give the same value.
func TestTheRunningQuantileIsOfCountsNotOfOrder(t *testing.T) {
	const q, n = 0.95, 2000
	var up, down tracker
	for i := range int64(n) {
		up.observe(q, i*1000)
		down.observe(q, (n-1-i)*1000)
	}
	a, _ := up.value(q)
	b, _ := down.value(q)
	if a != b || math.Abs(float64(a)/(q*n*1000)-1) > 0.005 {
		t.Errorf("got %d rising and %d falling, want %g", a, b, q*n*1000)
	}
}

// hedged returns a spec of a fleet with retries, whose calls are hedged after p95.
func hedged(seconds int64) *Spec {
	s := fan(5, 4, 8, seconds)
	s.Timeout, s.Retries, s.HedgeQuantile = 200e6, 2, 0.95
	s.Tiers[Entry].Replicas = []int{3}
	s.Latency[0] = law.Constant(1e5)
	return s
}

// Goal: hedging after a quantile q reduces the tail and adds the share 1-q of calls, and the
// simulation is repeatable.
func TestHedgingAfterAQuantile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	plain := hedged(20)
	plain.HedgeQuantile = 0
	before, err := plain.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	one, err := hedged(20).Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	two, err := hedged(20).Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	first := one.Calls.Sent - one.Calls.Hedged
	if share := float64(one.Calls.Hedged) / float64(first); math.Abs(share/0.05-1) > 0.03 {
		t.Errorf("%.4f of the calls are hedged, want 0.05", share)
	}
	if a, b := before.Latency.Quantile(0.99), one.Latency.Quantile(0.99); float64(b) > 0.9*float64(a) {
		t.Errorf("p99 is %d ns without and %d with hedges", a, b)
	}
	if !one.Conserved || one.Little > 1e9 || one.Hash != two.Hash || one.SumNs != two.SumNs {
		t.Errorf("conserved %v, Little %d, hashes %x and %x", one.Conserved, one.Little, one.Hash, two.Hash)
	}
}

// Goal: latencies that a stall hides are corrected for. Method: a client that asks once a
// millisecond waits once for 100 s, and sees a p99 of 1 ms in 10,000 requests. The 100,000
// requests that it would have sent meanwhile would have taken 50 s in the median.
func TestWhatAStallHidesIsCorrected(t *testing.T) {
	h := NewHist(3)
	for range 10_000 {
		h.Record(1e6)
	}
	h.Record(100e9)
	if p99 := h.Quantile(0.99); p99 > 1.01e6 {
		t.Errorf("p99 uncorrected %d ns, want 1 ms", p99)
	}
	c := h.Corrected(1e6)
	if n := c.Count(); math.Abs(float64(n)-110_000) > 200 {
		t.Errorf("%d requests corrected, want the 10,000 and one for each millisecond of the stall", n)
	}
	// 10,000 of the 110,000 requests take 1 ms. The others are spread evenly from 0 to 100 s.
	if p50 := float64(c.Quantile(0.5)); math.Abs(p50/45e9-1) > 0.01 {
		t.Errorf("p50 corrected %g s, want 45", p50/1e9)
	}
	if mean := c.Mean(); math.Abs(mean/(50e9*100/110)-1) > 0.01 {
		t.Errorf("mean corrected %g s, want %g", mean/1e9, 50.0*100/110)
	}
	if fast := h.Corrected(200e9); fast.Count() != h.Count() || fast.Quantile(0.5) != h.Quantile(0.5) {
		t.Errorf("a stall that is shorter than the interval hides nothing: got %d values, want %d", fast.Count(), h.Count())
	}
	if (Hist{}).Corrected(1).Count() != 0 {
		t.Error("nothing corrected is not nothing")
	}
}
