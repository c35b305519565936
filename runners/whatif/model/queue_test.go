package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// classes splits the requests of a spec into two classes. The first has the share first and
// the higher priority.
func classes(s *Spec, first float64) *Spec {
	for k, share := range []float64{first, 1 - first} {
		one := s.Served()[0]
		one.Share, one.Priority = share, uint8(2*k)
		s.Mix = append(s.Mix, one)
	}
	return s
}

// Goal: requests and calls of higher priority are started first, and started work is never
// interrupted. Method: Cobham's mean waits for two classes of M/M/1, W0/(1 - rho1) and
// W0/((1 - rho1)(1 - rho)).
func TestTheMoreImportantAreBegunFirst(t *testing.T) {
	for _, tier := range []int{Entry, PS} {
		s := queue(1, 0.8, 100)
		if tier == PS {
			s = fan(1, 1, 0.8, 100)
			s.Tiers[PS].Threads, s.Tiers[PS].Cores = 1, 1
		}
		classes(s, 0.5).Tiers[tier].ByPriority = true
		one := total(t, s, 5)
		for k, want := range []float64{1 + 0.8/0.6, 1 + 0.8/(0.6*0.2)} {
			near(t, "mean latency in ms", float64(one.Models[k].SumNs)/float64(one.Models[k].Completed)/1e6, want, 0.04+0.04*float64(k))
		}
	}
}

// Goal: a threshold rejects only requests of lower priority. Method: a birth-death process
// at 1.6 times the capacity. Three of four requests have lower priority and are accepted
// only while fewer than five wait.
func TestTheLessImportantAreShed(t *testing.T) {
	for _, tier := range []int{Entry, PS} {
		s := queue(1, 1.6, 60)
		if tier == PS {
			s = fan(1, 1, 1.6, 60)
			s.Tiers[PS].Threads, s.Tiers[PS].Cores = 1, 1
		}
		classes(s, 0.25).Tiers[tier].Limits = &[priorities]int{-1, -1, 5, 5, 5, 5, 5, 5}
		one := total(t, s, 3)
		states, full := 0.0, 0.0
		for n := range 200 {
			p := math.Pow(1.6, math.Min(float64(n), 6)) * math.Pow(0.4, math.Max(0, float64(n-6)))
			if states += p; n >= 6 {
				full += p
			}
		}
		near(t, "share of the less important that is shed", float64(one.Models[1].Failed[causeQueueFull])/float64(one.Models[1].Arrived), full/states, 0.03)
		if one.Models[0].Failed != [nCauses]int64{} {
			t.Errorf("of the more important failed %v, want none", one.Models[0].Failed)
		}
	}
}

// Goal: a priority queue is ordered by priority, and within a priority by arrival, even if
// elements are removed from its middle. Method: compare with a sorted list.
func TestAQueueByPriorityKeepsItsOrder(t *testing.T) {
	w := newWorld(classes(queue(1, 1, 1), 0.5), 1, 0, 0, 1e9)
	defer w.clock.Close()
	s := &w.servers[0]
	s.tails = noTails()
	rng := w.stream(streamItems, 1)
	var beside [2][]int32
	for range 2000 {
		if rng.Float64() < 0.55 {
			i := w.takeRequest()
			m := uint8(rng.IntN(2))
			w.requests[i].model, w.requests[i].stage = m, stageEntry
			w.enqueue(s, i, m)
			beside[m] = append(beside[m], i)
			continue
		}
		m := 0
		if len(beside[0]) == 0 {
			m = 1
		}
		if len(beside[m]) == 0 {
			if s.head != none {
				t.Fatalf("found %d, want an empty queue", s.head)
			}
			continue
		}
		i := s.head
		if i != beside[m][0] {
			t.Fatalf("found %d at the head, want %d", i, beside[m][0])
		}
		w.dequeue(s, w.requests[i].model)
		w.releaseRequest(i)
		beside[m] = beside[m][1:]
	}
}

// Goal: priority classes of a model share its batch queue. Method: batches of two without an
// effective timeout. Any two requests fill a batch, so none has to wait for another of its
// own class.
func TestClassesShareTheQueueForBatches(t *testing.T) {
	mean := func(shared uint8) float64 {
		s := queue(1, 1, 20)
		s.Tiers[Entry].Law = law.Law{}
		s.Tiers[Dense] = Tier{Replicas: []int{1}, Cores: 8, Law: law.Affinely(1e5, 0), Batch: &Batch{Processes: 1, Threads: 8, MaxItems: 2, TimeoutNs: 1e9, MaxQueued: 1e6}}
		classes(s, 0.5)
		s.Mix[1].Queue = shared
		one := total(t, s, 1)
		return float64(one.SumNs) / float64(one.Completed) / 1e6
	}
	near(t, "mean latency in ms of one queue", mean(0), 0.5+0.1, 0.03)
	near(t, "mean latency in ms of two queues", mean(1), 1+0.1, 0.03)
}

// Goal: the number of containers follows a schedule. Method: after each scaling event, the
// mean wait is that of M/M/1 at the resulting load of each container, because requests are
// spread at random.
func TestContainersBySchedule(t *testing.T) {
	const text = `apiVersion: capacity/v1
model: {size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 100s}
fleet:
  entry: {replicas: 4, cpu: 1, mem: 16GiB}
  ps: {replicas: 40, cpu: 1, mem: 16GiB}
  boot: {model_load: 1000GB/s, load_fixed: 0s}
network: {same_cluster: 0s, overhead_per_rpc: 0s}
service: {entry: {cpu: "exp(mean=10ms)"}, ps: {cpu: "det(1us)"}}
workload: {rate: 200/s, horizon: 300s, detail: {windows: [at 20s 70s, at 120s 70s, at 220s 70s]}}
events: [{at: 100s, scale: {entry: 8}}, {at: 200s, scale: {entry: 3}}]
`
	_, p, _, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := Compile(p, Condition{})
	for k, n := range []int{4, 8, 3} {
		sum, count := 0.0, 0.0
		for run := range 8 {
			one, err := s.Run(k, run)
			if err != nil {
				t.Fatal(err)
			}
			sum, count = sum+float64(one.SumNs)/1e6, count+float64(one.Completed)
			if live := StepAt(one.Life.Live[Entry], int64(p.Windows()[k].Start)); live != n {
				t.Errorf("%d entry containers, want %d", live, n)
			}
		}
		near(t, fmt.Sprintf("mean latency with %d containers", n), sum/count, 10/(1-200*0.01/float64(n)), 0.05)
	}
}
