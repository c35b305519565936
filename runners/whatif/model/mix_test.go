package model

import (
	"math"
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// Goal: a mix of equal models behaves as a single model. Method: the results are equal byte
// for byte, because the model of a request is drawn from a random stream of its own.
func TestAMixOfEqualModelsIsOneModel(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	one := fan(5, 2, 5, 20)
	one.Timeout, one.Retries = 5e6, 2
	one.Latency[0] = law.Constant(1e5)
	want, err := one.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := one.Served()[0]
	m.Share, m.Limits = 0.5, []int64{10e6}
	one.Mix = []Served{m, m}
	got, err := one.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got.SumNs != want.SumNs || got.Completed != want.Completed || got.Calls != want.Calls || got.Hash != want.Hash {
		t.Errorf("got %d ns of %d requests, %+v, want %d of %d, %+v", got.SumNs, got.Completed, got.Calls, want.SumNs, want.Completed, want.Calls)
	}
	var sum Outcomes
	for k := range got.Models {
		one := &got.Models[k]
		if share := float64(one.Arrived) / float64(got.Arrived); math.Abs(share-0.5) > 0.01 {
			t.Errorf("model %d has a share of %.3f, want 0.5", k, share)
		}
		if one.Over[0] == 0 {
			t.Errorf("model %d: nothing takes longer than 10 ms", k)
		}
		sum.add(one)
	}
	failed := int64(0)
	for _, n := range sum.Failed {
		failed += n
	}
	if sum.Arrived != got.Arrived || sum.Completed != got.Completed || sum.SumNs != got.SumNs || sum.Arrived != sum.Completed+failed || sum.Latency.Count() != got.Latency.Count() {
		t.Errorf("models together have %d, %d, %d of %d, %d, %d", sum.Arrived, sum.Completed, sum.SumNs, got.Arrived, got.Completed, got.SumNs)
	}
}

// batched returns a dense server with one thread and two models with equal shares. A batch
// takes 1 ms for one model and 3 ms for the other.
func batched(rate float64, items int) *Spec {
	s := queue(1, rate, 20)
	s.Tiers[Entry].Law = law.Law{}
	s.Tiers[Dense] = Tier{Replicas: []int{1}, Cores: 4, Law: law.Affinely(1e6, 0), Batch: &Batch{Processes: 1, Threads: 1, MaxItems: items, MaxQueued: 1 << 30}}
	a := s.Served()[0]
	a.Share = 0.5
	b := a
	b.Queue = 1
	b.Laws[Dense] = law.Affinely(3e6, 0)
	s.Mix = []Served{a, b}
	return s
}

// Goal: a batch has requests for one model only, and all models of a process share its
// threads, with their queues visited in turn. Method: a full server, on which both models
// always wait. Their batches alternate, so as many requests of each model are served as its
// batches hold.
func TestModelsAreNotBatchedTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	s := batched(40, 10) // 40 requests per ms arrive, and 20 can be computed every 4 ms
	s.Timeout = 2e9
	one, err := s.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !one.Conserved || one.Little > 1e9 {
		t.Errorf("conserved %v, Little %d", one.Conserved, one.Little)
	}
	attempts := float64(one.Tiers[Dense].Attempts)
	if want := 20.0 / 4e-3 * 20; math.Abs(attempts/want-1) > 0.01 {
		t.Errorf("%g requests are computed, want %g", attempts, want)
	}
	if busy := float64(one.Tiers[Dense].BusyNs) / 20e9; math.Abs(busy-1) > 0.01 {
		t.Errorf("busy %.3f of the time, want all of it", busy)
	}
}

// Goal: a model without requests does not affect the other models.
func TestAModelWithoutRequestsIsNotThere(t *testing.T) {
	s := batched(0.5, 1)
	s.Mix[0].Share, s.Mix[1].Share = 1, 0
	got, err := s.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.Mix = nil
	want, err := s.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got.SumNs != want.SumNs || got.Models[1].Arrived != 0 {
		t.Errorf("got %d ns, want %d; %d requests for the other", got.SumNs, want.SumNs, got.Models[1].Arrived)
	}
}

// Goal: waiting for a batch is reported separately (CAP-4.2) from the queue for a thread and
// from the computation. Method: four loads of one thread. A single request waits exactly for
// the batch timeout (CAP-7.3). Of two requests that fill a batch, the first waits for the
// second. Without a timeout none waits. If the thread is busy, only the time up to the
// timeout counts as batch wait.
func TestTheWaitForABatchIsNoQueue(t *testing.T) {
	const timeout = 5_000_000
	for _, c := range []struct {
		name           string
		rate           float64 // a millisecond
		items          int
		timeoutNs      int64
		wait, waitMost float64 // mean waits of a request in nanoseconds
		queue          bool
	}{
		{"alone", 0.0001, 10, timeout, timeout, timeout, false},
		{"a full batch of one", 0.0001, 1, timeout, 0, 0, false},
		{"no timeout", 0.0001, 10, 0, 0, 0, false},
		{"two fill it", 0.1, 2, 20 * timeout, 4.5e6, 5.5e6, true}, // the wait is half of a gap of 10 ms
		{"a busy thread", 20, 10, timeout, 0, timeout, true},
	} {
		s := batched(c.rate, c.items)
		s.Mix = s.Mix[:1]
		s.Mix[0].Share = 1
		s.Windows[0].End = plan.Duration(math.Min(2000/c.rate*1e6, 200e9))
		s.Tiers[Dense].Batch.TimeoutNs = c.timeoutNs
		s.Arrivals.Process = "poisson"
		one, err := s.Run(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		var parts [nParts]float64
		total := 0.0
		for k := range one.Parts {
			for p, ns := range one.Parts[k] {
				parts[p] += float64(ns) / float64(one.Completed)
				total += float64(ns)
			}
		}
		if parts[partBatch] < c.wait || parts[partBatch] > c.waitMost {
			t.Errorf("%s: requests wait %g ns for a batch, want %g to %g", c.name, parts[partBatch], c.wait, c.waitMost)
		}
		if (parts[partDenseQueue] > 0) != c.queue {
			t.Errorf("%s: requests wait %g ns for a thread, want any: %v", c.name, parts[partDenseQueue], c.queue)
		}
		if one.Completed == 0 || int64(total) != one.SumNs {
			t.Errorf("%s: the parts are %g ns of %d", c.name, total, one.SumNs)
		}
	}
}
