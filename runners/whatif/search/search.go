// Package search finds the cheapest configuration that holds, and shows that no cheaper
// one does.
//
// Two things to use first:
//
//   - [Solve] searches over the axes of a plan.
//   - result.Certificate says what was shown.
//
// To change the order of the search look in search.go; bounds that exclude cells without a
// simulation are in bounds.go, the certificate in certificate.go.
package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/engines"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// cell is one configuration of the grid.
type cell struct {
	result.Cell
	index  []int // of the value of each axis
	values []plan.Value
	plan   *plan.Plan
	goal   float64 // what is minimised
	// estimate is a p99 by formulas, to order the search.
	estimate float64
	judged   []*judge.Evaluation // under each condition
}

// Why a cell is known.
const (
	byMemory      = "memory"
	byUtilisation = "utilisation"
	byLatency     = "latency bound"
	bySimulation  = "simulated"
	byMonotony    = "monotone"
	excluded      = "EXCLUDED"
)

type solver struct {
	judge    *judge.Judge
	plan     *plan.Plan
	source   *plan.Source
	axes     []plan.Axis
	cells    []*cell
	level    float64
	names    []string
	runs     int
	replicas int64 // requests of a cell, for what a whole grid would take
}

// Solve finds the cheapest cell that passes under all conditions.
func Solve(ctx context.Context, j *judge.Judge, source *plan.Source, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
	if len(p.Solve.Over) == 0 {
		return nil, fmt.Errorf("found nothing to search over, want solve: {over: {PATH: 4..24}}")
	}
	if len(p.SLO) == 0 {
		return nil, fmt.Errorf("found no objective, want slo: [p99(request) <= 50ms]")
	}
	s := &solver{judge: j, plan: p, source: source, axes: p.Solve.Over}
	s.open()
	best, err := s.search(ctx)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, best, warnings)
}

// open makes the grid and excludes what bounds exclude.
func (s *solver) open() {
	conditions := judge.Conditions(s.plan)
	windows := len(s.plan.Windows())
	s.level = 1 - (1-float64(s.plan.Precision.Verdict))/float64(len(conditions)*windows)
	for _, c := range conditions {
		name := c.Text
		if name == "" {
			name = "normal"
		}
		s.names = append(s.names, name)
	}
	for _, values := range engines.Product(s.axes) {
		c := &cell{values: values}
		c.Point = engines.PointOf(values)
		for k, v := range values {
			c.index = append(c.index, slices.Index(s.axes[k].Values, v.Text))
		}
		made, _, err := s.source.With(values)
		if made != nil {
			c.Cost, c.Containers = made.Cost(), engines.Containers(made)
		}
		if err != nil {
			c.exclude(byMemory, plan.Portable(err))
		} else {
			made.Seed = s.plan.Seed
			c.plan = made
			s.bound(c)
		}
		c.goal = s.goalOf(c)
		s.cells = append(s.cells, c)
	}
	slices.SortStableFunc(s.cells, func(a, b *cell) int {
		return cmp.Or(cmp.Compare(a.goal, b.goal), slices.Compare(a.index, b.index))
	})
}

func (s *solver) goalOf(c *cell) float64 {
	if s.plan.Solve.Minimise == "cost" {
		return c.Cost
	}
	return float64(c.Containers)
}

// search takes cells whose outcome is open and that are cheaper than the best, those
// first that formulas say are near the limit; a fail excludes all that have less of
// everything.
func (s *solver) search(ctx context.Context) (*cell, error) {
	var best *cell
	for {
		open := s.undecided(best)
		if len(open) == 0 {
			return best, nil
		}
		c := s.pick(open, best)
		if err := s.simulate(ctx, c); err != nil {
			return nil, err
		}
		switch c.Outcome {
		case result.Pass:
			if best == nil || s.plan.Solve.Minimise != "p99" || c.p99() < best.p99() {
				best = c
			}
		case result.Fail:
			s.spread(c)
		}
		if !s.within() {
			return best, nil
		}
	}
}

// p99 is the estimate of the normal condition, infinite without one.
func (c *cell) p99() float64 {
	for _, e := range c.Estimates {
		if e.Metric == "p99(request)" && e.Scope.Condition == "" && e.Value != nil {
			return *e.Value
		}
	}
	return math.Inf(1)
}

// undecided are the cells that are cheaper than the best and not decided.
func (s *solver) undecided(best *cell) []*cell {
	var open []*cell
	for _, c := range s.cells {
		if c == best && s.plan.Solve.Minimise != "p99" {
			break
		}
		if c.Outcome == "" {
			open = append(open, c)
		}
	}
	return open
}

// pick halves what is open: of the cells that have most of each knob at their cost, the
// middle one; before any has passed the first whose estimate passes.
func (s *solver) pick(open []*cell, best *cell) *cell {
	if best == nil {
		for _, o := range s.plan.SLO {
			if o.Name() != "p99(request)" {
				continue
			}
			for _, c := range open {
				if c.estimate > 0 && c.estimate <= o.Limit && !slices.ContainsFunc(s.cells, func(d *cell) bool { return d.Outcome == result.Fail && d.estimate >= c.estimate }) {
					return c
				}
			}
		}
	}
	return open[len(open)/2]
}

// simulate judges a cell under all conditions; the first that fails decides.
func (s *solver) simulate(ctx context.Context, c *cell) error {
	c.Outcome, c.Argument, c.Reason = result.Pass, bySimulation, ""
	s.runs++
	for _, condition := range judge.Conditions(c.plan) {
		e, err := s.judge.Evaluate(ctx, c.plan, condition, judge.Goal{Confidence: s.level})
		if err != nil {
			return err
		}
		c.judged = append(c.judged, e)
		verdicts := e.Verdicts()
		c.Verdicts = append(c.Verdicts, verdicts...)
		c.Estimates = append(c.Estimates, headline(e.Estimates())...)
		for i := range e.Windows {
			s.replicas = max(s.replicas, e.Windows[i].Sum.Requests)
		}
		switch judge.Worst(verdicts) {
		case result.Fail:
			c.Outcome = result.Fail
			c.Reason = whyNot(verdicts, result.Fail, condition)
			return nil
		case result.Undecided:
			c.Outcome = result.Undecided
			c.Reason = whyNot(verdicts, result.Undecided, condition)
		}
	}
	return nil
}

// headline are the estimates that reports show of a cell.
func headline(list []result.Estimate) []result.Estimate {
	return slices.DeleteFunc(list, func(e result.Estimate) bool {
		return e.Metric != "p99(request)" && e.Metric != "mean(request)" && e.Metric != "errors" && e.Metric != "goodput"
	})
}

func whyNot(list []result.Verdict, outcome string, c model.Condition) string {
	for _, v := range list {
		if v.Outcome == outcome {
			return fmt.Sprintf("%s under %s: %d of %d exceed it %s", v.SLO, cmp.Or(c.Text, "normal"), v.X, v.N, v.Text)
		}
	}
	return ""
}

// spread excludes what has no more of any knob than a cell that failed, and less of some.
// It holds for knobs that rise, as numbers of replicas; cells that differ in any other
// are left.
func (s *solver) spread(failed *cell) {
	for _, c := range s.cells {
		if c.Outcome == "" && s.below(c, failed) {
			c.exclude(byMonotony, "less of everything than "+fmt.Sprint(failed.Point)+", which fails")
		}
	}
}

func (s *solver) below(c, d *cell) bool {
	for k := range s.axes {
		if c.index[k] != d.index[k] && (!s.monotone(k) || c.index[k] > d.index[k]) {
			return false
		}
	}
	return true
}

// monotone reports whether more of an axis never makes latencies longer: replicas, cores
// and threads do not, shards may.
func (s *solver) monotone(axis int) bool {
	a := s.axes[axis]
	path := plan.RootPath(a.Path)
	return a.Ordered && slices.Contains([]string{
		"fleet.entry.replicas", "fleet.ps.replicas", "fleet.dense.replicas", "fleet.ps.replicas.hottest", "fleet.ps.replicas.default",
		"fleet.entry.cpu", "fleet.ps.cpu", "fleet.dense.cpu", "fleet.multiplier"}, path)
}

// within reports whether the budget goes on.
func (s *solver) within() bool {
	requests, _, _ := s.judge.Simulated()
	b := s.plan.Budget
	return (b.Requests <= 0 || requests < int64(b.Requests)) && !s.judge.Late()
}
