package goals

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/search"
)

// randomQuestion is the template of a plan. Its question searches twenty fleets.
const randomQuestion = `apiVersion: capacity/v1
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

// Compared holds the results of random questions. Each was answered twice: by a search, and by
// simulating every cell of the grid.
type Compared struct {
	Same, Undecided int
	// Searched counts the requests that the searches simulated, Whole those of the full grids.
	Searched, Whole int64
	Different       []string
}

// SearchAndGrid answers random questions both by a search and by simulating the whole grid, and
// counts how often the two agree.
func SearchAndGrid(questions int) (Compared, error) {
	var out Compared
	r := rand.New(rand.NewPCG(14, 8))
	for k := range questions {
		shards := 1 + r.IntN(4)
		text := fmt.Sprintf(randomQuestion, k+1, shards, shards, 1+r.IntN(3), 1+r.IntN(4), 1000+r.IntN(2500), 7+r.IntN(12))
		source, p, warnings, err := plan.Parse("plan.yaml", []byte(text))
		if err != nil {
			return out, err
		}
		one, all := &judge.Judge{}, &judge.Judge{}
		got, err := search.Solve(context.Background(), one, source, p, warnings)
		if err != nil {
			return out, err
		}
		want, undecided, err := search.Grid(context.Background(), all, source, p)
		if err != nil {
			return out, err
		}
		searched, _, _ := one.Simulated()
		whole, _, _ := all.Simulated()
		out.Searched += searched
		out.Whole += whole
		var answer map[string]string
		if got.Answer != nil {
			answer = got.Answer.Point
		}
		switch {
		case undecided != nil || got.Exit == result.ExitUndecided:
			out.Undecided++ // within this budget the grid does not decide either
		case maps.Equal(want, answer):
			out.Same++
		default:
			out.Different = append(out.Different, fmt.Sprintf("question %d: the grid says %v, the search %v:\n%s", k, want, answer, text))
		}
	}
	return out, nil
}

func searchAndGrid() (Found, error) {
	c, err := SearchAndGrid(20)
	if err != nil {
		return Found{}, err
	}
	return found(len(c.Different) == 0 && c.Same > 0, "%d the same, %d undecided at the budget, %d different; %.1f M requests by the search, %.1f M by the grid",
		c.Same, c.Undecided, len(c.Different), float64(c.Searched)/1e6, float64(c.Whole)/1e6)
}
