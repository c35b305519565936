// Package search finds the cheapest configuration that holds, and shows that no cheaper one
// does.
//
// Two things to use first:
//
//   - [Solve] searches over the axes of a plan, or over the rate.
//   - result.Certificate says what was shown.
//
// To change:
//
//   - the order of the search: search.go
//   - bounds that exclude cells without a simulation: bounds.go
//   - the search over the rate: rate.go
//   - the certificate: certificate.go
//   - other configurations that hold: alternatives.go
//   - the comparison of configurations over worlds: regret.go
//
// Unstable: any commit may change it.
package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/engines"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/quantity"
	"github.com/monosim/monosim/runners/whatif/result"
)

// cell is one configuration of the grid.
type cell struct {
	result.Cell
	index  []int // index of the cell's value on each axis
	values []plan.Value
	plan   *plan.Plan
	goal   float64 // the quantity to be minimised
	// conditions are the conditions compiled for the plan of this cell, because placements
	// depend on its replicas.
	conditions []model.Condition
	// estimate is p99(request) by formulas in nanoseconds. The search orders cells by it.
	estimate float64
	judged   []*judge.Evaluation // evaluation under each condition
}

// Values of Cell.Argument: how the outcome of a cell was decided.
const (
	byMemory      = "memory"
	byUtilisation = "utilisation"
	byLatency     = "latency bound"
	bySimulation  = "simulated"
	byWorlds      = "worlds"
	byMonotony    = "monotone"
)

type solver struct {
	judge    *judge.Judge
	plan     *plan.Plan
	source   *plan.Source
	axes     []plan.Axis
	cells    []*cell
	runs     int
	replicas int64 // largest number of requests that a cell took, from which the cost of the whole grid is estimated
}

// Solve finds the cheapest cell that passes under all conditions of the plan.
func Solve(ctx context.Context, j *judge.Judge, source *plan.Source, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
	if err := source.Searchable(); err != nil {
		return nil, err
	}
	s := &solver{judge: j, plan: p, source: source, axes: p.Solve.Over}
	if p.Solve.Maximise != "" {
		return s.maxRate(ctx, warnings)
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	best, err := s.search(ctx)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, best, warnings)
}

// level returns the confidence at which each condition of a plan is judged, after
// Bonferroni's correction for conditions and windows (CAP-5.9).
func level(p *plan.Plan, conditions []model.Condition) float64 {
	return 1 - (1-float64(p.Precision.Verdict))/float64(len(conditions)*len(p.Windows()))
}

// namesOf returns the names of conditions for reports. The condition without text is called
// normal.
func namesOf(conditions []model.Condition) []string {
	return lists.MapOrNil(conditions, func(c model.Condition) string { return cmp.Or(c.Text, "normal") })
}

// open builds the cells of the search and excludes cells by bounds. Its error is [plan.Problems] if
// a value of the search is not valid.
func (s *solver) open() error {
	var tried []plan.Tried
	for _, values := range engines.Product(s.axes) {
		c := &cell{values: values}
		c.Point, c.Numbers = judge.PointOf(values), engines.NumbersOf(values)
		for k, v := range values {
			c.index = append(c.index, slices.Index(s.axes[k].Values, v.Text))
		}
		made, _, err := s.source.With(values)
		tried = append(tried, plan.Tried{Values: values, Err: err})
		if made != nil {
			c.Cost, c.Containers = made.Cost(), engines.Containers(made)
		}
		if err != nil {
			c.exclude(byMemory, "memory at a rollover", plan.Portable(err))
		} else {
			made.Seed = s.plan.Seed
			c.plan, c.conditions = made, judge.Conditions(made)
			s.bound(c)
		}
		c.goal = s.goalOf(c)
		s.cells = append(s.cells, c)
	}
	if wrong := s.source.Nonsense(s.axes, tried, "solve", "over"); len(wrong) > 0 {
		return wrong
	}
	slices.SortStableFunc(s.cells, func(a, b *cell) int {
		return cmp.Or(cmp.Compare(a.goal, b.goal), slices.Compare(a.index, b.index))
	})
	return nil
}

func (s *solver) goalOf(c *cell) float64 {
	if s.plan.Solve.Minimise == "cost" {
		return c.Cost
	}
	return float64(c.Containers)
}

// search simulates cells without an outcome that are cheaper than the best cell so far. Cells that
// formulas put nearest to the limit come first. If a cell fails, all cells that are no larger than
// it for any input of the search are excluded as well (see spread).
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
				best.forget()
				best = c
			} else {
				c.forget()
			}
		case result.Fail:
			s.spread(c)
		}
		if !s.within() {
			return best, nil
		}
	}
}

// forget frees the memory of a cell's records. It does nothing for a nil cell.
func (c *cell) forget() {
	if c == nil {
		return
	}
	for _, e := range c.judged {
		e.Forget()
	}
}

// p99 returns the cell's p99(request) in the normal condition, infinity if it has none.
func (c *cell) p99() float64 {
	for _, e := range c.Estimates {
		if e.Metric == "p99(request)" && e.Scope.Condition == "" && e.Scope.Model == "" && e.Value != nil {
			return *e.Value
		}
	}
	return math.Inf(1)
}

// undecided returns the cells without an outcome that are cheaper than the best cell.
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

// pick returns the cell to simulate next: the middle of the open cells, which halves their
// number. Before any cell has passed it returns the first cell whose estimate meets the
// objective. Cells with an estimate far above an objective come last (CAP-6.2).
func (s *solver) pick(open []*cell, best *cell) *cell {
	limit := s.p99Limit()
	if best == nil && limit > 0 {
		for _, c := range open {
			if c.estimate > 0 && c.estimate <= limit && !slices.ContainsFunc(s.cells, func(d *cell) bool { return d.Outcome == result.Fail && d.estimate >= c.estimate }) {
				return c
			}
		}
	}
	const far = 2
	if near := slices.DeleteFunc(slices.Clone(open), func(c *cell) bool { return limit > 0 && c.estimate > far*limit }); len(near) > 0 {
		open = near
	}
	return open[len(open)/2]
}

// p99Limit returns the lowest limit in nanoseconds that objectives set for p99(request), 0
// when none sets any.
func (s *solver) p99Limit() float64 {
	least := 0.0
	for _, o := range s.plan.Objectives() {
		if o.Name() == "p99(request)" && o.Model == "" && (least == 0 || o.Limit < least) {
			least = o.Limit
		}
	}
	return least
}

// simulate judges a cell under all conditions and stops at the first condition that fails.
// It keeps records only of a cell that passes.
func (s *solver) simulate(ctx context.Context, c *cell) error {
	err := s.judged(ctx, c)
	s.took(c)
	return err
}

// judged simulates a cell without changing the solver's counts, so cells can be judged in
// parallel.
func (s *solver) judged(ctx context.Context, c *cell) error {
	defer func() {
		if c.Outcome != result.Pass {
			c.forget()
		}
	}()
	c.Outcome, c.Argument, c.Constraint, c.Reason = result.Pass, bySimulation, "", ""
	for _, condition := range c.conditions {
		e, err := s.judge.Evaluate(ctx, c.plan, condition, judge.Goal{Confidence: level(c.plan, c.conditions), Reject: true, Records: true})
		if err != nil {
			return err
		}
		c.judged = append(c.judged, e)
		verdicts := e.Verdicts()
		c.Verdicts = append(c.Verdicts, verdicts...)
		c.Estimates = append(c.Estimates, headline(e.Estimates())...)
		if worst := judge.Worst(verdicts); worst != result.Pass {
			c.Outcome, c.Constraint, c.Reason = worst, judge.Broken(verdicts), judge.Why(verdicts)
		}
		if c.Outcome == result.Fail {
			return nil
		}
	}
	if c.Outcome == result.Pass && len(s.plan.Uncertain) > 0 {
		return s.inWorlds(ctx, c)
	}
	return nil
}

// took adds a simulated cell to the solver's counts.
func (s *solver) took(c *cell) {
	s.runs++
	for _, e := range c.judged {
		for _, w := range e.Windows {
			s.replicas = max(s.replicas, w.Sum.Requests)
		}
	}
}

// inWorlds judges a cell in the worlds of uncertain inputs. The cell has passed with middle
// values before.
func (s *solver) inWorlds(ctx context.Context, c *cell) error {
	worlds, err := judge.Worlds(s.source, c.plan, c.values)
	if err != nil {
		return err
	}
	w := judge.NewWorlds(c.plan, worlds)
	pass, fail, undecided, err := s.judge.InWorlds(ctx, worlds, judge.Conditions, w, judge.Goal{Confidence: level(c.plan, c.conditions), Reject: true})
	if err != nil {
		return err
	}
	c.Outcome = w.Judge(pass, fail)
	c.Worlds = &result.CellWorlds{Count: w.Count, Pass: pass, Fail: fail, Undecided: undecided}
	if c.Outcome != result.Pass {
		c.Argument = byWorlds
		c.Constraint = fmt.Sprintf("%s of worlds", quantity.Format(quantity.Percent, w.Hold))
		c.Reason = fmt.Sprintf("holds in %d of %d worlds that were simulated, not in %d: %s of %d are wanted", pass, pass+fail+undecided, fail, quantity.Format(quantity.Percent, w.Hold), w.Count)
	}
	return nil
}

// headline keeps only the estimates that reports show for a cell.
func headline(list []result.Estimate) []result.Estimate {
	return slices.DeleteFunc(list, func(e result.Estimate) bool {
		return e.Metric != "p99(request)" && e.Metric != "mean(request)" && e.Metric != "errors" && e.Metric != "goodput"
	})
}

// spread excludes cells without an outcome that have, for every input of the search, at most the
// value of the failed cell. This is valid only for inputs of which more never hurts, such as
// replicas. Cells that differ in another input are kept.
func (s *solver) spread(failed *cell) {
	for _, c := range s.cells {
		if c.Outcome == "" && s.below(c, failed) {
			c.exclude(byMonotony, failed.Constraint, "less of everything than "+fmt.Sprint(failed.Point)+", which fails")
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

// monotone reports whether a higher value of an input of the search never makes latencies longer.
// This is true of replicas, cores and threads, but not of shards.
func (s *solver) monotone(axis int) bool {
	a := s.axes[axis]
	path := plan.RootPath(a.Path)
	return a.Ordered && slices.Contains([]string{
		"fleet.entry.replicas", "fleet.ps.replicas", "fleet.dense.replicas", "fleet.ps.replicas.hottest", "fleet.ps.replicas.default",
		"fleet.entry.cpu", "fleet.ps.cpu", "fleet.dense.cpu", "fleet.multiplier"}, path)
}

// within reports whether the search is still within the plan's budget of requests and time.
func (s *solver) within() bool {
	requests := s.judge.Taken()
	b := s.plan.Budget
	return (b.Requests <= 0 || requests < int64(b.Requests)) && !s.judge.Late()
}
