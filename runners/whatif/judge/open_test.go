package judge_test

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/result"
)

// drowning is a plan of one core of 10 ms whose clients wait for as long as it takes, RATE a
// second, and which nothing of a minute's window is answered of at three times what it can.
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

// drown judges objectives of the plan at a rate.
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

// The goal is that nobody's wait counts as good: a fleet that answers nobody fails what limits
// latencies and asks for goodput, and leaves open what may still come. The method is a rate at
// which every request of the window is open when the simulation ends.
func TestWhoIsNotAnsweredMeetsNothing(t *testing.T) {
	want := map[string]string{
		"p99(request) <= 50ms":  result.Fail,
		"p50(request) <= 1s":    result.Fail,
		"mean(request) <= 50ms": result.Fail,
		"p99(request) <= 1h":    result.Undecided, // all are younger
		"mean(request) <= 1h":   result.Undecided,
		"errors <= 1%":          result.Undecided, // no deadline says when one has failed
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

// The goal is that a quantile counts the open requests as slower than all others: where they
// are fewer than what lies above it, it is known. The method is a rate slightly above what the
// core can do, so that a part of the requests is open.
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

// The goal is that goodput is what a dashboard shows: answers a second, which a full core has
// no more of than it can do, however many ask. The method is one core of 100 a second at half
// as much again.
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
