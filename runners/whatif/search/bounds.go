package search

import (
	"cmp"
	"fmt"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

func (c *cell) exclude(argument, reason string) {
	c.Outcome, c.Argument, c.Reason = excluded, argument, reason
}

// bound excludes a cell that cannot hold, whatever the requests do: a tier is full under
// some condition, or the work alone takes longer than an objective allows.
func (s *solver) bound(c *cell) {
	rate := c.plan.PeakRate()
	for _, condition := range judge.Conditions(c.plan) {
		spec := model.Compile(c.plan, condition)
		for t, name := range plan.TierNames {
			if !spec.Has(t) {
				continue
			}
			live := spec.Live(t)
			if u := c.plan.Offered(name, rate, float64(live)*float64(spec.Control.Thin)); u >= 1 {
				c.exclude(byUtilisation, fmt.Sprintf("%s is %.0f %% full under %s", name, min(u, 99.99)*100, cmp.Or(condition.Text, "normal")))
				return
			}
		}
	}
	for _, o := range c.plan.SLO {
		if o.Name() == "mean(request)" && judge.LatencyBound(c.plan) > o.Limit {
			c.exclude(byLatency, fmt.Sprintf("the work alone takes longer than %s", o.Text))
			return
		}
	}
	c.estimate, _ = judge.Estimate(c.plan)
}
