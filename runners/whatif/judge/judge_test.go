package judge_test

import (
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// small is a plan with windows of half a second, whose PS are almost fully loaded.
const small = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 2, num_shard: 2}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 2, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "exp(mean=4ms)"}
workload: {rate: 1700/s, horizon: 10s, detail: {windows: ["at 5s 500ms"]}}
`

func parse(t *testing.T, text string) *plan.Plan {
	t.Helper()
	_, p, _, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// long skips a test that simulates for seconds when tests run with -short. The race detector
// would take minutes for it, and finds the same problems in the other tests.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes minutes under the race detector; the whole tests have it")
	}
}

// Goal: the sensitivity analysis shows which inputs matter and in which direction. Method: a
// plan that is limited by its PS. Longer service times and more traffic raise p99, and more
// cores lower it. The plan itself must not change.
func TestTheTornadoTellsWhichInputsMatter(t *testing.T) {
	long(t)
	p := parse(t, small)
	before := p.Hash()
	rows, err := (&judge.Judge{}).Sensitivity(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]result.Tornado{}
	for _, r := range rows {
		by[r.Input] = r
		if r.LowCI[0] > r.Low || r.Low > r.LowCI[1] || r.HighCI[0] > r.High || r.High > r.HighCI[1] || r.Base <= 0 {
			t.Errorf("%+v: want values inside of their intervals", r)
		}
	}
	for name, rises := range map[string]bool{"traffic": true, "service time of ps": true, "cores of ps": false} {
		r, ok := by[name]
		if !ok || rises && !(r.Low < r.Base && r.Base < r.High) || !rises && r.Low <= r.Base {
			t.Errorf("%s: got %+v (there: %v), want p99 to rise with it: %v", name, r, ok, rises)
		}
	}
	if width := func(r result.Tornado) float64 { return r.High - r.Low }; width(by["service time of ps"]) < 3*width(by["service time of entry"]) {
		t.Errorf("got %+v and %+v, want the PS to matter most", by["service time of ps"], by["service time of entry"])
	}
	if _, there := by["service time of dense"]; there {
		t.Error("a plan without dense containers has their service time")
	}
	if p.Hash() != before {
		t.Error("the plan has changed")
	}
}
