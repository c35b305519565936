package judge_test

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// unsure is a plan without queues. Its mean latency is the uncertain work of the entry plus
// known parts.
const unsure = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {agent_version: 3, size: {embeddings: 1GiB, dense: 1GiB}}
fleet:
  entry: {replicas: 2, cpu: 64, mem: 8GiB}
  ps: {replicas: 2, cpu: 64, mem: 8GiB}
network: {same_cluster: 0s, overhead_per_rpc: 0us}
service:
  entry: {cpu: {low: 8ms, mid: 10ms, high: 20ms, confidence: 90%}}
  ps: {cpu: {low: 1.9ms, mid: 2ms, high: 2.1ms, confidence: 90%}}
workload: {rate: 200/s, horizon: 5s}
worlds: {count: 40, hold: 80%, interval: 90%}
slo:
  - mean(request) <= 22ms
`

func inWorlds(t *testing.T, text string) *result.Result {
	t.Helper()
	source, p, _, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	j := &judge.Judge{}
	r, err := j.Run(t.Context(), p, nil)
	if err == nil {
		err = j.AddWorlds(t.Context(), source, p, nil, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Goal: intervals over worlds reflect the uncertainty of the inputs. Method: a latency that
// is the sum of two inputs. Its range equals the interval of the larger input, almost all of
// its variance is attributed to uncertainty, and the right input is named as the one that
// matters.
func TestTheRangeOverWorldsIsWhatIsBelieved(t *testing.T) {
	long(t)
	r := inWorlds(t, unsure)
	w := r.Worlds
	var e *result.WorldEstimate
	for i := range w.Estimates {
		if w.Estimates[i].Metric == "mean(request)" {
			e = &w.Estimates[i]
		}
	}
	if e == nil || len(e.Values) != 40 {
		t.Fatalf("got %+v", e)
	}
	if low, high := e.Range[0]/1e6, e.Range[1]/1e6; math.Abs(low/10-1) > 0.03 || math.Abs(high/22-1) > 0.05 {
		t.Errorf("the range is %.2f ms to %.2f ms, want 10 ms to 22 ms", low, high)
	}
	if e.Aleatory > 0.01*e.Epistemic {
		t.Errorf("%g ns for want of knowledge, %g for want of simulation", e.Epistemic, e.Aleatory)
	}
	if a, b := w.Inputs[0].Influence, w.Inputs[1].Influence; w.Inputs[0].Path != "service.entry.cpu" || a < 0.95 || math.Abs(b) > 0.5 {
		t.Errorf("correlations: %+.2f of %s, %+.2f of %s", a, w.Inputs[0].Path, b, w.Inputs[1].Path)
	}
	// In 95 % of the worlds the entry takes at most 20 ms. That is 38 of 40, give or take one.
	if v := w.Verdicts[0]; v.Outcome != result.Pass || v.Pass < 36 || v.Pass > 39 || r.Exit != result.ExitMet {
		t.Errorf("got %+v, exit %d", v, r.Exit)
	}
}

// Goal: an objective that holds with middle values but in too few worlds is missed.
func TestTooFewWorlds(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	r := inWorlds(t, strings.Replace(unsure, "<= 22ms", "<= 13ms", 1))
	if v := r.Verdicts[0]; v.Outcome != result.Pass {
		t.Errorf("with middle values: got %+v", v)
	}
	if v := r.Worlds.Verdicts[0]; v.Outcome != result.Fail || r.Exit != result.ExitMissed {
		t.Errorf("got %+v, exit %d", v, r.Exit)
	}
}

// Goal: variance from simulation noise is not attributed to uncertain inputs.
func TestWantOfSimulationIsApart(t *testing.T) {
	long(t)
	r := inWorlds(t, strings.NewReplacer("{low: 8ms, mid: 10ms, high: 20ms, confidence: 90%}", `"exp(mean=10ms)"`, "{low: 1.9ms, mid: 2ms, high: 2.1ms, confidence: 90%}", `{low: "det(2ms)", mid: "det(2ms)", high: "det(2ms)"}`).Replace(unsure))
	for _, e := range r.Worlds.Estimates {
		if e.Metric == "mean(request)" && (e.Epistemic > 0.5*e.Aleatory || math.Abs(e.Mean/12e6-1) > 0.01) {
			t.Errorf("got %g ns for want of knowledge, %g for want of simulation, mean %g", e.Epistemic, e.Aleatory, e.Mean)
		}
	}
}

// Goal: a world in which a model does not fit into memory counts as failed.
func TestWorldsInWhichModelsDoNotFit(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	r := inWorlds(t, strings.Replace(unsure, "embeddings: 1GiB", "embeddings: {low: 1GiB, mid: 2GiB, high: 3.2GiB, confidence: 50%}", 1))
	w := r.Worlds
	if n := len(w.Misfits); n < 8 || n > 12 || !strings.Contains(w.Misfits[0], "CAP-E11") || w.Verdicts[0].Fail < n || w.Verdicts[0].Outcome != result.Fail {
		t.Errorf("got %d misfits of 40, %+v", n, w.Verdicts)
	}
}
