package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/consul"
)

var _ = register(consulFault(
	cluster.FaultKind{
		Name:  "consul.torn",
		Help:  "Every answer of the Consul agent that has a body ends in the middle of it, and the connection with it.",
		Lasts: "Consul tears its answers",
		Ends:  "Consul no longer tears its answers",
		Onset: "Consul begins to tear its answers",
	},
	func(c *consul.Faults, _ cluster.Fault) { c.Cut = true },
	func(c *consul.Faults, _ cluster.Fault) { c.Cut = false },
))
