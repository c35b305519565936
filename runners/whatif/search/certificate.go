package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// answer simulates the neighbours of the best cell and returns the result with the
// certificate (CAP-5.10). best is nil if no cell holds.
func (s *solver) answer(ctx context.Context, best *cell, warnings plan.Problems) (*result.Result, error) {
	answered := s.plan
	if best != nil {
		answered = best.plan
	}
	r := judge.New("solve", answered, warnings)
	r.ScenarioHash, r.Plan = s.plan.Hash(), s.plan.Name
	if best != nil && s.plan.Solve.Prove {
		if err := s.neighbours(ctx, best, r); err != nil {
			return nil, err
		}
	}
	cert := s.certificate(best)
	r.Certificate = cert
	r.Pareto = s.pareto()
	r.Marked = s.judge.Late()
	switch {
	case best == nil && len(cert.Open) == 0:
		r.Stopped, r.Exit = "infeasible", result.ExitMissed
	case best == nil:
		r.Stopped, r.Exit = s.stopped("undecided cells"), result.ExitUndecided
	case !cert.Complete:
		r.Stopped, r.Exit = s.stopped("undecided cells"), result.ExitUndecided
	default:
		r.Stopped = "proved minimal"
	}
	if best == nil {
		return r, nil
	}
	s.fill(best, r, cert.Complete)
	cert.VarianceReduction = s.narrowed(best)
	if n := s.plan.Solve.Alternatives; n > 0 {
		list, err := s.alternatives(ctx, best, n)
		if err != nil {
			return nil, err
		}
		r.Alternative = list
	}
	regret, err := s.regretOf(ctx, s.plan, best)
	if err != nil {
		return nil, err
	}
	r.Regret = regret
	if len(s.plan.Uncertain) == 0 {
		return r, nil
	}
	exit := r.Exit
	err = s.judge.AddWorlds(ctx, s.source, best.plan, best.values, r)
	r.Exit = exit // restored, because AddWorlds changes it although the search has judged the answer in all worlds already
	return r, err
}

func (s *solver) stopped(otherwise string) string {
	switch requests := s.judge.Taken(); {
	case s.judge.Late():
		return "budget wall"
	case s.plan.Budget.Requests > 0 && requests >= int64(s.plan.Budget.Requests):
		return "budget requests"
	}
	return otherwise
}

// fill copies the estimates of the answer into the result.
func (s *solver) fill(best *cell, r *result.Result, proven bool) {
	stopped := r.Stopped
	r.Answer = &result.Answer{Point: best.Point, Numbers: best.Numbers, Cost: best.Cost, Containers: best.Containers, AsWritten: s.plan.Cost(), Proven: proven, Worlds: best.Worlds}
	if rate := best.plan.PeakRate(); rate > 0 {
		r.Answer.CostPerQPS = best.Cost / rate
	}
	for _, e := range best.judged {
		r.Records = append(r.Records, e.Records(best.Point, 0)...)
		if e.Condition.Text == "" {
			e.Fill(r)
			continue
		}
		r.Estimates = append(r.Estimates, headline(e.Estimates())...)
		r.Verdicts = append(r.Verdicts, e.Verdicts()...)
		e.Check(&r.Checks)
	}
	r.Stopped = stopped
}

// neighbours simulates, for each axis, the cell one step cheaper. A cell excluded by a bound
// is not simulated, but a cell excluded only by monotonicity is.
func (s *solver) neighbours(ctx context.Context, best *cell, r *result.Result) error {
	for k := range s.axes {
		c := s.neighbour(best, k)
		if c == nil {
			continue
		}
		if c.plan != nil && (c.Outcome == "" || c.Argument == byMonotony) && s.within() {
			if err := s.simulate(ctx, c); err != nil {
				return err
			}
		}
		c.Knob = plan.RootPath(s.axes[k].Path)
		r.Neighbours = append(r.Neighbours, c.Cell)
	}
	return nil
}

// neighbour returns the cell that has the next cheaper value for one input of the search and the
// same values for all others, or nil.
func (s *solver) neighbour(best *cell, axis int) *cell {
	var found *cell
	for _, c := range s.cells {
		if c.goal >= best.goal {
			break
		}
		same := true
		for k := range c.index {
			same = same && (k == axis || c.index[k] == best.index[k])
		}
		if same {
			found = c // cells are sorted by cost, so the last one found is the nearest
		}
	}
	return found
}

// under returns a certificate that holds only the conditions of a plan and their confidence.
func (s *solver) under(p *plan.Plan) *result.Certificate {
	conditions := judge.Conditions(p)
	return &result.Certificate{Label: "full", Confidence: level(p, conditions), Conditions: namesOf(conditions), Placements: judge.PlacementsOf(p),
		Excluded: map[string]int{}, Simulated: s.runs}
}

// bindingOf returns the constraint that keeps all cells from passing. It is the constraint that the
// cell nearest to passing violates. A simulated cell is nearer than a cell that a bound excludes.
// Of several equally near cells the last in the list counts, which is the most expensive.
func bindingOf(cells []*cell) *result.Binding {
	near := []string{byMemory, byUtilisation, byLatency, bySimulation, byWorlds}
	var found *cell
	for _, c := range cells {
		if k := slices.Index(near, c.Argument); k >= 0 && c.Outcome != result.Pass && (found == nil || k >= slices.Index(near, found.Argument)) {
			found = c
		}
	}
	if found == nil {
		return nil
	}
	return &result.Binding{Constraint: found.Constraint, Argument: found.Argument, Reason: found.Reason, Point: found.Point}
}

// certificate lists every cell cheaper than the best, with the argument that excludes it.
func (s *solver) certificate(best *cell) *result.Certificate {
	requests := s.judge.Taken()
	answered := s.plan
	if best != nil {
		answered = best.plan
	}
	cert := s.under(answered)
	cert.Complete, cert.Cells, cert.Requests, cert.GridCost = true, len(s.cells), requests, s.replicas*int64(len(s.cells))*int64(len(cert.Conditions))
	if best == nil {
		cert.Binding = bindingOf(s.cells)
	}
	if len(s.plan.Uncertain) > 0 {
		cert.GridCost *= int64(1 + s.plan.WorldsOf().Count)
	}
	for _, c := range s.cells {
		if c == best {
			if s.plan.Solve.Minimise == "p99" {
				continue
			}
			break
		}
		cert.All = append(cert.All, c.Cell)
		switch c.Outcome {
		case result.Pass: // only when p99 is minimised: the cell passes, but its p99 is longer than the best
			cert.Excluded["longer p99"]++
		case result.Excluded, result.Fail:
			cert.Excluded[c.Argument]++
		default:
			cert.Complete = false
			if c.Outcome == "" {
				c.Outcome, c.Reason = result.Undecided, "not simulated: the budget has ended"
			}
			cert.Open = append(cert.Open, c.Cell)
		}
		if c.Argument == byMonotony {
			cert.Label = "monotone-assumed"
		}
	}
	return cert
}

// pareto returns the simulated cells that no other cell beats in both cost and p99.
func (s *solver) pareto() []result.Cell {
	var list []result.Cell
	least := 0.0
	for _, c := range s.cells {
		i := slices.IndexFunc(c.Estimates, func(e result.Estimate) bool {
			return e.Metric == "p99(request)" && e.Scope.Model == "" && e.Value != nil
		})
		if i < 0 {
			continue
		}
		if p99 := *c.Estimates[i].Value; least == 0 || cmp.Less(p99, least) {
			least = p99
			list = append(list, c.Cell)
		}
	}
	return list
}
