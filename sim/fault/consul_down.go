package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "consul.down",
		Help:  "The Consul agent is down: connections end, and new ones are refused. It keeps what is registered.",
		Lasts: "Consul is down",
		Ends:  "Consul is up again",
		Onset: "Consul goes down",
	},
	Begin: func(w *world.World, _ cluster.Fault) error {
		s, err := consulOf(w)
		if err == nil {
			s.Stop()
		}
		return err
	},
	End: func(w *world.World, _ cluster.Fault) error {
		s, err := consulOf(w)
		if err != nil {
			return err
		}
		return s.Start()
	},
})
