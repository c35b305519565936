package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "trainer.application-killed",
		Help:   "The application master ends all processes of the training job by SIGKILL; none is started again.",
		Begins: "the application is killed",
	},
	Begin: func(w *world.World, _ cluster.Fault) error {
		if len(w.Trainers()) == 0 {
			return fmt.Errorf("application: found no training job, want one to kill")
		}
		w.EndApplication()
		return w.Settle()
	},
})
