package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

const question = `apiVersion: capacity/v1
seed: %d
budget: {max_replications: 320}
model: {size: {embeddings: 10GiB}}
override: {num_ps: %d, num_shard: %d}
fleet:
  entry: {replicas: 4, cpu: 2, mem: 8GiB, cost: %d/h}
  ps: {replicas: 3, cpu: 2, mem: 32GiB, cost: %d/h}
service:
  entry: {cpu: "gamma(mean=1ms, cv=0.5)"}
  ps: {cpu: "exp(mean=1ms)"}
workload: {rate: %d/s, horizon: 20s, detail: {windows: ["at 10s 300ms"]}}
slo: [p99(request) <= %dms]
solve:
  over: {ps.replicas: 1..5, entry.replicas: 1..4}
  must_hold_under: [normal, any 1 ps]
`

// The search finds what simulating every cell finds (G8).
func TestTheSearchFindsWhatTheGridFinds(t *testing.T) {
	plans := 20
	if testing.Short() {
		plans = 3
	}
	r := rand.New(rand.NewPCG(14, 8))
	for k := range plans {
		shards := 1 + r.IntN(4)
		text := fmt.Sprintf(question, k+1, shards, shards, 1+r.IntN(3), 1+r.IntN(4), 1000+r.IntN(2500), 7+r.IntN(12))
		source, p, warnings, err := plan.Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Solve(context.Background(), &judge.Judge{}, source, p, warnings)
		if err != nil {
			t.Fatal(err)
		}
		want, undecided := wholeGrid(t, source, p)
		if undecided || got.Exit == result.ExitUndecided {
			continue // at this budget nobody knows
		}
		var answer map[string]string
		if got.Answer != nil {
			answer = got.Answer.Point
		}
		if diff := cmp.Diff(want, answer); diff != "" {
			t.Errorf("plan %d: (-grid +search):\n%s%s", k, diff, text)
		}
	}
}

// wholeGrid is the cheapest cell that passes, of all.
func wholeGrid(t *testing.T, source *plan.Source, p *plan.Plan) (point map[string]string, undecided bool) {
	t.Helper()
	s := &solver{judge: &judge.Judge{}, plan: p, source: source, axes: p.Solve.Over}
	s.open()
	for _, c := range s.cells {
		if c.Outcome == "" {
			if err := s.simulate(context.Background(), c); err != nil {
				t.Fatal(err)
			}
		}
		switch c.Outcome {
		case result.Pass:
			return c.Point, false
		case result.Undecided:
			return nil, true
		}
	}
	return nil, false
}
