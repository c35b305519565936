package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/consul"
)

var _ = register(consulFault(
	cluster.FaultKind{
		Name:  "consul.errors",
		Help:  "The Consul agent answers every request with a status and carries none out.",
		Lasts: "Consul answers with status {status}",
		Ends:  "Consul no longer answers with status {status}",
		Onset: "Consul begins to answer with status {status}",
	},
	func(c *consul.Faults, f cluster.Fault) { c.Status = int(f.N) },
	func(c *consul.Faults, _ cluster.Fault) { c.Status = 0 },
))
