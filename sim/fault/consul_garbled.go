package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/consul"
)

// garbled is a page that a proxy in between may answer with.
const garbled = "<html>It works!</html>"

var _ = register(consulFault(
	cluster.FaultKind{
		Name:  "consul.garbled",
		Help:  "The Consul agent carries requests out, and answers all of them with a page of HTML.",
		Lasts: "Consul answers with HTML",
		Ends:  "Consul no longer answers with HTML",
		Onset: "Consul begins to answer with HTML",
	},
	func(c *consul.Faults, _ cluster.Fault) { c.Text = garbled },
	func(c *consul.Faults, _ cluster.Fault) { c.Text = "" },
))
