package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "trainer.slow-saves",
		Help:   "Writing a checkpoint takes a time from now on.",
		Begins: "a checkpoint takes {duration} to write",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		if len(w.Trainers()) == 0 {
			return fmt.Errorf("checkpoint: found no training job, want one that writes them")
		}
		w.Hazards().SaveTime = f.Duration
		return nil
	},
})
