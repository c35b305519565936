package judge_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/result"
)

// Goal: each model of a mix is judged by its own requests. Method: two models of 1 ms and 4
// ms without queues. An objective between them holds for only one of them, and the counts
// for both together are the sum.
func TestEachModelHasItsOwnObjectives(t *testing.T) {
	r := run(t, strings.NewReplacer("detail: {windows: [\"at 2s 2s\", \"each incident -10s..+30s\"]}}", `detail: {windows: ["at 2s 2s"]}, mix: [
  {model: quick, share: 75%, slo: [p99(request) <= 4ms, mean(request) <= 4ms]},
  {model: long, share: 25%, ps: {cpu: 4ms}, slo: [p99(request) <= 4ms, mean(request) <= 4ms, errors <= 1%]}]}`,
		"  - recovery(death) <= 20s\n", "").Replace(incident))
	got := map[string]string{}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		got[v.Objective()] = v.Outcome
	}
	for objective, want := range map[string]string{
		"p99(request) <= 15ms": result.Pass, "p99(request) <= 4ms of quick": result.Pass, "mean(request) <= 4ms of quick": result.Pass,
		"p99(request) <= 4ms of long": result.Fail, "mean(request) <= 4ms of long": result.Fail, "errors <= 1% of long": result.Pass,
	} {
		if got[objective] != want {
			t.Errorf("%s: got %s, want %s", objective, got[objective], want)
		}
	}
	goodput, n := 0.0, int64(0)
	for _, e := range r.Estimates {
		if e.Scope.Model != "" && e.Metric == "goodput" {
			goodput += *e.Value
			n += e.N
			if len(e.Values) != e.Runs {
				t.Errorf("%s: %d values of %d runs", e.Scope.Model, len(e.Values), e.Runs)
			}
		}
	}
	if all := r.Find("goodput", ""); math.Abs(goodput-*all.Value) > 1e-6 || n != all.N {
		t.Errorf("models have %g/s of %d requests, all %g/s of %d", goodput, n, *all.Value, all.N)
	}
	if i := slices.IndexFunc(r.Theory, func(f result.ClosedForm) bool { return f.Metric == "mean(request)" }); *r.Theory[i].Sim < r.Theory[i].Theory {
		t.Errorf("got %+v, want a bound below what was simulated", r.Theory[i])
	}
}
