package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/world"
)

var modelServerKinds = []Kind{
	{
		FaultKind: cluster.FaultKind{
			Name:   "modelserver.killed",
			Help:   "A model server ends at once by SIGKILL.",
			Begins: "{server} is killed",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			p, err := w.FindPod(f.Pod)
			if err != nil {
				return err
			}
			s, err := p.ModelServer(f.Server)
			if err != nil {
				return err
			}
			if err := s.Process.Signal(env.SIGKILL); err != nil {
				return err
			}
			return w.Settle()
		},
	},
}
