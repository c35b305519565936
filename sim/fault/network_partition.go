package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

// The end also heals a one-way partition between the same places.
var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "network.partition",
		Help:  "Two groups of hosts cannot reach each other: all that is sent between them is lost.",
		Lasts: "{places} is/are cut off from {places}",
		Ends:  "{places} reach(es) {places} again",
		Onset: "{places} get(s) cut off from {places}",
	},
	Begin: func(w *world.World, f cluster.Fault) error { return between(w, f, w.Network().PartitionBoth) },
	End:   func(w *world.World, f cluster.Fault) error { return between(w, f, w.Network().HealBoth) },
})
