package judge

import (
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// scaled returns the cost of containers over the horizon if their number changes, by an
// autoscaler or by events. Otherwise it returns nil. A container costs nothing while it is
// down.
func (e *Evaluation) scaled() *result.Scaled {
	return e.scaledAt(float64(e.Plan.Precision.Level))
}

// scaledAt returns the same cost as scaled, with a confidence interval at the given confidence.
func (e *Evaluation) scaledAt(confidence float64) *result.Scaled {
	p := e.Plan
	if !p.Autoscale.Any() && !slices.ContainsFunc(p.Events, func(one plan.Event) bool { return one.Scale != nil }) {
		return nil
	}
	var costs, counts []float64
	out := &result.Scaled{Confidence: confidence}
	for i := range e.lives {
		cost, count := e.over(&e.lives[i], out)
		costs, counts = append(costs, cost), append(counts, count)
	}
	if out.Runs = len(costs); out.Runs < 2 {
		return nil
	}
	mean, half := stats.Interval(costs, out.Confidence)
	out.Cost, out.CI = mean, around(mean, half)
	out.Containers, _ = stats.Mean(counts)
	if until := e.lives[0].Until; until < int64(p.Workload.Horizon) {
		out.Until = until
	}
	return out
}

// over returns the hourly cost and the number of containers in a replication, as means over
// the known part of the horizon. It updates the maxima of both in out.
func (e *Evaluation) over(life *model.Life, out *result.Scaled) (cost, count float64) {
	horizon := life.Until
	instants := []int64{0}
	for _, steps := range life.Live {
		for _, s := range steps {
			if s.At > 0 && s.At < horizon {
				instants = append(instants, s.At)
			}
		}
	}
	slices.Sort(instants)
	instants = append(slices.Compact(instants), horizon)
	for k, at := range instants[:len(instants)-1] {
		hourly, n := e.atOnce(life, at)
		share := float64(instants[k+1]-at) / float64(horizon)
		cost += float64(hourly * share)
		count += float64(n * share)
		out.Most, out.MostContainers = max(out.Most, hourly), max(out.MostContainers, int(n))
	}
	return cost, count
}

// atOnce returns the hourly cost and the number of containers in a replication at an instant.
func (e *Evaluation) atOnce(life *model.Life, at int64) (hourly, n float64) {
	for tier, name := range plan.TierNames {
		t := e.Plan.Fleet.Tier(name)
		if !slices.Contains(e.Plan.Kinds(), name) {
			continue
		}
		live := float64(e.Plan.Containers(name))
		if steps := life.Live[tier]; steps != nil {
			live = float64(model.StepAt(steps, at) * e.Spec.Control.Thin)
		}
		hourly += float64(live * float64(t.Cost))
		n += live
	}
	return hourly, n
}

// longest returns the index of the window that ends last. For autoscalers that measure the load,
// the samples of this window contain the numbers of containers up to the latest instant.
func (e *Evaluation) longest() int {
	most := 0
	for k := range e.Windows {
		if e.Windows[k].Window.End > e.Windows[most].Window.End {
			most = k
		}
	}
	return most
}

// scalers returns what each autoscaler of the plan did.
func (e *Evaluation) scalers() []result.Scaler {
	var list []result.Scaler
	for tier, name := range plan.TierNames {
		a := e.Plan.Autoscale.Of(name)
		if a == nil || e.Plan.Fleet.Tier(name) == nil {
			continue
		}
		one := result.Scaler{Tier: name, Looks: a.Text(), Oracle: !a.Measured(), Begin: e.Spec.Tiers[tier].Replicas[0], Runs: len(e.lives)}
		for k := range e.lives {
			e.scaler(&one, tier, &e.lives[k], k == 0)
		}
		list = append(list, one)
	}
	return list
}

// scaler adds an autoscaler's actions in one replication.
func (e *Evaluation) scaler(one *result.Scaler, tier int, life *model.Life, first bool) {
	each := 1 / float64(one.Runs)
	last := map[int]bool{} // for each shard, whether the last scaling was upwards
	for _, s := range life.Scalings {
		if s.Tier != tier {
			continue
		}
		if first && s.Shard == 0 {
			one.Steps = append(one.Steps, result.ScaleStep{At: s.At, To: s.To, By: s.Why})
		}
		up := s.To > s.From
		if before, known := last[s.Shard]; known && before != up {
			one.Turns += each
		}
		if last[s.Shard] = up; up {
			one.Ups += each
		} else {
			one.Downs += each
		}
	}
	held := false
	for _, h := range life.Holds {
		if h.Tier != tier || h.To == h.From {
			continue
		}
		held = true
		if one.Held == nil || h.To-h.From > one.Held.To-one.Held.From {
			one.Held = &result.ScaleHold{From: h.From, To: h.To, Why: h.Why, Percent: h.Percent, Report: h.Report, Of: h.Of}
		}
	}
	if held {
		one.HeldIn++
	}
}
