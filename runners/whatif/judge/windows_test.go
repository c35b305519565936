package judge_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/report"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Goal: in a report of several windows each line names its window. Objectives that concern
// no window are judged once. The utilization at the peak is compared only with a window that
// is at the peak. Method: an event that kills all containers of a tier, so that every
// request fails, and an earlier window at half the peak or at the peak.
func TestAReportOfSeveralWindowsSaysOfWhich(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for a minute under the race detector")
	}
	for _, c := range []struct {
		before string
		peak   bool
	}{{"850/s", false}, {"1700/s", true}} {
		text := strings.NewReplacer(
			"rate: 1700/s", "rate: {step: {before: "+c.before+", after: 1700/s, at: 9s}}",
			`["at 5s 500ms"]`, `["at 2s 200ms", "each incident -0s..+200ms"]`).Replace(small) +
			"events: [{at: 5s, kill: {ps: {count: 4}, refuse: true}, note: all ps die}]\nslo: [errors <= 1%, mem.ps.peak <= 95%, zk.utilisation <= 50%]\n"
		r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string][]string{}
		for _, v := range r.Verdicts {
			of[v.Metric] = append(of[v.Metric], v.Scope.Window)
		}
		if len(of["errors"]) != 2 || len(of["mem.ps.peak"]) != 1 || of["mem.ps.peak"][0] != "" || len(of["zk.utilisation"]) != 1 {
			t.Errorf("verdicts of windows %q, want two of errors and one each of memory and of ZooKeeper", of)
		}
		if r.BreakdownOf != "at 2s 200ms" || r.ErrorsOf != "incident all ps die" {
			t.Errorf("the parts are of %q, the errors of %q", r.BreakdownOf, r.ErrorsOf)
		}
		for _, f := range r.Theory {
			if f.Metric == "util(ps)" && (f.Sim != nil) != c.peak {
				t.Errorf("at %s before the event: %+v; want what is simulated beside it: %v", c.before, f, c.peak)
			}
		}
		var b strings.Builder
		if err := report.Text(&b, r, ""); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"in the mean, window at 2s 200ms (ps", ", window incident all ps die\n", "100 % fail: none is answered, there is no p99"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("the report says nothing of %q:\n%s", want, b.String())
			}
		}
	}
}

// crowd is a plan with one core, on which each request takes 10 ms. 90 requests arrive per
// second, and twice as many during five minutes.
const crowd = `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 1, num_shard: 1}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB}
  ps: {replicas: 1, cpu: 8, mem: 8GiB}
service:
  entry: {cpu: det(10ms), threads: 1}
  ps: {cpu: 1us}
workload: {rate: 90/s, horizon: 10m, detail: {windows: [WINDOW]}}
events: [{at: 1m, name: crowd, traffic: {factor: 2x}, for: 5m}EVENT]
slo: [p90(request) <= 200s, errors <= 1%]
`

// Goal: a window starts with the queue that built up before it (CAP-3.18), in whatever form
// the window is written. Method: a fluid computed by hand. From minute 1 to minute 6, 80
// more requests a second arrive than can be served, so 24,000 wait, for 240 s. In the ten
// seconds afterwards, the wait falls by one second.
func TestAWindowBeginsWithTheQueueOfWhatWasBefore(t *testing.T) {
	long(t)
	for _, c := range []struct{ window, event, name string }{
		{"at 6m 10s", "", "at 6m 10s"},
		{"at 370s 10s", "", "at 370s 10s"},
		{"each incident -0s..+10s", ", {at: 6m, name: nothing, traffic: {factor: 1x}, for: 1s}", "incident nothing"},
	} {
		r, err := (&judge.Judge{}).Run(t.Context(), parse(t, strings.NewReplacer("WINDOW", c.window, "EVENT", c.event).Replace(crowd)), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := 239.5e9
		if c.name == "at 370s 10s" {
			want = 238.5e9
		}
		e := r.Find("mean(request)", c.name)
		if e == nil || e.Value == nil || math.Abs(*e.Value/want-1) > 0.02 {
			t.Errorf("%s: mean %+v, want %g s", c.window, e, want/1e9)
		}
		for _, v := range r.Verdicts {
			if v.Metric == "p90(request)" && v.Scope.Window == c.name && v.Outcome != result.Fail {
				t.Errorf("%s: %+v, want it to fail", c.window, v)
			}
		}
	}
}

// storm is a plan whose retries keep the fleet overloaded after it has once been overloaded.
const storm = `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {size: {embeddings: 4GiB}}
override: {num_ps: 4, num_shard: 4, fetch_ps_timeout: 50ms, fetch_ps_retry: 2}
fleet:
  entry: {replicas: 2, cpu: 8, mem: 8GiB}
  ps: {replicas: 3, cpu: CPU, mem: 8GiB}
service:
  entry: {cpu: 0.1ms}
  ps: {cpu: "exp(mean=5ms)"}
workload: {rate: RATE, horizon: 5m, detail: {windows: [WINDOW]}}
events: [{at: 1m, name: rush, traffic: {factor: 2x}, for: 30s}]
slo: [errors <= 1%]
`

// Goal: a metastable state is recognized in every window during it. Method: a rush of half a
// minute, after which three attempts of each call keep the PS full. The windows start during
// the rush, after it and long after it.
func TestAMetastableStateIsSeenFromEachWindow(t *testing.T) {
	long(t)
	for _, window := range []string{"at 1m 40s", "at 3m 20s", "at 4m 5s"} {
		text := strings.NewReplacer("WINDOW", window, "RATE", "400/s", "CPU", "1").Replace(storm)
		if window == "at 3m 20s" { // with the load and the cores with which the fault was found
			text = strings.NewReplacer("WINDOW", window, "RATE", "1600/s", "CPU", "4").Replace(storm)
		}
		r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
		if err != nil {
			t.Fatal(err)
		}
		e := r.Find("errors", window)
		if window != "at 1m 40s" && (e == nil || e.Value == nil || *e.Value < 0.97) || r.Exit != result.ExitMissed || r.Saturation.State != "METASTABLE" {
			t.Errorf("%s: errors %+v, exit %d, %+v, want nearly all to fail and METASTABLE", window, e, r.Exit, r.Saturation)
		}
	}
}

// Goal: a window that the budget does not suffice to reach is refused with the reason, and
// the other windows have results. Method: the plan storm, with a budget that ends before the
// rush.
func TestAWindowBeyondTheBudgetIsRefused(t *testing.T) {
	text := strings.NewReplacer("WINDOW", `"at 30s 2s", "at 3m 20s"`, "RATE", "1600/s", "CPU", "4", "max_replications: 5", "max_replications: 5, requests: 50k").Replace(storm)
	r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Exit != result.ExitUndecided {
		t.Errorf("exit %d, want %d", r.Exit, result.ExitUndecided)
	}
	for _, v := range r.Verdicts {
		switch v.Scope.Window {
		case "at 30s 2s":
			if v.Outcome != result.Pass {
				t.Errorf("%+v, want what is before the rush answered", v)
			}
		case "at 3m 20s":
			if v.Outcome != result.Undecided || !strings.Contains(v.Text, "above budget.requests 50k") {
				t.Errorf("%+v, want it undecided for the budget", v)
			}
		}
	}
	if e := r.Find("errors", "at 3m 20s"); e != nil {
		t.Errorf("%+v, want no figure of a window that is refused", e)
	}
	var b strings.Builder
	if err := report.Text(&b, r, ""); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "at 3m 20s, not simulated: what it begins with hangs on all since") {
		t.Errorf("the report says nothing of it:\n%s", b.String())
	}
}

// shared is a plan with one core that all requests share, at nine tenths of its capacity.
const shared = `apiVersion: capacity/v1
precision: {confidence: 99.9%}
budget: {min_replications: 100, max_replications: 100}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 1, num_shard: 1, fetch_ps_timeout: 100s, fetch_ps_retry: 0}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB}
  ps: {replicas: 1, cpu: 8, mem: 8GiB}
service:
  entry: {cpu: "exp(mean=100ms)", threads: 100000}
  ps: {cpu: 1us}
network: {same_cluster: 0ms, overhead_per_rpc: 0us}
workload: {rate: 9/s, horizon: 10m, detail: {windows: [WINDOW]}}
`

// filled is a plan with batches of a hundred that always fill up, ten times within a batch
// timeout.
const filled = `apiVersion: capacity/v1
precision: {confidence: 99.9%}
budget: {min_replications: 40, max_replications: 40}
model: {size: {embeddings: 1GiB, dense: 1GiB}}
override:
  num_ps: 1
  num_shard: 1
  fetch_ps_timeout: 100s
  fetch_ps_retry: 0
  dense_service_num: 1
  batching: {enabled: true, max_batch_size: 100, batch_timeout: 10s, num_batch_threads: 4}
fleet:
  entry: {replicas: 1, cpu: 8, mem: 8GiB}
  ps: {replicas: 1, cpu: 8, mem: 8GiB}
  dense: {replicas: 1, cpu: 8, mem: 8GiB}
service:
  entry: {cpu: 1us}
  ps: {cpu: 1us}
  dense: {batch: "affine(base=20ms, per_item=0us)"}
network: {same_cluster: 0ms, overhead_per_rpc: 0us}
workload: {rate: 100/s, horizon: 10m, detail: {windows: [WINDOW]}}
`

// Goal: the latency in a window does not depend on where the window starts and ends, because
// load continues after it and the fleet is warm before it. Method: processor sharing, with a
// mean of 1 s (CAP-7.1), and batches that always fill, with a mean wait of (b-1)/(2 lambda)
// plus the batch's time. The windows last 5, 10 and 60 s, at the start of the horizon and
// later.
func TestEdgesOfWindowsAddNothing(t *testing.T) {
	long(t)
	for _, c := range []struct {
		name, plan string
		want       float64
	}{{"processor sharing", shared, 1e9}, {"batches", filled, 99.0/200*1e9 + 20e6 + 2e3}} {
		for _, window := range []string{"at 0s 5s", "at 100s 5s", "at 100s 10s", "at 100s 60s"} {
			r, err := (&judge.Judge{}).Run(t.Context(), parse(t, strings.Replace(c.plan, "WINDOW", window, 1)), nil)
			if err != nil {
				t.Fatal(err)
			}
			e := r.Find("mean(request)", window)
			if e == nil || e.Value == nil || e.CI[0] > c.want || e.CI[1] < c.want {
				t.Errorf("%s, %s: %+v, want %g ms inside", c.name, window, e, c.want/1e6)
			}
			if !r.Windows[0].Stationary && r.Windows[0].Unsettled != "" {
				t.Errorf("%s, %s: %s", c.name, window, r.Windows[0].Unsettled)
			}
		}
	}
}

// Goal: a mean is that of all requests, also where more come to replications in which all take longer,
// and its interval covers the truth. Method: ten requests at once, and a window that is short beside
// their work, so that a replication has none, ten, or many. The truth is the closed form of M^X/M/1
// (CAP-7.1), rho/(mu (1-rho)) + (X-1)/(2 mu (1-rho)) + 1/mu; the mean of the replications' means is a
// seventh less.
func TestAMeanIsThatOfAllRequests(t *testing.T) {
	const text = `apiVersion: capacity/v1
seed: SEED
budget: {min_replications: 300, max_replications: 300}
model: {agent_version: 1, size: {embeddings: 1GiB}}
override: {num_ps: 1, num_shard: 1, fetch_ps_timeout: 1000s}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB}
  ps: {replicas: 1, cpu: 8, mem: 8GiB}
network: {same_cluster: 0ms, same_idc: 0ms, overhead_per_rpc: 0us}
service:
  entry: {cpu: "exp(50ms)"}
  ps: {cpu: 1ns}
workload: {rate: 12/s, arrivals: {batch: det(10)}, horizon: 70s, detail: {windows: [at 60s 2s]}}
`
	const rho, mu = 0.6, 20.0
	truth := (rho/(mu*(1-rho)) + 9/(2*mu*(1-rho)) + 1/mu) * 1e9
	inside, low := 0, 0
	const seeds = 4
	for seed := range seeds {
		r, err := (&judge.Judge{}).Run(t.Context(), parse(t, strings.Replace(text, "SEED", strconv.Itoa(seed+1), 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		mean := r.Find("mean(request)", "")
		if mean == nil || mean.Value == nil {
			t.Fatalf("got %+v, want a mean", mean)
		}
		if mean.CI[0] <= truth && truth <= mean.CI[1] {
			inside++
		}
		if *mean.Value < truth {
			low++
		}
		if half := (mean.CI[1] - mean.CI[0]) / 2; half > truth/6 {
			t.Errorf("seed %d: got %.0f +- %.0f ms, want a half-width of a sixth at most", seed+1, *mean.Value/1e6, half/1e6)
		}
	}
	if inside < seeds-1 || low == seeds {
		t.Errorf("got %d of %d intervals around %.1f ms, and %d below it", inside, seeds, truth/1e6, low)
	}
}

// Goal: a window in which something changes isn't told as stationary, even if latencies stay level. Method: windows before,
// around and behind the begin and the end of events that change nothing or little, and of another rate.
func TestWhatChangesIsNotStationary(t *testing.T) {
	for _, c := range []struct {
		window, events, rate string
		want                 bool
	}{
		{"at 40s 20s", "[{at: 20s, partition: {between: [a, b]}, for: 5s}]", "50/s", true}, // behind it
		{"at 18s 20s", "[{at: 20s, partition: {between: [a, b]}, for: 5s}]", "50/s", false},
		{"at 22s 20s", "[{at: 20s, partition: {between: [a, b]}, for: 5s}]", "50/s", false}, // it ends
		{"at 0s 15s", "[{at: 20s, partition: {between: [a, b]}, for: 5s}]", "50/s", true},
		{"all", "[{at: 20s, slow: {ps: {count: 1, factor: 1.0001x}}}]", "50/s", false},
		{"each incident -10s..+10s", "[{at: 20s, evacuate: {idc: a, after: 5s}}]", "50/s", false},
		{"at 22s 8s", "[{at: 20s, evacuate: {idc: a, after: 5s}}]", "50/s", false},
		{"at 25s 10s", "[{at: 20s, kill: {ps: {count: 1}}, restart_after: 30s}]", "50/s", false}, // its session expires
		{"at 45s 10s", "[{at: 20s, kill: {ps: {count: 1}}, restart_after: 30s}]", "50/s", false}, // it is back
		{"all", "[]", "{step: {before: 50/s, after: 51/s, at: 30s}}", false},
		{"all", "[]", "50/s", true},
	} {
		text := strings.NewReplacer("SEED", "1", "RATE", c.rate, "WORK", "det(1ms)", `"each incident -10s..+60s"`, `"`+c.window+`"`, "[{at: 30s, name: it, EVENT}]", c.events, "horizon: 120s", "horizon: 60s").Replace(two)
		if got := run(t, text).Windows[0].Stationary; got != c.want {
			t.Errorf("%s with %s at %s: stationary %v, want %v", c.window, c.events, c.rate, got, c.want)
		}
	}
}

// Goal: windows of events at one instant are simulated once, and say what each would say alone. Method: an idc that is
// lost, and evacuated at the same time, with an autoscaler, so that windows are simulated from the begin; beside the
// same with one of the two windows.
func TestEventsAtOneInstantShareTheirSimulation(t *testing.T) {
	text := strings.NewReplacer("SEED", "1", "RATE", "200/s", "WORK", "exp(mean=5ms)",
		"events: [{at: 30s, name: it, EVENT}]", `autoscale: {ps: {metric: cpu, target: 60%, min: 4, max: 8}}
events: [{at: 30s, name: lost, lose_idc: a, for: 20s}, {at: 30s, name: away, evacuate: {idc: a, after: 5s}, for: 20s}]`).Replace(two)
	simulated := func(text string) (int64, *result.Result) {
		j := &judge.Judge{}
		r, err := j.Run(t.Context(), parse(t, text), nil)
		if err != nil {
			t.Fatal(err)
		}
		n, _, _ := j.Simulated()
		return n, r
	}
	both, r := simulated(text)
	one, alone := simulated(strings.Replace(text, `"each incident -10s..+60s"`, `"at 20s 70s"`, 1))
	if both != one {
		t.Errorf("%d requests are simulated for two windows, want %d as for one", both, one)
	}
	for _, name := range []string{"incident lost", "incident away"} {
		for _, metric := range []string{"p99(request)", "errors", "goodput", "util(ps)"} {
			got, want := r.Find(metric, name), alone.Find(metric, "at 20s 70s")
			if got == nil || want == nil || *got.Value != *want.Value {
				t.Errorf("%s in %s: got %+v, want %+v", metric, name, got, want)
			}
		}
	}
	for _, event := range []string{"lost", "away"} {
		if e := r.Find("recovery("+event+")", "incident "+event); e == nil {
			t.Errorf("no recovery of %s", event)
		}
	}
}
