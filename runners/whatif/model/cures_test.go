package model

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// total runs a spec several times and merges the samples.
func total(t *testing.T, s *Spec, runs int) *Sample {
	t.Helper()
	var sum *Sample
	for k := range runs {
		one, err := s.Run(0, k)
		if err != nil {
			t.Fatal(err)
		}
		if !one.Conserved || !one.Fits() || one.Little > 1e9 {
			t.Fatalf("run %d: conserved %v, fits %v, Little %d: %+v", k, one.Conserved, one.Fits(), one.Little, one.Calls)
		}
		if sum == nil {
			sum = one
			continue
		}
		sum.Add(one)
	}
	return sum
}

// near fails the test if got differs from want by more than this part of want: 0.1 means 10 %.
func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if math.Abs(got/want-1) > part {
		t.Errorf("%s: got %.5g, want %.5g within %.0f %%", what, got, want, part*100)
	}
}

// Goal: a server that skips late calls behaves as the queue M/M/1+D, whose customers give up
// after a fixed wait. Method: its closed form, below, near and above capacity. Up to the
// deadline, the wait that a call finds has the density P0 lambda exp(-(mu-lambda) x). Beyond
// it no work arrives any more, so the density falls with mu.
func TestLateCallsAreSkippedAsInMM1D(t *testing.T) {
	const deadline = 3.0 // milliseconds; the mean work is 1 ms
	for _, lambda := range []float64{0.7, 0.98, 1.6} {
		s := fan(1, 1, lambda, 60)
		s.Tiers[PS].Threads, s.Tiers[PS].Cores, s.Tiers[PS].SkipLate = 1, 1, true
		s.Timeout = deadline * 1e6
		one := total(t, s, 3)
		fall := math.Exp(-(1 - lambda) * deadline)
		p0 := 1 / (1 + lambda*(1-fall)/(1-lambda) + lambda*fall)
		skipped := p0 * lambda * fall
		near(t, "skipped", float64(one.Calls.Skipped)/float64(one.Calls.Sent), skipped, 0.04)
		near(t, "not answered in time", float64(one.Failed[causeTimeout])/float64(one.Arrived), skipped+p0*fall, 0.03)
		near(t, "busy", float64(one.Tiers[PS].BusyNs)/float64(one.Tiers[PS].CoreNs), lambda*(1-skipped), 0.03)
	}
}

// Goal: a batch is started if at least one of its calls has time left, as in TensorFlow
// Serving. With batches of one call, the queue is the same as without batches.
func TestABatchOfLateCallsIsSkipped(t *testing.T) {
	s := queue(1, 2, 20)
	s.Tiers[Entry].Law = law.Law{}
	s.Tiers[Dense] = Tier{Replicas: []int{1}, Cores: 1, Law: law.Affinely(1e6, 0), SkipLate: true, Batch: &Batch{Processes: 1, Threads: 1, MaxItems: 1, MaxQueued: 1e6}}
	s.Timeout = 10e6
	one := total(t, s, 1)
	// At twice the capacity, half of the calls are started, and these wait almost until the
	// deadline.
	near(t, "skipped", float64(one.Calls.Skipped)/float64(one.Calls.Sent), 0.5, 0.03)
	s.Tiers[Dense].Batch.MaxItems = 4
	if one = total(t, s, 1); one.Calls.Skipped > one.Calls.Sent/20 {
		t.Errorf("%d of %d calls skipped, want nearly none: batches of four have room for all", one.Calls.Skipped, one.Calls.Sent)
	}
}

// halfDead returns a spec with a shard of two containers, one of which is dead but still
// called.
func halfDead() *Spec {
	s := fan(1, 2, 0.2, 100)
	s.Tiers[PS].Law = law.Constant(1e6)
	s.Control.Dead = []Which{{Tier: PS, Number: 0}}
	s.Timeout, s.Retries = 10e6, 2
	return s
}

// Goal: retries wait as their backoff says. Method: the mean and the largest latency of
// requests whose attempts fail with probability one half. The first retry waits 4 ms and the
// second 10 ms (the limit, not 12), each up to half as long again.
func TestRetriesWaitAsTheirBackoffSays(t *testing.T) {
	s := halfDead()
	s.Backoff = Backoff{Base: 4e6, Factor: 3, Most: 10e6, Jitter: 0.5}
	one := total(t, s, 1)
	mean := (0.5*1 + 0.25*(1+10+4) + 0.125*(1+20+4+10)) / 0.875
	near(t, "mean latency in ms", float64(one.SumNs)/float64(one.Completed)/1e6, mean, 0.03)
	near(t, "share that fails", float64(one.Failed[causeTimeout])/float64(one.Arrived), 0.125, 0.06)
	if most := float64(one.Latency.Quantile(1)) / 1e6; most > 42.1 || most < 40 {
		t.Errorf("the longest took %.2f ms, want nearly 1 + 20 + 1.5 x 14", most)
	}
}

// Goal: a budget limits retries exactly to its share of the calls. Method: half of the
// attempts fail, so that each call wants 0.5 + 0.25 retries.
func TestABudgetBoundsRetries(t *testing.T) {
	for _, c := range []struct{ share, sent, failed float64 }{
		{0.1, 1.1, 0.45}, // 0.1 of the calls have a retry, and half of these succeed
		{5, 1.75, 0.125}, // the budget has more retries than the calls want
	} {
		s := halfDead()
		s.Budget = Budget{Share: c.share, Burst: 10}
		one := total(t, s, 1)
		near(t, "attempts for each call", float64(one.Calls.Sent)/float64(one.Requests), c.sent, 0.01)
		near(t, "share that fails", float64(one.Failed[causeTimeout])/float64(one.Arrived), c.failed, 0.05)
	}
}

// Goal: a breaker lets only one call per open time through to a dead container. Method:
// renewal theory. A probe is sent once the open time has passed and a call chooses that
// container, and it fails at its timeout.
func TestABreakerLetsOneCallInATimeThrough(t *testing.T) {
	for _, c := range []struct {
		replicas int
		wait     float64 // mean number of seconds until a call chooses the dead container
	}{{1, 0.001}, {2, 0.002}} {
		s := halfDead()
		s.Tiers[PS].Replicas[0] = c.replicas
		s.Arrivals.Rate.Points[0].Rate = 1000
		s.Retries, s.Breaker = 0, Breaker{Failures: 5, OpenNs: 100e6}
		one := total(t, s, 1)
		near(t, "probes a second", float64(one.Failed[causeTimeout])/100, 1/(0.1+c.wait+0.01), 0.02)
		if refused := float64(one.Failed[causeNoReplica]) / float64(one.Arrived); c.replicas == 2 && refused > 0 || c.replicas == 1 && refused < 0.98 {
			t.Errorf("%d replicas: %.3f of the requests find no replica", c.replicas, refused)
		}
	}
}

// Goal: a breaker that opened during a burst closes with the first answer after the burst.
func TestABreakerCloses(t *testing.T) {
	s := fan(1, 1, 0.1, 10)
	s.Tiers[PS].Threads, s.Tiers[PS].Cores, s.Tiers[PS].Queue, s.Tiers[PS].Law = 1, 1, 0, law.Constant(1e6)
	s.Arrivals.Process = "deterministic"
	s.Arrivals.Traffic = []Traffic{{From: 2e9, To: 2.5e9, Factor: 50}}
	s.Timeout, s.Breaker = 10e6, Breaker{Failures: 3, OpenNs: 200e6}
	one := total(t, s, 1)
	if one.Failed[causeQueueFull] == 0 || one.Failed[causeNoReplica] < 1500 {
		t.Errorf("failed %v, want the breaker to be open for most of the burst", one.Failed)
	}
	for k, n := range one.BinFailed {
		if at := float64(k) / Bins * 10; n > 0 && (at < 1.9 || at > 2.7) {
			t.Errorf("%d requests failed from %.2f s on, want none outside of the burst and 200 ms after it", n, at)
		}
	}
}

// restarted is a plan whose only PS container is dead from 1 s on, and still called. Its only
// entry container dies, too, and a new process takes its place.
const restarted = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 10ms, fetch_ps_retry: 2}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 16GiB}
  ps: {replicas: 1, cpu: 1, mem: 32GiB}
  boot: {load_fixed: 0ms}
service: {entry: {cpu: 0.01ms}, ps: {cpu: 1ms}}
client: {CURE}
workload: {rate: 20/s, horizon: 6s, arrivals: {process: deterministic}}
events:
  - {at: 1s, kill: {ps: {count: 1}}, restart_after: 1h}
  - {at: 3010ms, kill: {entry: {count: 1}}, restart_after: 1ms}
`

// Goal: an entry process that starts has a full budget and closed breakers, as it has seen
// nothing. Method: exact counts of a fleet in which every call fails, with a call at a time.
func TestACallerThatStartsKnowsNothing(t *testing.T) {
	for cure, want := range map[string]struct{ retries, timedOut int64 }{ //lint:order each by itself
		"retry_budget: {share: 0%, burst: 10}":                                  {2 * 10, 0},
		"retry_budget: {share: 0%, burst: 3}":                                   {2 * 3, 0},
		"retry_budget: {share: 0%, burst: 3}, breaker: {failures: 7, open: 1h}": {2 * 3, 2 * 7},
	} {
		_, p, _, err := plan.Parse("plan.yaml", []byte(strings.Replace(restarted, "CURE", cure, 1)))
		if err != nil {
			t.Fatal(err)
		}
		one := total(t, Compile(p, Condition{}), 1)
		first := one.Requests - 1 // the last request came after the window, and the simulation ended before it called
		if got := one.Calls.Sent - first; got != want.retries {
			t.Errorf("%s: %d retries, want %d", cure, got, want.retries)
		}
		if want.timedOut > 0 && one.Calls.TimedOut != want.timedOut {
			t.Errorf("%s: %d calls timed out, want %d", cure, one.Calls.TimedOut, want.timedOut)
		}
	}
}

// Goal: a caller that hedges after a quantile has seen no latencies when it starts.
func TestACallerThatStartsHasSeenNoLatencies(t *testing.T) {
	w := newWorld(hedged(1), 1, 0, 0, 1e9)
	defer w.clock.Close()
	for range 100 {
		w.trackers[1].observe(0.95, 1e6)
	}
	w.apply(change{what: goesDown, server: 1})
	if w.apply(change{what: comesUp, server: 1}); w.trackers[1].total != 0 {
		t.Error("a process that starts remembers")
	}
}

// Goal: a budget allows exactly burst retries for each caller and share for each call, also
// where there are few calls. Method: every call fails and wants two retries. Until the first one
// has failed the bucket is full, so that what these calls put in runs over.
func TestABudgetOfFewCalls(t *testing.T) {
	for _, share := range []float64{0, 0.1, 0.2, 0.5} {
		for _, rate := range []float64{0.005, 0.05} { // at the first rate calls do not overlap, at the second they do
			s := fan(1, 1, rate, 16)
			s.Arrivals.Process = "deterministic"
			s.Control.Dead = []Which{{Tier: PS, Number: 0}}
			s.Timeout, s.Retries = 30e6, 2
			s.Budget = Budget{Share: share, Burst: 10}
			one := total(t, s, 1)
			calls := float64(one.Requests)
			over := math.Ceil(30 * rate) // number of calls that are sent before one of them has failed
			most, got := 10+share*(calls-over), float64(one.Calls.Sent)-calls
			if got > most || got < most-2*(1+share) {
				t.Errorf("share %g, %g calls: %g retries, want %g or up to two fewer", share, calls, got, most)
			}
		}
	}
}
