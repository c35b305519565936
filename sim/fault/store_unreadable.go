package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "store.unreadable",
		Help:  "Reading the base path of a sub-graph, or anything below it, fails.",
		Lasts: "the base path of {model} cannot be read",
		Ends:  "the base path of {model} can be read again",
		Onset: "the base path of {model} becomes unreadable",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		fs, dir := storeOf(w, f)
		fs.Freeze(dir)
		return nil
	},
	End: func(w *world.World, f cluster.Fault) error {
		fs, dir := storeOf(w, f)
		fs.Thaw(dir)
		return nil
	},
})
