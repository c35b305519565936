package judge

import (
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// scaled returns the cost of containers over the horizon when their number changes, by an
// autoscaler or by events. It returns nil when it does not. A container costs nothing while
// it is down.
func (e *Evaluation) scaled() *result.Scaled {
	p := e.Plan
	if !p.Autoscale.Any() && !slices.ContainsFunc(p.Events, func(one plan.Event) bool { return one.Scale != nil }) {
		return nil
	}
	var costs, counts []float64
	out := &result.Scaled{Confidence: float64(p.Precision.Level)}
	for i := 0; i < len(e.lives); i += max(len(e.Windows), 1) { // each replication once
		cost, count := e.over(&e.lives[i], out)
		costs, counts = append(costs, cost), append(counts, count)
	}
	if out.Runs = len(costs); out.Runs < 2 {
		return nil
	}
	mean, half := stats.Interval(costs, out.Confidence)
	out.Cost, out.CI = mean, around(mean, half)
	out.Containers, _ = stats.Mean(counts)
	return out
}

// over returns the hourly cost and the number of containers in a replication, as means over
// the horizon. It updates the maxima of both in out.
func (e *Evaluation) over(life *model.Life, out *result.Scaled) (cost, count float64) {
	horizon := int64(e.Plan.Workload.Horizon)
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

// atOnce returns the hourly cost and the number of containers of a replication at an
// instant.
func (e *Evaluation) atOnce(life *model.Life, at int64) (hourly, n float64) {
	for tier, name := range plan.TierNames {
		t := e.Plan.Fleet.Tier(name)
		if t == nil {
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
