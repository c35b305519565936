package judge_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/result"
)

// rush is a plan at half the capacity of two PS containers, with three times that rate for 4
// s.
const rush = `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 2, num_shard: 2, fetch_ps_timeout: 20ms}
fleet:
  entry: {replicas: 2, cpu: 8, mem: 8GiB}
  ps: {replicas: 2, cpu: 1, mem: 8GiB}
service:
  entry: {cpu: 0.1ms}
  ps: {cpu: "exp(mean=1ms)"}
client: {abandon: continue}
workload: {rate: 1k/s, horizon: 60s, detail: {windows: ["each incident -2s..+18s"]}}
events:
  - {at: 20s, name: rush, traffic: {factor: 3x}, for: 4s}
`

// Goal: a metastable state, which outlives its cause, is distinguished from a mere rush.
// Method: a rush after which queues are longer than the timeout. Each call then has three
// attempts, which wait behind abandoned ones, and that exceeds the capacity. Without
// retries, or if abandoned calls are withdrawn, the queues empty.
func TestAMetastableStateOutlivesItsCause(t *testing.T) {
	long(t)
	for _, c := range []struct {
		name, old, new string
		state          string
	}{
		{"retries", "", "", "METASTABLE"},
		{"no retries", "fetch_ps_timeout: 20ms", "fetch_ps_timeout: 20ms, fetch_ps_retry: 0", "OVERLOADED"},
		{"calls are withdrawn", "continue", "cancel", "OVERLOADED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := run(t, strings.Replace(rush, c.old, c.new, 1)).Saturation
			if s.State != c.state {
				t.Fatalf("got %+v, want %s", s, c.state)
			}
			if c.state != "METASTABLE" {
				if s.LastedNs != 0 {
					t.Errorf("lasted %d ns", s.LastedNs)
				}
				return
			}
			// The load falls 6 s after the window's start. The window's bins are half a second
			// long.
			if s.LastedNs < 13e9 || s.LastedNs > 14e9 || s.Recovered || s.Window != "incident rush" {
				t.Errorf("got %+v, want 14 s to the end of the window", s)
			}
		})
	}
}

// Goal: if additional containers end a metastable state, its duration is reported.
func TestAMetastableStateThatEndsIsTimed(t *testing.T) {
	long(t)
	s := run(t, rush+"  - {at: 29s, scale: {ps: 8}}\n").Saturation
	if s.State != "METASTABLE" || !s.Recovered || s.LastedNs < 4e9 || s.LastedNs > 12e9 {
		t.Errorf("got %+v, want METASTABLE from 24 s on, for 5 s and what the new containers take", s)
	}
}

const closedLoop = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 2, num_shard: 2, fetch_ps_timeout: 10s}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB}
  ps: {replicas: 1, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "exp(mean=1ms)"}
workload: {loop: "closed(clients=8, think=20ms)", horizon: 30s, detail: {windows: ["at 10s 10s"]}}
`

// Goal: a closed loop follows the response time law. With N clients, think time Z and
// throughput X, requests take N/X - Z on average, whatever the service times.
func TestAClosedLoopKeepsTheResponseTimeLaw(t *testing.T) {
	long(t)
	for _, think := range []string{"20ms", "exp(mean=20ms)", "0s"} {
		r := run(t, strings.Replace(closedLoop, "think=20ms", "think="+think, 1))
		mean, goodput := find(t, r, "mean(request)"), find(t, r, "goodput")
		z := 20e6
		if think == "0s" {
			z = 0
		}
		if want := 8/goodput*1e9 - z; math.Abs(mean-want) > 0.15e6 {
			t.Errorf("think %s: mean %.3f ms at %.1f/s, want %.3f ms", think, mean/1e6, goodput, want/1e6)
		}
		if !r.Windows[0].Stationary || r.Saturation.State != "STABLE" || r.Saturation.Utilisation <= 0 || r.Saturation.Utilisation > 1 {
			t.Errorf("think %s: stationary %v, %+v", think, r.Windows[0].Stationary, r.Saturation)
		}
		if !r.Saturation.Closed || r.Saturation.Held {
			t.Errorf("think %s: %+v, want that clients wait, and no thread is held", think, r.Saturation)
		}
		if r.Checks.InFlight != 0 {
			t.Errorf("think %s: %d requests are never answered", think, r.Checks.InFlight)
		}
	}
}

// holding is a plan whose entry has four threads, each of which a request holds for 1 ms of work,
// 20 ms of the PS and 0.36 ms on the way. The PS has threads and cores for all.
const holding = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 1GiB}}
override: {fetch_ps_timeout: 10s}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 1, cpu: 400, mem: 8GiB}
service:
  entry: {cpu: 1ms, hold: true, threads: 4}
  ps: {cpu: 20ms}
workload: {rate: RATE, horizon: 60s, detail: {windows: ["at 10s 20s"]}}
`

// Goal: headroom is that of the threads of the entry, where requests hold these while the PS works
// and are full before its cores are. Method: Little's law, below and above what the threads bear.
func TestThreadsThatAreHeldBind(t *testing.T) {
	long(t)
	for rate, state := range map[string]string{"200/s": "STABLE", "300/s": "STABLE", "500/s": "BACKLOGGED"} { //lint:order each by itself
		s := run(t, strings.Replace(holding, "RATE", rate, 1)).Saturation
		var of float64
		fmt.Sscan(rate, &of)
		if want := of * 0.02136 / 8; s.State != state || !s.Held || s.Tier != "entry" || math.Abs(s.Utilisation/want-1) > 0.03 {
			t.Errorf("%s: got %+v, want %s, entry with %.3f of its threads", rate, s, state, want)
		}
	}
}

// Goal: a closed loop is reported both as measured and corrected for coordinated omission.
// Method: a server is a thousand times slower for a tenth of a second. Waiting clients send
// fewer requests, so p95 does not show the slowness. It does with the requests that they
// would have sent.
func TestAClosedLoopIsCorrectedForWhatItDoesNotAsk(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for a minute under the race detector")
	}
	plain := run(t, closedLoop)
	if a, b := find(t, plain, "p99(request)"), find(t, plain, "p99(corrected)"); math.Abs(a/b-1) > 1e-3 {
		t.Errorf("without a stall: p99 %.3f ms, corrected %.3f ms, want the same", a/1e6, b/1e6)
	}
	stalled := run(t, closedLoop+"events: [{at: 12s, slow: {ps: {count: 1, factor: 1000x}}, for: 100ms}]\n")
	p95, corrected := find(t, stalled, "p95(request)"), find(t, stalled, "p95(corrected)")
	if p95 > 10e6 || corrected < 300e6 {
		t.Errorf("with a stall: p95 %.1f ms, corrected %.1f ms, want less than 10 and more than 300", p95/1e6, corrected/1e6)
	}
}

func find(t *testing.T, r *result.Result, metric string) float64 {
	t.Helper()
	e := r.Find(metric, "")
	if e == nil || e.Value == nil {
		t.Fatalf("no estimate of %s", metric)
	}
	return *e.Value
}

// steady is a plan at half the capacity of two PS containers, with a very long timeout.
const steady = `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 2, num_shard: 2, fetch_ps_timeout: 60s}
fleet:
  entry: {replicas: 2, cpu: 8, mem: 8GiB}
  ps: {replicas: 2, cpu: 1, mem: 8GiB}
service:
  entry: {cpu: 0.1ms}
  ps: {cpu: "exp(mean=1ms)"}
workload: {rate: 1k/s, horizon: 20s}
`

// Goal: a backlog is distinguished from noise. Method: a fleet at half load with many seeds,
// some of which look non-stationary by chance. In another fleet PS become three times
// slower, so that requests wait longer and longer although none fails.
func TestABacklogIsToldFromNoise(t *testing.T) {
	long(t)
	odd := 0
	for seed := range 12 {
		r := run(t, steady+fmt.Sprintf("seed: %d\n", seed+1))
		if r.Saturation.State != "STABLE" {
			t.Errorf("seed %d: got %+v, want STABLE", seed+1, r.Saturation)
		}
		if !r.Windows[0].Stationary {
			odd++
		}
	}
	if odd == 0 {
		t.Error("found no seed that looks as if it were not stationary: the test tries nothing")
	}
	slow := strings.Replace(steady, "horizon: 20s", "horizon: 1m, detail: {windows: [at 3s 10s]}", 1)
	r := run(t, slow+"events: [{at: 1s, slow: {ps: {count: 2, factor: 3x}}, for: 59s}]\n")
	if r.Saturation.State != "BACKLOGGED" {
		t.Errorf("slow PS: got %+v, want BACKLOGGED", r.Saturation)
	}
}

// Goal: a change that makes requests slower is no backlog, and one that makes them wait longer and
// longer is. Method: of four PS containers at 40 % two die in the middle of the window, and callers know
// at once, so that the others have 80 %; or three, whose one is left with 160 %.
func TestAStepIsNoBacklog(t *testing.T) {
	long(t)
	for count, want := range map[int]string{2: "STABLE", 3: "BACKLOGGED"} { //lint:order each by itself
		r := run(t, strings.NewReplacer("num_ps: 2, num_shard: 2", "num_ps: 1, num_shard: 1, fetch_ps_retry: 0", "ps: {replicas: 2,", "ps: {replicas: 4,", "rate: 1k/s", "rate: 1600/s").Replace(steady)+
			fmt.Sprintf("events: [{at: 10s, scale: {ps: %d}}]\n", 4-count))
		if s := r.Saturation; s.State != want || math.Abs(s.Utilisation-1.6/float64(4-count)) > 1e-3 {
			t.Errorf("%d of 4 gone: got %+v, want %s", count, s, want)
		}
		if w := r.Windows[0]; count == 2 && w.Stationary {
			t.Error("the window looks stationary: the test tries nothing")
		}
	}
}

// Goal: waiting for a connection is reported separately from the network (CAP-4.2). Method:
// the same fleet with slow PS, to which each caller has a hundred connections. The wait for
// a connection is then far longer than the network time, which stays the same.
func TestTheWaitForAConnectionIsNoNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for a minute under the race detector")
	}
	parts := func(events string) map[string]float64 {
		means := map[string]float64{}
		for _, p := range run(t, steady+events).Breakdown {
			means[p.Name] = p.Mean
		}
		return means
	}
	fast, slow := parts(""), parts("events: [{at: 1s, slow: {ps: {count: 2, factor: 3x}}, for: 19s}]\n")
	if fast["connection wait"] != 0 || slow["connection wait"] < 1e9 {
		t.Errorf("connection wait: found %v ns, with slow PS %v ns; want none and more than a second", fast["connection wait"], slow["connection wait"])
	}
	if a, b := fast["network"], slow["network"]; a <= 0 || math.Abs(b/a-1) > 0.05 {
		t.Errorf("network: found %v ns, with slow PS %v ns, want the same", a, b)
	}
}

// headroom is a plan whose PS are busy half of the time.
const headroom = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 1, num_shard: 1, fetch_ps_timeout: 60s}
fleet:
  idcs: [{name: hl}, {name: lf}]
  entry: {replicas: 4, cpu: 8, mem: 8GiB}
  ps: {replicas: 4, cpu: 1, mem: 8GiB}
service:
  entry: {cpu: 0.1ms}
  ps: {cpu: "exp(mean=1ms)"}
workload: {rate: 2k/s, horizon: 20s, detail: {windows: [at 2s 2s]}}
`

// Goal: headroom is reported for the most restrictive state, and a fleet with an overfull
// container is not called stable. Method: fleets at half of their capacity whose fullest
// container is known.
func TestHeadroomIsThatOfTheStateThatBinds(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	for _, c := range []struct {
		name, more string
		full       float64
		state      string
		under      string
		event      string
	}{
		{"as written", "", 0.5, "STABLE", "", ""},
		{"one container lost", "solve: {minimise: containers, over: {ps.replicas: 4..5}, must_hold_under: [normal, any 1 ps]}\n", 2.0 / 3, "STABLE", "any 1 ps (shard 0: 1 in hl)", ""},
		{"an idc lost", "events: [{at: 10s, name: gone, lose_idc: lf}]\n", 1, "STABLE", "", "gone"},
		{"more of them, and more to do", "events: [{at: 1s, scale: {ps: 8}}, {at: 12s, name: rush, traffic: {factor: 3x}}]\n", 0.75, "STABLE", "", "rush"},
		{"a container five times as slow", "events: [{at: 10s, name: grey, slow: {ps: {count: 1, factor: 5x}}, for: 2s}]\n", 2.5, "OVERLOADED", "", "grey"},
		{"one that others go round", "client: {balance: least_loaded}\nevents: [{at: 10s, name: grey, slow: {ps: {count: 1, factor: 5x}}, for: 2s}]\n", 2 / 3.2, "STABLE", "", "grey"},
	} {
		s := run(t, headroom+c.more).Saturation
		if s.Tier != "ps" || math.Abs(s.Utilisation-c.full) > 1e-5 || s.State != c.state || s.Under != c.under || s.Event != c.event || (s.Since != nil) != (c.event != "") {
			t.Errorf("%s: got %+v, want %s at %g under %q from %q on", c.name, s, c.state, c.full, c.under, c.event)
		}
		if c.name != "as written" && math.Abs(s.Whole-0.5) > 1e-6 && c.event != "rush" {
			t.Errorf("%s: all of it at %g, want 0.5", c.name, s.Whole)
		}
	}
}

// Goal: the confidence interval of a share stays between 0 and 1. Method: an almost idle
// fleet in windows of a tenth of a second, whose values vary by more than their mean.
func TestNoIntervalIsBeyondWhatCanBe(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	r := run(t, strings.NewReplacer("rate: 2k/s", "rate: 20/s", "at 2s 2s", "at 2s 100ms", "min_replications: 20", "min_replications: 5", "max_replications: 20", "max_replications: 5").Replace(headroom))
	found := 0
	for _, e := range r.Estimates {
		if e.CI == nil {
			continue
		}
		found++
		if e.CI[0] < 0 || e.Unit == "fraction" && e.CI[1] > 1 || *e.Value < e.CI[0] || *e.Value > e.CI[1] {
			t.Errorf("%s: %g in [%g, %g]", e.Metric, *e.Value, e.CI[0], e.CI[1])
		}
		if strings.HasPrefix(e.Metric, "errors") && e.CI[1] == 0 {
			t.Errorf("%s: nothing is as sure as [0, 0]", e.Metric)
		}
	}
	if found < 10 {
		t.Errorf("found %d intervals only", found)
	}
}

// Goal: containers that die and restart while they work count as busy no longer than they
// live. Method: service times almost as long as the time between deaths, which would
// otherwise count twice.
func TestTheDeadAreNotBusy(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	for _, service := range []string{"service: {entry: {cpu: 0.1ms}, ps: {cpu: det(900ms)}}", "service: {entry: {cpu: det(900ms)}, ps: {cpu: 1ms}}", "service: {entry: {cpu: 0.1ms}, ps: {cpu: det(900ms), threads: 4}}"} {
		tier := "ps"
		if strings.Contains(service, "entry: {cpu: det") {
			tier = "entry"
		}
		text := strings.NewReplacer("service:\n  entry: {cpu: 0.1ms}\n  ps: {cpu: \"exp(mean=1ms)\"}", service, "rate: 2k/s", "rate: 20/s", "at 2s 2s", "at 2s 8s", "min_replications: 20", "min_replications: 5", "max_replications: 20", "max_replications: 5",
			"entry: {replicas: 4, cpu: 8", "entry: {replicas: 4, cpu: 1", "embeddings: 1GiB", "embeddings: 1MiB").Replace(headroom)
		text += "events:\n"
		for at := 3; at < 10; at++ {
			text += fmt.Sprintf("  - {at: %ds, kill: {%s: {count: 4}}, restart_after: 100ms}\n", at, tier)
		}
		r := run(t, text) // called for its check that no container is busy for more than 100 % of the time
		if got := find(t, r, "util_max("+tier+")"); got < 0.5 {
			t.Errorf("%s: busy %g: the test tries nothing", service, got)
		}
	}
}

// Goal: headroom and formulas are those of the PS that has most callers near it. Method: three PS in two idcs at 160/s,
// 10 ms each: the one of hl has half of the calls, 80 %, and so has each of lf without the other; M/G/1 at 80 %.
func TestHeadroomOfWhatIsNear(t *testing.T) {
	r := run(t, `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 10s, fetch_ps_retry: 0}
fleet:
  idcs: [{name: lf}, {name: hl}]
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 3, cpu: 1, mem: 8GiB}
client: {balance: idc_aware(random)}
service: {entry: {cpu: 0.1ms}, ps: {cpu: exp(10ms)}}
workload: {rate: 160/s, horizon: 20s}
`)
	if s := r.Saturation; math.Abs(s.Utilisation-0.8) > 1e-9 || math.Abs(s.Whole-0.8) > 1e-9 {
		t.Errorf("got %+v, want 80 %%", s)
	}
	for _, f := range r.Theory {
		switch {
		case f.Name == "utilisation of ps, its fullest place" && math.Abs(f.Theory-0.8) > 1e-9,
			strings.HasPrefix(f.Name, "W_q of ps") && math.Abs(f.Theory-40e6) > 1e3:
			t.Errorf("%s is %g, want 80 %% and 40 ms", f.Name, f.Theory)
		case f.Name == "utilisation of ps":
			t.Errorf("%s is %g, want that of its fullest place", f.Name, f.Theory)
		}
	}
}

// Goal: an objective on cost is judged by the fleet as it is scaled. Method: one entry container for a minute, then
// five for the next, at 1/h each beside a PS of 1/h: 4/h in the mean, 2/h at the begin.
func TestCostIsThatOfTheFleetAsItIsScaled(t *testing.T) {
	for limit, want := range map[string]string{"3.8/h": result.Fail, "4.2/h": result.Pass} { //lint:order each by itself
		r := run(t, `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {agent_version: 1, size: {embeddings: 1MB}, ram_factor: 1x}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {replicas: 1, cpu: 4, mem: 8GiB, cost: 1/h}
service: {entry: {cpu: 0.1ms}, ps: {cpu: 1ms}}
workload: {rate: 20/s, horizon: 2m, detail: {windows: [at 10s 1s]}}
events: [{at: 60s, scale: {entry: 5}}]
slo: [cost <= `+limit+`]
`)
		if v := r.Verdicts[0]; v.Outcome != want || !strings.Contains(v.Text, "as it is scaled") {
			t.Errorf("cost <= %s: got %+v, want %s", limit, v, want)
		}
	}
}

// Goal: a window in which a restart goes on that began before it is not stationary, one behind its end is. Method: eight
// PS that start anew one after the other from 10 s on, each in some four seconds.
func TestAWindowWithinARestartIsNotStationary(t *testing.T) {
	r := run(t, `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_retry: 0}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 8, cpu: 2, mem: 8GiB}
service: {entry: {cpu: 0.1ms}, ps: {cpu: exp(1ms)}}
workload: {rate: 200/s, horizon: 5m, detail: {windows: [at 20s 10s, at 4m 10s]}}
events: [{at: 10s, restart: {tier: ps, drain: 1s}}]
`)
	if r.Windows[0].Stationary || !r.Windows[1].Stationary {
		t.Errorf("stationary: %v within the restart, %v behind it", r.Windows[0].Stationary, r.Windows[1].Stationary)
	}
}

// Goal: calls that find no replica because breakers are open are no metastable state: they fail at once, and no queue is
// kept full. Method: one of two PS thirty times as slow for 20 s, with breakers that open for 30 s.
func TestOpenBreakersAreNotMetastable(t *testing.T) {
	r := run(t, `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 30ms, fetch_ps_retry: 2}
client: {breaker: {failures: 3, open: 30s}}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 2, cpu: 1, mem: 8GiB}
service: {entry: {cpu: 0.1ms}, ps: {cpu: 2ms}}
workload: {rate: 400/s, horizon: 60s}
events: [{at: 20s, slow: {ps: {count: 1, factor: 30x}}, for: 20s}]
`)
	failed := 0.0
	for _, c := range r.Errors {
		if c.Name == "no_replica" {
			failed = c.Fraction
		}
	}
	if s := r.Saturation; s.State == "METASTABLE" || s.LastedNs != 0 || failed < 0.1 {
		t.Errorf("got %+v with %g that find no replica, want no METASTABLE", s, failed)
	}
}
