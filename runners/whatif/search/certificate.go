package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// answer verifies the neighbours of the best cell and sums up (CAP-5.10).
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
	return r, nil
}

func (s *solver) stopped(otherwise string) string {
	switch requests, _, _ := s.judge.Simulated(); {
	case s.judge.Late():
		return "budget wall"
	case s.plan.Budget.Requests > 0 && requests >= int64(s.plan.Budget.Requests):
		return "budget requests"
	}
	return otherwise
}

// fill puts the estimates of the answer into the result.
func (s *solver) fill(best *cell, r *result.Result, proven bool) {
	stopped := r.Stopped
	r.Answer = &result.Answer{Point: best.Point, Cost: best.Cost, Containers: best.Containers, AsWritten: s.plan.Cost(), Proven: proven}
	if rate := best.plan.PeakRate(); rate > 0 {
		r.Answer.CostPerQPS = best.Cost / rate
	}
	for _, e := range best.judged {
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

// neighbours simulates, for each knob, the cell one step cheaper: a bound may have
// excluded it, an argument of monotony does not count here.
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

// neighbour is the cell with the next value of one axis that is cheaper, nil when none is.
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
			found = c // cells are sorted: the last is the nearest
		}
	}
	return found
}

// certificate lists every cell that is cheaper than the best, with the argument that
// excludes it.
func (s *solver) certificate(best *cell) *result.Certificate {
	requests, _, _ := s.judge.Simulated()
	cert := &result.Certificate{Label: "full", Complete: true, Confidence: s.level, Conditions: s.names, Cells: len(s.cells), Excluded: map[string]int{},
		Simulated: s.runs, Requests: requests, GridCost: s.replicas * int64(len(s.cells)) * int64(len(s.names))}
	for _, c := range s.cells {
		if c == best {
			if s.plan.Solve.Minimise == "p99" {
				continue
			}
			break
		}
		cert.All = append(cert.All, c.Cell)
		switch c.Outcome {
		case result.Pass: // with a longer p99, where that is minimised
			cert.Excluded["longer p99"]++
		case excluded, result.Fail:
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

// pareto are the simulated cells that no other beats in cost and in p99.
func (s *solver) pareto() []result.Cell {
	var list []result.Cell
	least := 0.0
	for _, c := range s.cells {
		i := slices.IndexFunc(c.Estimates, func(e result.Estimate) bool { return e.Metric == "p99(request)" && e.Value != nil })
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
