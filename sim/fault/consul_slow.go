package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/consul"
)

var _ = register(consulFault(
	cluster.FaultKind{
		Name:  "consul.slow",
		Help:  "Every answer of the Consul agent waits; requests are carried out as they come in.",
		Lasts: "Consul answers after {duration}",
		Ends:  "Consul no longer answers after {duration}",
		Onset: "Consul begins to answer after {duration}",
	},
	func(c *consul.Faults, f cluster.Fault) { c.Delay = f.Duration },
	func(c *consul.Faults, _ cluster.Fault) { c.Delay = 0 },
))
