package search_test

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/result"
)

// single is a plan with one entry server of 1000 requests a second (M/M/1) and PS whose
// calls take no time.
const single = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 160}
model: {agent_version: 3, size: {embeddings: 1GiB, dense: 1GiB}}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB, cost: 2/h}
  ps: {replicas: 1, cpu: 16, mem: 8GiB, cost: 1/h}
network: {same_cluster: 0s, overhead_per_rpc: 0us}
service:
  entry: {cpu: exp(mean=1ms)}
  ps: {cpu: 1us}
workload: {rate: 100/s, horizon: 10s}
slo:
  - p99(request) <= 20ms
solve: {maximise: rate}
`

// Goal: the search finds the highest rate at which an objective holds. Method: M/M/1, where
// p99 is ln(100)/(mu - lambda). It is 20 ms at 770 requests a second. At 550 it is twice the
// p99 of a load of a tenth.
func TestTheGreatestRateIsTheClosedForm(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	r := solve(t, single)
	a := r.Answer
	if a == nil {
		t.Fatalf("no answer: %s", r.Stopped)
	}
	want := 1000 - math.Log(100)/0.020
	if a.Rate > want+5 || a.Rate < want-45 {
		t.Errorf("got %g requests a second, want %g less what cannot be told apart", a.Rate, want)
	}
	if math.Abs(a.Knee/550-1) > 0.1 {
		t.Errorf("the knee is at %g, want 550", a.Knee)
	}
	if n := r.Neighbours; len(n) != 1 || n[0].Outcome == result.Pass || math.Abs(n[0].Rate-a.Rate-20) > 1 {
		t.Errorf("got %+v, want the next rate, which does not hold", n)
	}
	if (r.Exit == result.ExitMet) != (r.Neighbours[0].Outcome == result.Fail) || (r.Exit == result.ExitMet) != a.Proven {
		t.Errorf("exit %d, proven %v, above it %s", r.Exit, a.Proven, r.Neighbours[0].Outcome)
	}
	if cells := r.Sweeps[0].Cells; len(cells) < 6 || len(cells) > 20 || cells[0].Rate >= cells[len(cells)-1].Rate {
		t.Errorf("%d cells, of fifty", len(cells))
	}
	// The answer does not depend on the rate that the plan states.
	other := solve(t, strings.Replace(single, "rate: 100/s", "rate: 400/s", 1))
	if math.Abs(other.Answer.Rate-a.Rate) > 21 {
		t.Errorf("from 400/s the answer is %g, from 100/s %g", other.Answer.Rate, a.Rate)
	}
}

func TestNoRateHolds(t *testing.T) {
	r := solve(t, strings.NewReplacer("<= 20ms", "<= 2ms", "horizon: 10s", "horizon: 2s").Replace(single))
	if r.Answer != nil || r.Stopped != "bracket not found" || r.Exit != result.ExitMissed {
		t.Errorf("got %+v, %s, exit %d", r.Answer, r.Stopped, r.Exit)
	}
}
