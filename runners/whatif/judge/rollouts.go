package judge

import (
	"fmt"
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
	"github.com/monosim/monosim/runners/whatif/theory"
)

// hasRollout reports whether a tier loads new versions from files. PS containers with agents of
// version 1 load none if they look for files only once, because their parameters are then updated
// in place.
func hasRollout(p *plan.Plan, tier string) bool {
	return !(tier == "ps" && p.Model.AgentVersion == 1 && p.Override.FSPollPS == 0)
}

// timeToAll returns the mean time until all containers of a tier serve a version, in nanoseconds
// (CAP-7.5). name is a model of the mix, or "" for all. size is the share of the bytes that is new.
// If containers load from a shared store, the result is at least the time that the store needs for
// all of them.
func timeToAll(p *plan.Plan, name, tier string, size float64) float64 {
	poll := p.Override.FSPoll
	if tier == "ps" {
		poll = p.Override.FSPollPS
	}
	a, b := float64(plan.StatusPoll), float64(poll)
	if p.Model.AgentVersion == 3 {
		a, b = 30e9, 60e9
	}
	c := 0.0
	if name == plan.RoughSortName && p.RoughSortBytes(tier) > 0 {
		c = float64(plan.CopyLoop)
	}
	all := theory.TimeToAll(p.Containers(tier), a, b, c, float64(p.LoadTimeOf(name, tier, size)))
	if p.Fleet.Boot.Store > 0 {
		all = max(all, p.LoadBytes(name, tier, size)/float64(p.Fleet.Boot.Store)*1e9)
	}
	return all
}

// rollouts returns the results of each publish, for each tier that has the model.
func (e *Evaluation) rollouts() []result.Rollout {
	var list []result.Rollout
	for k, event := range e.Plan.Events {
		if event.Publish == nil {
			continue
		}
		for t, tier := range plan.TierNames {
			if e.Plan.Fleet.Tier(tier) == nil || e.Plan.NewBytes(event.Publish.Model, tier) == 0 {
				continue
			}
			one := result.Rollout{Version: int(event.Publish.Version), At: int64(event.At), Model: event.Publish.Model, Path: fmt.Sprintf("v%d %s", e.Plan.Model.AgentVersion, tier), Replicas: e.Plan.ReplicasOf(tier, 1)}
			switch {
			case hasRollout(e.Plan, tier) && e.Runs == 0:
				one.None = notEnough(0, 2)
			case hasRollout(e.Plan, tier):
				e.rollout(&one, k, t, event.Publish)
			default:
				one.None = "parameters come in place, there is no roll-out of files"
				if event.Publish.Model == plan.RoughSortName {
					one.None = "its model server looks once (file_system_poll_wait_seconds_ps 0): a copy is never found"
				}
			}
			list = append(list, one)
		}
	}
	return list
}

// rolloutOf returns how the version spread that event number i publishes. It returns nil if the
// simulation of the replication did not include the publish.
func rolloutOf(life *model.Life, i int) *model.Rollout {
	k := slices.IndexFunc(life.Rollouts, func(r model.Rollout) bool { return r.Event == i })
	if k < 0 {
		return nil
	}
	return &life.Rollouts[k]
}

// rollout fills in the results in a tier of the publish that is event number k.
func (e *Evaluation) rollout(out *result.Rollout, k, tier int, publish *plan.Publish) {
	out.Closed = timeToAll(e.Plan, publish.Model, plan.TierNames[tier], float64(publish.Size))
	out.MinServing = math.MaxInt
	var all, toAll []float64
	shards := make([][]float64, len(e.Spec.Tiers[tier].Replicas))
	of, whole := make([]int, len(shards)), true
	for n := range e.lives {
		r := rolloutOf(&e.lives[n], k)
		if r == nil {
			continue
		}
		out.MinServing = min(out.MinServing, int(r.Serving[tier])*e.Spec.Control.Thin)
		want, served, last := 0, 0, 0.0
		for shard, n := range r.Of[tier] {
			want += n
			of[shard] += n
		}
		for shard, times := range r.Served[tier] {
			for _, ns := range times {
				served++
				last = max(last, float64(ns))
				all = append(all, float64(ns))
				shards[shard] = append(shards[shard], float64(ns))
			}
		}
		whole = whole && served >= want
		toAll = append(toAll, last)
	}
	if whole && len(toAll) > 1 {
		mean, half := stats.Interval(toAll, float64(e.Plan.Precision.Level))
		ci := around(mean, half)
		out.ToAll, out.CI = &mean, &ci
	}
	total := 0
	for _, n := range of {
		total += n
	}
	out.Curve = curve(all, total)
	if len(shards) > 1 {
		for shard, times := range shards[:min(len(shards), mostShards)] {
			out.Shards = append(out.Shards, result.ShardCurve{Shard: shard, Curve: curve(times, of[shard])})
		}
	}
}

// mostShards is the number of shards, at most, that get a curve of their own. curvePoints is the
// approximate number of points of a curve.
const (
	mostShards  = 16
	curvePoints = 50
)

// curve returns the share of n replicas that serve the version, over time.
func curve(times []float64, n int) []result.CDFPoint {
	slices.Sort(times)
	list := []result.CDFPoint{{}}
	step := max(1, len(times)/curvePoints)
	for i, ns := range times {
		if (i+1)%step == 0 || i == len(times)-1 {
			list = append(list, result.CDFPoint{Latency: int64(ns), Fraction: float64(i+1) / float64(n)})
		}
	}
	return list
}

// live returns how many containers of a tier exist at an instant, as a mean over replications.
func (e *Evaluation) live(tier int, at int64) float64 {
	if name := plan.TierNames[tier]; len(e.lives) == 0 || e.lives[0].Live[tier] == nil {
		return float64(e.Plan.Containers(name))
	}
	sum := 0
	for _, life := range e.lives {
		sum += model.StepAt(life.Live[tier], at)
	}
	return float64(sum*e.Spec.Control.Thin) / float64(len(e.lives))
}
