package judge_test

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/result"
)

// drowning is a plan with one core, on which each request takes 10 ms, and clients without a
// timeout. RATE requests arrive per second. At three times the capacity, no request of a
// minute's window is answered.
const drowning = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {agent_version: 1, size: {embeddings: 1GiB}}
override: {num_ps: 1, num_shard: 1}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB}
  ps: {replicas: 1, cpu: 8, mem: 8GiB}
service:
  entry: {cpu: "exp(10ms)", threads: 4}
  ps: {cpu: 1us}
workload: {rate: RATE/s, horizon: 30s}
`

// drown judges the given objectives for the plan drowning at a rate.
func drown(t *testing.T, rate string, slo ...string) *result.Result {
	t.Helper()
	text := strings.Replace(drowning, "RATE", rate, 1)
	for i, o := range slo {
		if i == 0 {
			text += "slo:\n"
		}
		text += "  - " + o + "\n"
	}
	r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Goal: requests that still wait never count as good. A fleet that answers nothing fails
// objectives on latency and goodput, and those that the open requests may still meet are
// undecided. Method: a rate at which every request of the window is open when the simulation
// ends.
func TestWhoIsNotAnsweredMeetsNothing(t *testing.T) {
	want := map[string]string{
		"p99(request) <= 50ms":  result.Fail,
		"p50(request) <= 1s":    result.Fail,
		"mean(request) <= 50ms": result.Fail,
		"p99(request) <= 1h":    result.Undecided, // all are younger
		"mean(request) <= 1h":   result.Undecided,
		"errors <= 1%":          result.Undecided, // without a timeout, it is open whether a request fails
		"goodput >= 150/s":      result.Fail,
		"answered >= 50%":       result.Fail,
	}
	var slo []string
	for o := range want { //lint:order each has a verdict of its own
		slo = append(slo, o)
	}
	r := drown(t, "320", slo...)
	for _, v := range r.Verdicts {
		if v.Outcome != want[v.SLO] {
			t.Errorf("%s: got %s (%s), want %s", v.SLO, v.Outcome, v.Text, want[v.SLO])
		}
	}
	if w := r.Windows[0]; w.Open < w.Requests*9/10 {
		t.Errorf("%d of %d requests are open, want nearly all, or this shows nothing", w.Open, w.Requests)
	}
	if e := r.Find("mean(request)", ""); e != nil && e.Value != nil {
		t.Errorf("mean(request): got %g, want none, for nobody knows it", *e.Value)
	}
	if r.Exit != result.ExitMissed {
		t.Errorf("got exit %d, want %d", r.Exit, result.ExitMissed)
	}
}

// Goal: a quantile counts open requests as slower than all answered ones. If fewer requests
// are open than lie above the quantile, its value is known. Method: a rate slightly above
// the capacity, so that some requests are open.
func TestQuantilesBelowTheOpenOnesAreKnown(t *testing.T) {
	r := drown(t, "180")
	w := r.Windows[0]
	open := float64(w.Open) / float64(w.Requests)
	if open < 0.02 || open > 0.48 {
		t.Fatalf("%.0f %% of the requests are open, want some", open*100)
	}
	if p50 := r.Find("p50(request)", ""); p50 == nil || p50.Value == nil || *p50.Value < 30e9 {
		t.Errorf("p50(request): got %+v, want half a minute and more", p50)
	}
	if p99 := r.Find("p99(request)", ""); p99 == nil || p99.Value != nil || !strings.Contains(p99.Text, "have no answer") {
		t.Errorf("p99(request): got %+v, want what says that it is not known", p99)
	}
}

// Goal: goodput is the number of answers per second, as on a dashboard, so it never exceeds
// the capacity. Method: a core with a capacity of 100 a second, at 150 a second.
func TestGoodputIsWhatIsAnswered(t *testing.T) {
	r := drown(t, "150")
	e := r.Find("goodput", "")
	if e == nil || e.Value == nil || *e.Value < 95 || *e.Value > 104 {
		t.Errorf("goodput: got %+v, want the 100 a second that the core can do", e)
	}
	if a := r.Find("answered", ""); a == nil || a.Value == nil || *a.Value < 0.9 {
		t.Errorf("answered: got %+v, want nearly all, for half a minute more than the window is enough", a)
	}
}

// Goal: where nothing came there is nothing to judge, and the report says which data are missing.
// Method: clients that all wait for the one call which a PS works on for a thousand seconds, so that
// none asks within the window.
func TestWhereNothingCameNothingIsJudged(t *testing.T) {
	text := strings.NewReplacer("{rate: RATE/s, horizon: 30s}", "{loop: \"closed(clients=5, think=1s)\", horizon: 30s}\nslo: [p99(request) <= 50ms, errors <= 1%, answered >= 99%, mean(request) <= 1s, goodput >= 1/s]",
		"{cpu: 1us}", "{cpu: 1000s, threads: 1}", "num_shard: 1}", "num_shard: 1, fetch_ps_timeout: 100000s}").Replace(drowning)
	r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Verdicts {
		switch {
		case v.Metric == "goodput":
			if v.Outcome != result.Fail {
				t.Errorf("%s: got %s, want it missed", v.SLO, v.Outcome)
			}
		case v.Outcome != result.Undecided || !strings.HasPrefix(v.Text, "not enough data (n = 0, "):
			t.Errorf("%s: got %s, %s, want it undecided for want of data", v.SLO, v.Outcome, v.Text)
		}
	}
	if len(r.Windows) != 1 || r.Windows[0].Requests != 0 || r.Load != nil {
		t.Errorf("got windows %+v, want one without requests", r.Windows)
	}
}
