package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "network.one-way-partition",
		Help:  "Everything that one group of hosts sends to another is lost; the way back is whole.",
		Lasts: "{places} cannot reach {places}",
		Onset: "{places} can no longer reach {places}",
	},
	Begin: func(w *world.World, f cluster.Fault) error { return between(w, f, w.Network().Partition) },
	End:   func(w *world.World, f cluster.Fault) error { return between(w, f, w.Network().Heal) },
})
