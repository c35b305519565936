package search

import (
	"cmp"
	"fmt"
	"math"

	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// exclude marks a cell as excluded without a simulation. argument says how it was excluded,
// and constraint names what the cell violates.
func (c *cell) exclude(argument, constraint, reason string) {
	c.Outcome, c.Argument, c.Constraint, c.Reason = result.Excluded, argument, constraint, reason
}

// fullest returns the utilization of the fullest shard of a tier at a rate. It counts the
// containers that are left under the condition of spec, and all that an autoscaler or an event may
// add. It returns infinity if a shard has no container left.
func fullest(p *plan.Plan, spec *model.Spec, tier int, rate float64) float64 {
	most, works := 0.0, p.Works(plan.TierNames[tier])
	t := &spec.Tiers[tier]
	// A container can be fuller than the mean because more of its callers are near (see Filled).
	// That counts only if no containers are added and no clients move, since it is unknown where
	// they go.
	near := t.Most == 0 && !p.Evacuates()
	for shard, live := range spec.Live(tier) {
		if more := t.Most - t.Replicas[shard]; more > 0 {
			live += more
		}
		if live <= 0 {
			return math.Inf(1)
		}
		most = math.Max(most, rate*works[shard]/float64(live*spec.Control.Thin))
		if near {
			most = math.Max(most, rate*spec.Filled(tier, shard)/float64(spec.Control.Thin))
		}
		if spec.Mixed && tier == model.PS {
			most = math.Max(most, rate*spec.Work(tier, shard)/float64(live))
		}
	}
	return most
}

// full describes the utilization of a tier in words.
func full(tier string, utilisation float64) string {
	if math.IsInf(utilisation, 0) {
		return "a shard of " + tier + " has no container left"
	}
	return fmt.Sprintf("%s is %.0f %% full", tier, utilisation*100)
}

// bound excludes a cell, without a simulation, if it cannot meet the objectives. The reasons are:
// ZooKeeper has too little memory for the watches of the agents (CAP-3.16), a tier is full under
// some condition, or the latency is above the limit even without queues.
func (s *solver) bound(c *cell) {
	if over := c.plan.OverHeap(); over != "" {
		c.exclude(byMemory, "memory of ZooKeeper", over)
		return
	}
	if over := ensemble.OverBurst(c.plan); over != "" {
		c.exclude(byUtilisation, "bursts at ZooKeeper", over)
		return
	}
	for _, condition := range c.conditions {
		spec, rate := model.Compile(c.plan, condition), judge.PeakUnder(c.plan, condition)
		for t, name := range plan.TierNames {
			if !spec.Has(t) {
				continue
			}
			if u := fullest(c.plan, spec, t, rate); u >= 1 {
				under := cmp.Or(condition.Text, "normal")
				c.exclude(byUtilisation, "utilisation of "+name+" < 100 % under "+under, full(name, u)+" under "+under)
				return
			}
		}
	}
	if slo, reason := judge.Floors(c.plan).Missed(); slo != "" {
		c.exclude(byLatency, slo, slo+": "+reason)
		return
	}
	c.estimate, _ = judge.Estimate(c.plan)
	c.Closed = c.estimate
}
