package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// tried is a cell with its outcome and its hourly cost in each world.
type tried struct {
	cell  *cell
	holds []bool
	cost  []float64
}

// regret compares up to n configurations in all worlds. The regret in a world is the extra cost
// over the cheapest compared configuration that holds there (CAP-5.8). The regret of a
// configuration that does not hold is the full price of that cheapest one, because it must be
// bought in addition. If none holds in a world, the most expensive configuration counts as the
// cheapest one that holds. The list is sorted by mean regret.
func (s *solver) regret(ctx context.Context, best *cell, n int) ([]result.Regret, error) {
	var list []tried
	for _, c := range s.compared(best, n) {
		if !s.within() {
			break
		}
		one, err := s.inEach(ctx, c)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	if len(list) < 2 {
		return nil, nil
	}
	out := make([]result.Regret, len(list))
	for i, t := range list {
		out[i] = result.Regret{Point: t.cell.Point, Cost: t.cell.Cost, Containers: t.cell.Containers, Worlds: len(t.holds)}
	}
	for w := range list[0].holds {
		price := math.Inf(1)
		for _, t := range list {
			if t.holds[w] {
				price = min(price, t.cost[w])
			}
		}
		if math.IsInf(price, 1) {
			price = slices.MaxFunc(list, func(a, b tried) int { return cmp.Compare(a.cost[w], b.cost[w]) }).cost[w]
		}
		for i, t := range list {
			cost := price
			if t.holds[w] {
				cost = t.cost[w] - price
				out[i].Holds++
			}
			out[i].Mean += cost / float64(len(t.holds))
			out[i].Most = max(out[i].Most, cost)
		}
	}
	slices.SortStableFunc(out, func(a, b result.Regret) int { return cmp.Or(cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.Cost, b.Cost)) })
	return out, nil
}

// compared returns the answer, followed by the cells whose minimized quantity is nearest to the
// answer's. It leaves out cells that already fail with the middle values of uncertain inputs.
func (s *solver) compared(best *cell, n int) []*cell {
	list := []*cell{best}
	others := lists.Filter(s.cells, func(c *cell) bool {
		return c != best && c.plan != nil && (c.Outcome == "" || c.Outcome == result.Pass || c.Argument == byWorlds)
	})
	slices.SortStableFunc(others, func(a, b *cell) int {
		return cmp.Compare(math.Abs(a.goal-best.goal), math.Abs(b.goal-best.goal))
	})
	return append(list, others[:min(len(others), n-1)]...)
}

// inEach judges a cell in every world and returns its outcomes and costs.
func (s *solver) inEach(ctx context.Context, c *cell) (tried, error) {
	one := tried{cell: c}
	worlds, err := judge.Worlds(s.source, c.plan, c.values)
	if err != nil {
		return one, err
	}
	for _, w := range worlds {
		holds, cost := false, c.Cost
		if w.Plan != nil {
			conditions := judge.Conditions(w.Plan)
			outcome, err := s.judge.InWorld(ctx, w.Plan, conditions, judge.Goal{Confidence: level(w.Plan, conditions), Reject: true})
			if err != nil {
				return one, err
			}
			holds, cost = outcome == result.Pass, w.Plan.Cost()
		}
		one.holds, one.cost = append(one.holds, holds), append(one.cost, cost)
	}
	return one, nil
}

// regretOf returns the regret of configurations if the plan asks for it and has uncertain
// inputs, else nil.
func (s *solver) regretOf(ctx context.Context, p *plan.Plan, best *cell) ([]result.Regret, error) {
	if n := p.Solve.LeastRegret; n > 0 && len(p.Uncertain) > 0 {
		return s.regret(ctx, best, n)
	}
	return nil, nil
}
