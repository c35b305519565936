package judge

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// slow is a plan with a queue of one thread at a load of 0.9, which takes seconds to reach
// its steady state.
const slow = `apiVersion: capacity/v1
budget: {min_replications: 160, max_replications: 160}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 1, num_shard: 1, fetch_ps_timeout: 60s, fetch_ps_retry: 0}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB}
  ps: {replicas: 1, cpu: 1, mem: 8GiB}
service:
  entry: {cpu: "exp(mean=10ms)", threads: 1}
  ps: {cpu: 10us}
network: {same_cluster: 0ms, overhead_per_rpc: 0us}
workload: {rate: 90/s, horizon: 40s}
slo: [p50(request) <= 1s]
`

func planOf(t *testing.T, text string) *plan.Plan {
	t.Helper()
	_, p, _, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// begun returns the samples of a plan whose window starts with an empty fleet.
func begun(t *testing.T, p *plan.Plan) []*model.Sample {
	t.Helper()
	spec := model.Compile(p, Normal)
	spec.Windows[0].Carries = false // and no warm-up
	var list []*model.Sample
	for k := range p.Budget.MinReplications {
		s, err := spec.Run(0, k)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// Goal: the warm-up that MSER-5 finds is excluded from all numbers and records (CAP-5.3). In
// a window with events, nothing is cut (CAP-12.15).
func TestTheWarmUpIsCut(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute under the race detector; the whole tests have it")
	}
	p := planOf(t, slow)
	samples := begun(t, p)
	e := Pooled(p, samples)
	w := e.Windows[0]
	if w.Cut == 0 || w.Cut%5e9 != 0 || !w.Stationary {
		t.Fatalf("cut %d ns, stationary %v, want some batches of five bins", w.Cut, w.Stationary)
	}
	whole := Known{}
	cut := Known{}
	for _, s := range samples {
		whole.Sum.Add(s)
		cut.Sum.Add(s.After(int(w.Cut / 5e9)))
	}
	if w.Sum.Arrived != cut.Sum.Arrived || w.Sum.Arrived >= whole.Sum.Arrived {
		t.Errorf("%d requests count, want %d of %d", w.Sum.Arrived, cut.Sum.Arrived, whole.Sum.Arrived)
	}
	mean := func(s *model.Sample) float64 { return float64(s.SumNs) / float64(s.Completed) }
	if before, after := mean(&whole.Sum), mean(&w.Sum); after < before*1.01 {
		t.Errorf("the mean is %.4g ms with the begin and %.4g ms without, want more: it begins empty", before/1e6, after/1e6)
	}
	var got, want int64
	for _, one := range e.Records(nil, 0) {
		got += one.Counters.Arrived
		if one.WarmupCut != w.Cut || one.Histograms["request"].Count() != one.Counters.Completed {
			t.Errorf("record %d: cut %d, %d latencies of %d requests, want a cut of %d", one.Replication, one.WarmupCut, one.Histograms["request"].Count(), one.Counters.Completed, w.Cut)
		}
	}
	if want = w.Sum.Arrived; got != want {
		t.Errorf("records have %d requests, want %d", got, want)
	}
	for _, one := range e.Estimates() {
		if one.Metric == "goodput" && math.Abs(*one.Value/90-1) > 0.03 {
			t.Errorf("goodput %g a second, want that of what is left, some 90", *one.Value)
		}
		if one.Metric == "mean(request)" && (one.WarmupCut != w.Cut || one.N != w.Sum.Completed) {
			t.Errorf("%+v, want the cut of %d and n = %d", one, w.Cut, w.Sum.Completed)
		}
	}
	if v := e.Verdicts(); len(v) != 1 || v[0].N != w.Sum.Arrived || v[0].Outcome != result.Pass {
		t.Errorf("verdicts %+v, want one of %d requests", v, w.Sum.Arrived)
	}

	// If the rounds end at other replications, the result is the same.
	rounds := newEvaluation(p, Normal, Goal{Confidence: 0.99, Replications: len(samples), Records: true})
	for k, s := range samples {
		if rounds.Windows[0].add(rounds, s); k == 7 || k == 20 {
			rounds.cutWarmUps()
		}
	}
	rounds.Runs = len(samples)
	rounds.cutWarmUps()
	if diff := cmp.Diff(e.Estimates(), rounds.Estimates()); diff != "" {
		t.Errorf("in one round and in three:\n%s", diff)
	}

	for name, change := range map[string]string{
		"an event":          "events: [{at: 39s, traffic: {factor: 1x}, for: 1s}]\n",
		"a rate that steps": "",
		"a cold start":      "",
	} {
		text := slow + change
		switch name {
		case "a rate that steps":
			text = strings.Replace(text, "rate: 90/s", "rate: {step: {before: 90/s, after: 89/s, at: 39s}}", 1)
		case "a cold start":
			text = strings.Replace(text, "rate: 90/s", "rate: 90/s, cold_start: true", 1)
		}
		p := planOf(t, text)
		e := newEvaluation(p, Normal, Goal{Confidence: 0.99})
		for _, s := range samples {
			e.Windows[0].add(e, s)
		}
		e.cutWarmUps()
		if w := e.Windows[0]; w.Cut != 0 || w.Sum.Arrived != whole.Sum.Arrived {
			t.Errorf("%s: cut %d ns, %d of %d requests count, want all", name, w.Cut, w.Sum.Arrived, whole.Sum.Arrived)
		}
	}
}
