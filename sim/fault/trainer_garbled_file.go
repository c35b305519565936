package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "trainer.garbled-file",
		Help:   "A file that the training job shares holds bytes that are no text.",
		Begins: "the stored file {path} is garbled",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		return changeStored(w, f, func([]byte) []byte { return []byte("\xff\xfe\x00\xff") })
	},
})
