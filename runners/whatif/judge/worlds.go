package judge

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// World is a plan with one randomly drawn value for each uncertain input.
type World struct {
	Values []plan.Value
	Plan   *plan.Plan // nil if the containers cannot hold their models
	Misfit string     // the reason
}

// Worlds returns the worlds of a plan, each with its own drawn values. The values in set, which a
// search tries, replace the plan's. A world's drawn values and random numbers do not depend on set.
// Worlds fails when a drawn value is out of range.
func Worlds(source *plan.Source, p *plan.Plan, set []plan.Value) ([]World, error) {
	var list []World
	for k, values := range p.DrawWorlds() {
		made, _, err := source.With(slices.Concat(values, set))
		w := World{Values: values, Plan: made}
		var problems plan.Problems
		switch {
		case err == nil:
			made.Seed = tasks.Mix(p.Seed, uint64(k)+1)
		case errors.As(err, &problems) && problems.Misfit():
			w.Plan, w.Misfit = nil, plan.Portable(err)
		default:
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

// NewWorlds returns the part of a result about worlds, with what is known before any
// simulation.
func NewWorlds(p *plan.Plan, worlds []World) *result.Worlds {
	settings := p.WorldsOf()
	out := &result.Worlds{Count: len(worlds), Hold: float64(settings.Hold), Interval: float64(settings.Interval)}
	for i := range p.Uncertain {
		u := &p.Uncertain[i]
		one := result.WorldInput{Path: u.Path, Low: u.Low, Mid: u.Mid, High: u.High, Confidence: u.Confidence, Belief: u.Belief}
		if u.Belief != "" {
			one.Confidence = 0
		}
		one.Values = append(one.Values, lists.Map(worlds, func(w World) string { return w.Values[i].Text })...)
		out.Inputs = append(out.Inputs, one)
	}
	return out
}

// AddWorlds simulates the plan, with the values of set, in all of its worlds, and adds the
// results to r. Each world has its own random numbers. So the variance over worlds is the
// sum of the inputs' uncertainty and of the simulation's noise within a world. An objective
// holds if it holds with middle values and in enough worlds.
func (j *Judge) AddWorlds(ctx context.Context, source *plan.Source, p *plan.Plan, set []plan.Value, r *result.Result) error {
	worlds, err := Worlds(source, p, set)
	if err != nil {
		return err
	}
	out := NewWorlds(p, worlds)
	goal := Goal{Records: true}
	if len(p.Objectives()) == 0 {
		goal.Replications = p.Budget.MinReplications
	}
	t := tallies{}
	for k, w := range worlds {
		if w.Plan == nil {
			out.Misfits = append(out.Misfits, w.Misfit)
			continue
		}
		e, err := j.Evaluate(ctx, w.Plan, Normal, goal)
		if err != nil {
			return err
		}
		t.add(k, e)
		r.Records = append(r.Records, e.Records(PointOf(set), k+1)...)
		e.Check(&r.Checks)
		r.Marked = r.Marked || e.Marked
	}
	out.Estimates = t.estimates(out.Interval)
	out.Verdicts = t.verdicts(out)
	t.influence(out)
	r.Worlds = out
	if r.Exit == result.ExitMet {
		r.Exit = exitInWorlds(out.Verdicts)
	}
	return nil
}

// exitInWorlds returns the exit code for the verdicts over all worlds.
func exitInWorlds(list []result.WorldVerdict) int {
	outcomes := lists.MapOrNil(list, func(v result.WorldVerdict) result.Verdict { return result.Verdict{Outcome: v.Outcome} })
	return ExitOf(outcomes)
}

// worldKey identifies an estimate or an objective. It is the same in all worlds.
type worldKey struct {
	name  string
	scope result.Scope
}

// tallies collects estimates and verdicts over worlds.
type tallies struct {
	keys   []worldKey // keys in the order in which they first occurred
	values map[worldKey]*worldValues
	slos   []worldKey
	counts map[worldKey]*result.WorldVerdict
}

type worldValues struct {
	unit     string
	worlds   []int
	values   []float64
	variance []float64 // variance of the estimate within each world
}

func (t *tallies) add(world int, e *Evaluation) {
	if t.values == nil {
		t.values, t.counts = map[worldKey]*worldValues{}, map[worldKey]*result.WorldVerdict{}
	}
	for _, one := range e.withValues(e.Estimates()) {
		if one.Value == nil {
			continue
		}
		key := worldKey{one.Metric, one.Scope}
		v := t.values[key]
		if v == nil {
			v = &worldValues{unit: one.Unit}
			t.values[key] = v
			t.keys = append(t.keys, key)
		}
		v.worlds, v.values = append(v.worlds, world), append(v.values, *one.Value)
		variance := 0.0
		if n := len(one.Values); n > 1 {
			_, variance = stats.Mean(one.Values)
			variance /= float64(n)
		}
		v.variance = append(v.variance, variance)
	}
	for _, one := range e.Verdicts() {
		key := worldKey{one.SLO, one.Scope}
		v := t.counts[key]
		if v == nil {
			v = &result.WorldVerdict{SLO: one.SLO, Scope: one.Scope}
			t.counts[key] = v
			t.slos = append(t.slos, key)
		}
		switch one.Outcome {
		case result.Pass:
			v.Pass++
		case result.Fail:
			v.Fail++
		default:
			v.Undecided++
		}
	}
}

// estimates returns the estimates over all worlds. Variance between worlds that exceeds the
// variance within worlds comes from uncertain inputs.
func (t *tallies) estimates(interval float64) []result.WorldEstimate {
	var list []result.WorldEstimate
	for _, key := range t.keys {
		v := t.values[key]
		mean, variance := stats.Mean(v.values)
		within, _ := stats.Mean(v.variance)
		if len(v.values) < 2 {
			variance = 0
		}
		sorted := slices.Sorted(slices.Values(v.values))
		list = append(list, result.WorldEstimate{Metric: key.name, Scope: key.scope, Unit: v.unit, Mean: mean, Values: v.values,
			Range:     [2]float64{quantile(sorted, (1-interval)/2), quantile(sorted, (1+interval)/2)},
			Epistemic: math.Sqrt(math.Max(0, variance-within)), Aleatory: math.Sqrt(within)})
	}
	return list
}

// quantile returns the p-quantile of sorted values. Value k of n stands for the middle of the k-th
// of n equal parts, because worlds are drawn from n equal parts.
func quantile(sorted []float64, p float64) float64 {
	at := min(max(float64(p*float64(len(sorted)))-0.5, 0), float64(len(sorted)-1))
	k := min(int(at), len(sorted)-1)
	next := min(k+1, len(sorted)-1)
	return sorted[k] + float64((at-float64(k))*(sorted[next]-sorted[k]))
}

func (t *tallies) verdicts(w *result.Worlds) []result.WorldVerdict {
	var list []result.WorldVerdict
	for _, key := range t.slos {
		v := *t.counts[key]
		v.Fail += len(w.Misfits)
		v.Outcome = w.Judge(v.Pass, v.Fail)
		list = append(list, v)
	}
	if len(list) == 0 && len(w.Misfits) > 0 {
		v := result.WorldVerdict{SLO: "containers hold their models", Pass: w.Count - len(w.Misfits), Fail: len(w.Misfits)}
		v.Outcome = w.Judge(v.Pass, v.Fail)
		list = append(list, v)
	}
	return list
}

// influence computes each input's correlation with p99(request), in the window where p99(request)
// is highest.
func (t *tallies) influence(w *result.Worlds) {
	const metric = "p99(request)"
	var worst *worldValues
	for _, key := range t.keys {
		v := t.values[key]
		if key.name == metric && key.scope.Model == "" && (worst == nil || slices.Max(v.values) > slices.Max(worst.values)) {
			worst = v
		}
	}
	if worst == nil || len(worst.values) < 3 {
		return
	}
	for i := range w.Inputs {
		in := &w.Inputs[i]
		drawn := lists.MapOrNil(worst.worlds, func(world int) float64 { return plan.First(in.Values[world]) })
		if c := correlation(ranks(drawn), ranks(worst.values)); !math.IsNaN(c) {
			in.Influence, in.Metric = c, metric
		}
	}
}

// correlation returns the correlation of pairs of values. It is NaN if x or y does not vary.
func correlation(x, y []float64) float64 {
	meanX, _ := stats.Mean(x)
	meanY, _ := stats.Mean(y)
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		xx += float64(dx * dx)
		yy += float64(dy * dy)
		xy += float64(dx * dy)
	}
	return xy / math.Sqrt(xx*yy)
}

// ranks returns the position of each value in sorted order. Equal values all get the mean of
// their positions.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		end := i
		for end < len(order) && values[order[end]] == values[order[i]] {
			end++
		}
		for k := i; k < end; k++ {
			out[order[k]] = float64(i+end-1) / 2
		}
		i = end
	}
	return out
}

// InWorlds judges conditions in one world after another, until enough worlds pass or fail.
// It returns how many worlds have each outcome. A world passes if it passes under all
// conditions.
func (j *Judge) InWorlds(ctx context.Context, worlds []World, conditions func(*plan.Plan) []model.Condition, w *result.Worlds, g Goal) (pass, fail, undecided int, err error) {
	for _, world := range worlds {
		if outcome := w.Judge(pass, fail); outcome != result.Undecided {
			return pass, fail, undecided, nil
		}
		outcome := result.Fail
		if world.Plan != nil {
			outcome, err = j.InWorld(ctx, world.Plan, conditions(world.Plan), g)
			if err != nil {
				return 0, 0, 0, err
			}
		}
		switch outcome {
		case result.Pass:
			pass++
		case result.Fail:
			fail++
		default:
			undecided++
		}
	}
	return pass, fail, undecided, nil
}

// InWorld returns the worst outcome of a plan under the given conditions.
func (j *Judge) InWorld(ctx context.Context, p *plan.Plan, conditions []model.Condition, g Goal) (string, error) {
	worst := result.Pass
	for _, c := range conditions {
		e, err := j.Evaluate(ctx, p, c, g)
		if err != nil {
			return "", err
		}
		switch Worst(e.Verdicts()) {
		case result.Fail:
			return result.Fail, nil
		case result.Undecided:
			worst = result.Undecided
		}
	}
	return worst, nil
}
