package search

import (
	"context"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Grid simulates cells of a plan's search one after another, the cheapest first, without
// any argument that spares one but hard bounds, until one passes. It is what [Solve] is held to. undecided
// is the first cell of which the budget did not tell, before any passed; point is nil when
// none did.
func Grid(ctx context.Context, j *judge.Judge, source *plan.Source, p *plan.Plan) (point, undecided map[string]string, err error) {
	s := &solver{judge: j, plan: p, source: source, axes: p.Solve.Over}
	s.open()
	for _, c := range s.cells {
		if c.Outcome != "" {
			continue // a hard bound: it has no memory for it, or a tier is full
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
