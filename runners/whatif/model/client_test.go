package model

import (
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// onlyCall returns a spec in which single requests go to one PS, 100 us away, that works for
// 1 ms.
func onlyCall() *Spec {
	s := fan(1, 1, 0.001, 60)
	s.Tiers[PS].Law = law.Constant(1e6)
	s.Latency[0] = law.Constant(1e5)
	s.PerRPC = 6e4
	return s
}

// Goal: the overhead counts once per call, for both directions together (CAP-12.11). This
// holds with constant and varying delays, and whether or not a connection is opened, which
// takes a round trip (CAP-3.4).
func TestTheOverheadCountsOnceACall(t *testing.T) {
	for _, c := range []struct {
		name    string
		connect bool
		vary    bool
		want    int64 // ns
	}{
		{"connected", false, false, 1e6 + 2e5 + 6e4},
		{"connecting", true, false, 1e6 + 4e5 + 6e4},
		{"connecting, delays vary", true, true, 1e6 + 4e5 + 6e4},
	} {
		s := onlyCall()
		s.Connect = c.connect
		if c.vary {
			s.Latency[0] = law.Between(1e5-1, 1e5+1)
		}
		one, err := s.Run(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if mean := one.SumNs / one.Completed; mean < c.want-4 || mean > c.want+4 {
			t.Errorf("%s: a request takes %d ns, want %d", c.name, mean, c.want)
		}
	}
}

// Goal: the limit on connections applies only to connections to PS (CAP-12.7). Calls to
// dense servers do not wait for one, although balancers count them.
func TestTheCapOnConnectionsIsOfPS(t *testing.T) {
	run := func(least bool, cap int) *Sample {
		s := queue(1, 1, 20)
		s.Tiers[Entry].Law = law.Law{}
		s.Tiers[PS] = Tier{Replicas: []int{1}, Threads: 100, Cores: 100, Queue: -1, Law: law.Constant(1e4)}
		s.Calls = []Call{{Shard: 0, Share: 1}}
		s.Tiers[Dense] = Tier{Replicas: []int{1}, Threads: 1000, Cores: 1000, Queue: -1, Law: law.Constant(20e6)}
		s.Connections, s.Dispatch = cap, 30
		if least {
			s.Balance = "least_loaded"
		}
		one, err := s.Run(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !one.Conserved {
			t.Errorf("not conserved: %+v", one.Calls)
		}
		return one
	}
	// About twenty requests are at the dense server at any time.
	if got, want := run(true, 5).SumNs, run(false, 0).SumNs; got != want {
		t.Errorf("with a cap of 5 requests take %d ns, want %d as without", got, want)
	}
}

// Goal: a call that a full queue rejects is retried at once. With a queue of 0 no call may
// wait (CAP-12.9).
func TestAFullQueueIsAFailedAttempt(t *testing.T) {
	s := onlyCall()
	s.Arrivals.Rate.Points[0].Rate = 300
	s.Tiers[PS].Threads, s.Tiers[PS].Cores, s.Tiers[PS].Queue = 1, 1, 0
	s.Timeout, s.Retries = 1e9, 1
	one, err := s.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if one.Failed[causeQueueFull] == 0 || one.Calls.TimedOut != 0 {
		t.Fatalf("failed %v, %+v, want full queues alone", one.Failed, one.Calls)
	}
	if one.Waited != [3]int64{} {
		t.Errorf("%v requests waited for timeouts, want none: they are turned away at once", one.Waited)
	}
	tried := one.Calls.Sent - one.Calls.Answered - one.Calls.Open
	if tried < 2*one.Failed[causeQueueFull] {
		t.Errorf("%d requests failed after %d attempts that were turned away, want two for each", one.Failed[causeQueueFull], tried)
	}
	// Each attempt that was served found a free thread, so none of them waited.
	if most := one.Tiers[PS].Latency.Quantile(1); most > 1_010_000 {
		t.Errorf("an attempt took %d ns at the server, want the work of 1 ms", most)
	}
}

// Goal: a second call that is turned away changes nothing for the first one. Method: one container with one thread and
// no queue, work of 100 ms, a request a second, and a second call after 10 ms: it is refused each time.
func TestASecondCallThatIsTurnedAway(t *testing.T) {
	_, p, _, err := plan.Parse("plan.yaml", []byte(`apiVersion: capacity/v1
model: {size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 1s, fetch_ps_retry: 2}
fleet: {entry: {replicas: 1, cpu: 1, mem: 16GiB}, ps: {replicas: 1, cpu: 1, mem: 16GiB}}
network: {same_cluster: 0s, overhead_per_rpc: 0us}
service: {entry: {cpu: 1us}, ps: {cpu: 100ms, queue: 0}}
client: {hedge: {after: 10ms}}
workload: {rate: 1/s, arrivals: {process: deterministic}, horizon: 100s}
`))
	if err != nil {
		t.Fatal(err)
	}
	one, err := Compile(p, Condition{}).Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if one.Completed != one.Arrived || one.Calls.Hedged < one.Arrived || one.Calls.Sent != 2*one.Calls.Hedged || !one.Conserved {
		t.Errorf("%d of %d answered, calls %+v, conserved %v", one.Completed, one.Arrived, one.Calls, one.Conserved)
	}
	near(t, "mean latency in ms", float64(one.SumNs)/1e6/float64(one.Completed), 100, 1e-3)
}
