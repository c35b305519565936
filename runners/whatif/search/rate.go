package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/engines"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// ratePath is the path of the plan that a search over the rate changes.
const ratePath = "workload.arrivals.rate_scale"

// wholeStep is the default resolution of the search, as a fraction of the rate at which a
// tier is full.
const wholeStep = 0.02

// curveAt lists further fractions of the full rate at which latency is simulated, for the
// curve over load.
var curveAt = []float64{0.1, 0.3, 0.5, 0.7}

// rates searches for the highest rate. Its steps are equal fractions of the rate at which a
// tier is full.
type rates struct {
	*solver
	conditions []model.Condition
	peak, full float64 // peak rate of the plan, and rate at which a tier is full
	steps      int     // number of steps up to the rate full
	sections   int     // number of rates that are simulated in parallel
	at         map[int]*cell
}

// maxRate finds the highest rate at which the plan holds, that is, meets its objectives (CAP-6.3).
// It first looks for a rate at which the plan holds, going down from the rate at which a tier is
// full, in steps that double. Then it narrows the interval between a rate that holds and one that
// does not: each round simulates r.sections rates within the interval at the same time.
func (s *solver) maxRate(ctx context.Context, warnings plan.Problems) (*result.Result, error) {
	r := &rates{solver: s, conditions: judge.Conditions(s.plan), peak: s.plan.PeakRate(), sections: max(s.plan.Solve.Sections, 1), at: map[int]*cell{}}
	r.steps = int(math.Round(1 / cmp.Or(float64(s.plan.Solve.Step), wholeStep)))
	if r.peak == 0 {
		return nil, errors.New("solve.maximise: found a closed loop, which has no rate; want workload.rate")
	}
	r.full = r.fullAt()
	low, high, err := r.bracket(ctx)
	for err == nil && low > 0 && high-low > 1 && s.within() {
		low, high, err = r.round(ctx, low, high, r.between(low, high))
	}
	if err != nil {
		return nil, err
	}
	return r.result(ctx, low, high, warnings)
}

// bracket returns the numbers of two steps: low, at which the plan holds (0 if none is found), and
// high, at which it does not hold.
func (r *rates) bracket(ctx context.Context) (low, high int, err error) {
	high = r.steps
	for next, step := r.steps-1, 1; low == 0 && high > 1 && r.within(); {
		var some []int
		for len(some) < r.sections && (len(some) == 0 || next < some[len(some)-1]) {
			some = append(some, next)
			next, step = max(1, next-step), 2*step
		}
		if low, high, err = r.round(ctx, 0, high, some); err != nil {
			return 0, 0, err
		}
	}
	return low, high, nil
}

// between returns up to r.sections rates that divide a bracket evenly.
func (r *rates) between(low, high int) []int {
	var some []int
	for i := range r.sections {
		if k := low + (high-low)*(i+1)/(r.sections+1); k > low && (len(some) == 0 || k > some[len(some)-1]) {
			some = append(some, k)
		}
	}
	if len(some) == 0 {
		some = []int{low + 1}
	}
	return some
}

// round judges the given rates in parallel and returns the new bracket. Its ends are the highest
// rate that holds and the lowest rate above it that does not.
func (r *rates) round(ctx context.Context, low, high int, some []int) (int, int, error) {
	if err := r.judgeAll(ctx, some); err != nil {
		return 0, 0, err
	}
	slices.Sort(some)
	for _, k := range some {
		if r.at[k].Outcome == result.Pass {
			low = k
		}
	}
	for _, k := range slices.Backward(some) {
		if k > low {
			high = k
		}
	}
	return low, high, nil
}

// judgeAll judges the rates that have not been judged yet.
func (r *rates) judgeAll(ctx context.Context, some []int) error {
	var open []*cell
	for _, k := range some {
		c, err := r.cell(k)
		if err != nil {
			return err
		}
		if c.Outcome == "" {
			r.bound(c)
		}
		if c.Outcome == "" {
			open = append(open, c)
		}
	}
	errs := make([]error, len(open))
	var wait sync.WaitGroup
	for i, c := range open {
		wait.Go(func() { errs[i] = r.judged(ctx, c) })
	}
	wait.Wait()
	for _, c := range open {
		r.took(c)
	}
	return errors.Join(errs...)
}

// fullAt returns the lowest rate at which a tier is fully utilized under some condition.
func (r *rates) fullAt() float64 {
	least := math.Inf(1)
	for _, condition := range r.conditions {
		spec := model.Compile(r.plan, condition)
		for t := range plan.TierNames {
			if spec.Has(t) {
				least = math.Min(least, 1/fullest(r.plan, spec, t, 1))
			}
		}
	}
	return least
}

// cell returns the plan at the rate of step k, which is k / r.steps of the full rate. Repeated
// calls return the same cell.
func (r *rates) cell(k int) (*cell, error) {
	if c := r.at[k]; c != nil {
		return c, nil
	}
	scale := r.full * float64(k) / float64(r.steps) / r.peak * float64(r.plan.Workload.Arrivals.RateScale)
	values := []plan.Value{{Path: ratePath, Text: strconv.FormatFloat(scale, 'g', 6, 64) + "x"}}
	made, _, err := r.source.With(values)
	if err != nil {
		return nil, err
	}
	made.Seed = r.plan.Seed
	c := &cell{values: values, plan: made, conditions: r.conditions}
	c.Point, c.Cost, c.Containers, c.Rate = judge.PointOf(values), made.Cost(), engines.Containers(made), made.PeakRate()
	c.Numbers = engines.NumbersOf(values)
	r.at[k] = c
	return c, nil
}

// result returns the answer of the search. The plan holds at the rate of step low and does
// not hold at the rate of step high.
func (r *rates) result(ctx context.Context, low, high int, warnings plan.Problems) (*result.Result, error) {
	requests := r.judge.Taken()
	cert := r.under(r.plan)
	cert.Cells, cert.Excluded[byUtilisation], cert.Requests = r.steps-1, 1, requests
	cert.GridCost = r.replicas * int64(r.steps-1) * int64(len(r.conditions))
	above := r.at[high]
	cert.Complete = low > 0 && high == low+1 && (above == nil || above.Outcome != result.Undecided)
	best, answered := r.at[low], r.plan
	if best != nil {
		answered = best.plan
	} else if above != nil {
		cert.Binding = bindingOf([]*cell{above})
	}
	out := judge.New("solve", answered, warnings)
	out.ScenarioHash, out.Plan, out.Certificate = r.plan.Hash(), r.plan.Name, cert
	out.Marked = r.judge.Late()
	out.Stopped = "proved maximal"
	if above != nil {
		above.Knob = ratePath
		out.Neighbours = []result.Cell{above.Cell}
	}
	switch {
	case best == nil && !r.within():
		out.Stopped, out.Exit = r.stopped("bracket not found"), result.ExitUndecided
	case best == nil:
		out.Stopped, out.Exit = "bracket not found", result.ExitMissed
		if above != nil && above.Outcome == result.Undecided {
			out.Exit = result.ExitUndecided
		}
	case !cert.Complete:
		out.Stopped, out.Exit = r.stopped("undecided cells"), result.ExitUndecided
	}
	if best != nil {
		r.fill(best, out, cert.Complete)
		out.Answer.Rate = best.Rate
	}
	if err := r.curve(ctx, out); err != nil {
		return nil, err
	}
	for _, c := range out.Sweeps[0].Cells {
		cert.All = append(cert.All, c)
		if c.Outcome == result.Undecided {
			cert.Open = append(cert.Open, c)
		}
	}
	return out, nil
}

// curve adds to the result the latency at each rate, for all rates simulated so far and some lower
// rates. The knee of this curve is the rate at which p99 is twice the p99 at the lowest rate.
func (r *rates) curve(ctx context.Context, out *result.Result) error {
	some := lists.MapOrNil(curveAt, func(part float64) int { return max(1, int(part*float64(r.steps)+0.5)) })
	for part := range slices.Chunk(slices.Compact(some), r.sections) {
		if !r.within() {
			break
		}
		if err := r.judgeAll(ctx, part); err != nil {
			return err
		}
	}
	sweep := result.Sweep{Name: "rate", Paths: []string{ratePath}}
	for _, k := range slices.Sorted(maps.Keys(r.at)) {
		sweep.Cells = append(sweep.Cells, r.at[k].Cell)
	}
	sweep.Knee = sweep.FindKnee()
	out.Sweeps = []result.Sweep{sweep}
	if out.Answer != nil {
		out.Answer.Knee = sweep.Knee
	}
	return nil
}
