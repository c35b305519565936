package search

import (
	"context"
	"math"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// mostTries is the largest number of cells to simulate for each alternative that the plan
// asks for.
const mostTries = 4

// alternatives returns the next cheapest cells that pass and differ in kind: each has, for at least
// one input that the search varies, a smaller value than every cell chosen before it (CAP-6.8).
func (s *solver) alternatives(ctx context.Context, best *cell, n int) ([]result.Cell, error) {
	chosen := []*cell{best}
	tries := 0
	for _, c := range s.cells {
		if len(chosen) > n || tries >= mostTries*n || !s.within() {
			break
		}
		larger := func(d *cell) bool { return s.atLeast(c, d) }
		if c == best || c.goal < best.goal || c.plan == nil || c.Outcome != "" && c.Outcome != result.Pass || slices.ContainsFunc(chosen, larger) {
			continue
		}
		if c.Outcome == "" {
			tries++
			if err := s.simulate(ctx, c); err != nil {
				return nil, err
			}
		}
		switch c.Outcome {
		case result.Pass:
			chosen = append(chosen, c)
		case result.Fail:
			s.spread(c)
		}
	}
	return lists.MapOrNil(chosen[1:], func(c *cell) result.Cell { return c.Cell }), nil
}

// atLeast reports whether each value of cell c is at least that of cell d. Values that have no
// order must be equal.
func (s *solver) atLeast(c, d *cell) bool {
	for k := range s.axes {
		if c.index[k] != d.index[k] && (!s.axes[k].Ordered || c.index[k] < d.index[k]) {
			return false
		}
	}
	return true
}

// narrowed returns by which factor common random numbers reduced the variance of the difference in
// mean latency between the answer and the cells next to it (CAP-5.7). The factor is the mean over
// those of these cells that were simulated, 0 if there are none.
func (s *solver) narrowed(best *cell) float64 {
	sum, n := 0.0, 0
	for k := range s.axes {
		c := s.neighbour(best, k)
		if c == nil || len(c.judged) == 0 {
			continue
		}
		a, b := best.judged[0].Windows[0], c.judged[0].Windows[0]
		const metric, fewPairs = "mean(request)", 5
		if min(len(a.Values[metric]), len(b.Values[metric])) < fewPairs {
			continue
		}
		if _, by := stats.Paired(0, a.Values[metric], b.Values[metric], float64(best.plan.Precision.Level)); !math.IsNaN(by) && !math.IsInf(by, 0) {
			sum += by
			n++
		}
	}
	return sum / math.Max(float64(n), 1)
}
