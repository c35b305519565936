package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "trainer.memory",
		Help:   "The memory of a PS comes to a size, which its health says from then on.",
		Begins: "the memory of {trainer} comes to {size}",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		t, err := w.FindTrainer(f.Pod)
		if err != nil {
			return err
		}
		if t.Role != "ps" {
			return fmt.Errorf("memory: found %s, want a PS: nobody asks for that of others", f.Pod)
		}
		w.Hazards().SetRSSBytes(t.Index, f.SizeBytes)
		return nil
	},
})
