package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "consul.forgets",
		Help:   "The Consul agent loses all that is registered, as one without a data directory does when it is started again.",
		Begins: "Consul forgets what is registered",
	},
	Begin: func(w *world.World, _ cluster.Fault) error {
		s, err := consulOf(w)
		if err == nil {
			s.Agent().Forget()
		}
		return err
	},
})
