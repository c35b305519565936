package agentcheck

import (
	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/runners"
)

// order records which models of agents v1 have been AVAILABLE on some server so far.
type order struct{ served map[string]bool }

// served handles an observation of a model server. It checks that an entry serves only after every
// PS has served somewhere. If the dense part runs alone, it must have served, too
// (agent_v1.py:139-166).
func (c *Checker) served(o runners.Observation) {
	switch {
	case o.Op == "modelserver.state":
		c.changed(o)
	case o.Op == "modelserver.serving" && o.Path == "":
		delete(c.shut, o.Pod)
	case o.Op == "modelserver.serving" && o.Path == "entry":
		for _, a := range c.view.Agents(o.Pod) {
			if v1, ok := a.(*agent.AgentV1); ok {
				c.inOrder(o.Pod, before(v1.Conf()))
			}
		}
	}
}

func (c *Checker) inOrder(pod string, models []string) {
	for _, model := range models {
		if !c.order.served[model] {
			c.breaks(Order, pod+" "+model, "the entry of %s serves, and %s was AVAILABLE nowhere so far, want that first", pod, model)
		}
	}
}
