package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/consul"
	"github.com/monosim/monosim/sim/consul/node"
	"github.com/monosim/monosim/sim/world"
)

// consulOf is the Consul agent of a training job.
func consulOf(w *world.World) (*node.Server, error) {
	if s := w.Consul(); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("consul: found none, want a training job with the discovery consul")
}

// onConsul changes what is wrong with the agent.
func onConsul(w *world.World, do func(f *consul.Faults)) error {
	s, err := consulOf(w)
	if err != nil {
		return err
	}
	changed := *s.Agent().Faults()
	do(&changed)
	if err := changed.Check(); err != nil {
		return err
	}
	*s.Agent().Faults() = changed
	return nil
}

// consulFault is a fault that lasts: begin and end change what is wrong with the agent.
func consulFault(k cluster.FaultKind, begin func(c *consul.Faults, f cluster.Fault), end func(c *consul.Faults, f cluster.Fault)) Kind {
	return Kind{
		FaultKind: k,
		Begin: func(w *world.World, f cluster.Fault) error {
			return onConsul(w, func(c *consul.Faults) { begin(c, f) })
		},
		End: func(w *world.World, f cluster.Fault) error {
			return onConsul(w, func(c *consul.Faults) { end(c, f) })
		},
	}
}
