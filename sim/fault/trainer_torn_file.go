package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "trainer.torn-file",
		Help:   "A file that the training job shares ends in the middle, as after a write that was cut off.",
		Begins: "the stored file {path} is torn",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		return changeStored(w, f, func(data []byte) []byte { return data[:len(data)/2] })
	},
})
