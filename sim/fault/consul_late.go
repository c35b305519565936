package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/consul"
)

var _ = register(consulFault(
	cluster.FaultKind{
		Name:  "consul.late",
		Help:  "Look-ups of Consul list a service only a time after its registration.",
		Lasts: "Consul lists processes {duration} late",
		Ends:  "Consul no longer lists processes {duration} late",
		Onset: "Consul begins to list processes {duration} late",
	},
	func(c *consul.Faults, f cluster.Fault) { c.Lag = f.Duration },
	func(c *consul.Faults, _ cluster.Fault) { c.Lag = 0 },
))
