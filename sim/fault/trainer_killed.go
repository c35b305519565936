package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/world"
)

// The process comes back after TrainingSpec.RestartAfter, if that is set.
var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "trainer.killed",
		Help:   "A process of the training job ends at once by SIGKILL.",
		Begins: "{trainer} is killed",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		t, err := w.FindTrainer(f.Pod)
		if err != nil {
			return err
		}
		if t.Process() == nil {
			return fmt.Errorf("%s: found it not running, want a process to kill", f.Pod)
		}
		if err := t.Process().Signal(env.SIGKILL); err != nil {
			return err
		}
		return w.Settle()
	},
})
