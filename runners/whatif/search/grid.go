package search

import (
	"context"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Grid simulates the cells of a plan's search one after another, the cheapest first, until one
// passes. It skips only cells that a bound excludes, so tests can check [Solve] against it. point
// is the first cell that passes. undecided is the first cell, among those tried before point, for
// which the budget did not suffice. Each is nil if there is no such cell.
func Grid(ctx context.Context, j *judge.Judge, source *plan.Source, p *plan.Plan) (point, undecided map[string]string, err error) {
	s := &solver{judge: j, plan: p, source: source, axes: p.Solve.Over}
	s.open()
	for _, c := range s.cells {
		if c.Outcome != "" {
			continue // a bound excludes the cell
		}
		if err := s.simulate(ctx, c); err != nil {
			return nil, nil, err
		}
		switch c.Outcome {
		case result.Pass:
			return c.Point, nil, nil
		case result.Undecided:
			return nil, c.Point, nil
		}
	}
	return nil, nil, nil
}
