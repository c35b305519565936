package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "trainer.save-errors",
		Help:   "The next writes of a checkpoint fail with an error of TensorFlow.",
		Begins: "the next {n} write(s) of a checkpoint fail(s)",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		if len(w.Trainers()) == 0 {
			return fmt.Errorf("checkpoint: found no training job, want one that writes them")
		}
		w.Hazards().SaveErrors = int(f.N)
		return nil
	},
})
