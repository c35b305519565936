package judge_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/result"
)

// refusing is a plan in which a shard's only PS container is away for two seconds. In that
// time its host refuses calls, so every request fails at once.
const refusing = `apiVersion: capacity/v1
seed: 3
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 300MB}, ram_factor: 1x}
override: {num_ps: 1, num_shard: 1, fetch_ps_retry: 0, fetch_ps_timeout: 100ms}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 1, cpu: 4, mem: 8GiB}
  boot: {model_load: 300MB/s, load_fixed: 0s}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 1ms}
zookeeper: {session_timeout: 4s, tick: 1s}
workload: {rate: 400/s, horizon: 60s, detail: {windows: ["each incident WINDOW"]}}
events: [{at: 30s, kill: {ps: {count: 1}, refuse: true}, restart_after: 1s, name: death}]
slo: [errors <= 5%, p99(request) <= 20ms, "lost(death) <= 1000", "above(death) <= 3s", "recovery(death) <= 3s"]
`

func incidentIn(t *testing.T, window string) *result.Result {
	t.Helper()
	return run(t, strings.Replace(refusing, "WINDOW", window, 1))
}

// Goal: the cost of an event does not depend on where its window ends. Method: containers
// that are away for a known time, with windows of several lengths. Exactly the requests of
// that time must be lost.
func TestTheCostOfAnEventDoesNotDependOnTheWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	errors := map[string]float64{}
	for _, window := range []string{"-2s..+8s", "-5s..+15s", "-5s..+25s"} {
		r := incidentIn(t, window)
		lost, above, recovery := r.Find("lost(death)", ""), r.Find("above(death)", ""), r.Find("recovery(death)", "")
		for _, c := range []struct {
			what              string
			e                 *result.Estimate
			least, most, unit float64
		}{{"lost", lost, 760, 840, 1}, {"above", above, 2, 3, 1e9}, {"recovery", recovery, 2, 3, 1e9}} {
			if c.e == nil || c.e.Value == nil || *c.e.Value < c.least*c.unit || *c.e.Value > c.most*c.unit || c.e.CI == nil {
				t.Errorf("%s: %s: got %+v, want %g to %g: the process is away for a second, and loads for another", window, c.what, c.e, c.least, c.most)
			}
		}
		for _, v := range r.Verdicts {
			if strings.Contains(v.Metric, "(death)") && v.Outcome != result.Pass {
				t.Errorf("%s: %s: %s, %s", window, v.SLO, v.Outcome, v.Text)
			}
		}
		errors[window] = *r.Find("errors", "").Value
	}
	if errors["-2s..+8s"] < 2*errors["-5s..+25s"] {
		t.Errorf("got shares of %v, which depend on the window", errors)
	}
}

// Goal: the time series shows second by second what happened. Method: the same event,
// compared with what is known: no errors before, all requests fail during the event, none
// after. The steps sum up to the window's total. The marks are the event and when it was
// noticed.
func TestTheSeriesOfAnIncident(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	r := incidentIn(t, "-5s..+15s")
	if len(r.Series) != 1 || len(r.Series[0].Points) != 20 || r.Series[0].Step != 1e9 {
		t.Fatalf("got %d series, want one of 20 s", len(r.Series))
	}
	offered, answered := 0.0, 0.0
	for k, m := range r.Series[0].Points {
		at := float64(m.At) / 1e9
		offered, answered = offered+m.Offered, answered+m.Goodput.Value
		away := at == 30 || at == 31
		switch {
		case at != float64(25+k), m.Offered < 350 || m.Offered > 450, m.Errors == nil || m.Errors.Low > m.Errors.Value || m.Errors.High < m.Errors.Value:
			t.Errorf("%g s: got %+v", at, m)
		// requests that came just before the event are lost, too
		case away && m.Errors.Value < 0.95, !away && at != 32 && at != 29 && m.Errors.Value != 0, at == 29 && m.Errors.Value > 0.02:
			t.Errorf("%g s: %.3f of the requests fail", at, m.Errors.Value)
		case at == 30 && m.Live["ps"].Value != 0, at > 33 && m.Live["ps"].Value != 1:
			t.Errorf("%g s: %v containers live", at, *m.Live["ps"])
		case !away && at != 32 && (m.P99 == nil || m.P99.Value < 2e6 || m.P99.Value > 8e6 || m.P50.Value > m.P99.Value):
			t.Errorf("%g s: p99 %v", at, m.P99)
		case at < 30 && math.Abs(m.Busy["entry"].Value-0.4) > 0.2:
			t.Errorf("%g s: %v cores of entry work, want 0.4", at, m.Busy["entry"].Value)
		}
	}
	if w := r.Windows[0]; math.Abs(offered/20-w.Rate) > 1e-6 || math.Abs(answered/20-*r.Find("goodput", "").Value) > 1e-6 {
		t.Errorf("the series has %g and %g, the window %g and %g", offered/20, answered/20, w.Rate, *r.Find("goodput", "").Value)
	}
	if text := fmt.Sprint(r.Series[0].Marks); !strings.Contains(text, "{30000000000 death}") || !strings.Contains(text, "death is noticed") {
		t.Errorf("marks: got %s", text)
	}
}

// Goal: an event that is not over at the end of its window cannot meet an objective on its
// cost, and misses it once the cost so far is too high. Method: a window that ends before
// the event is over.
func TestACostThatIsNotOverFails(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	r := incidentIn(t, "-2s..+1s")
	for _, metric := range []string{"lost(death)", "above(death)", "recovery(death)"} {
		if e := r.Find(metric, ""); e == nil || e.Value != nil || !strings.Contains(e.Text, "not within what was simulated") {
			t.Errorf("%s: got %+v", metric, e)
		}
	}
	want := map[string]string{"recovery(death)": result.Fail, "lost(death)": result.Undecided, "above(death)": result.Undecided}
	for _, v := range r.Verdicts {
		if o, ok := want[v.Metric]; ok && v.Outcome != o {
			t.Errorf("%s: %s, %s, want %s", v.SLO, v.Outcome, v.Text, o)
		}
	}
	r = run(t, strings.NewReplacer("WINDOW", "-2s..+1s", "lost(death) <= 1000", "lost(death) <= 100").Replace(refusing))
	if got := outcomeOf(r, "lost", "death"); got != result.Fail {
		t.Errorf("more than 100 are lost already: got %s", got)
	}
}

// Goal: requests that were under way when an event came are lost, too, and are no measure of how it was before.
// Method: Little's law. Entry containers work for 50 ms, 200 requests a second on four of them, so that 2.5 are
// under way on each that ends at once; with a drain of 25 ms half of these. They came before the event.
func TestRequestsUnderWayAreLost(t *testing.T) {
	for more, want := range map[string]float64{"": 10, ", at_once: 2, drain: 25ms": 5, ", drain: 60ms": 0} {
		r := run(t, `apiVersion: capacity/v1
budget: {min_replications: 40, max_replications: 40}
model: {size: {embeddings: 1GB}}
override: {num_ps: 1, num_shard: 1}
fleet: {entry: {replicas: 4, cpu: 64, mem: 8GiB}, ps: {replicas: 1, cpu: 4, mem: 8GiB}, boot: {load_fixed: 0s}}
service: {entry: {cpu: 50ms}, ps: {cpu: 1us}}
network: {same_cluster: 1us, overhead_per_rpc: 0s}
workload: {rate: 200/s, horizon: 60s, detail: {windows: ["each incident -10s..+30s"]}}
events: [{at: 20s, name: again, restart: {tier: entry`+more+`}}]
`)
		e := r.Find("lost(again)", "incident again")
		if e == nil || e.Value == nil || math.Abs(*e.Value-want) > 0.15*want+1e-9 || e.CI[0] > want || e.CI[1] < want {
			t.Errorf("restart%s: lost %+v, want %g", more, e, want)
		}
	}
}
