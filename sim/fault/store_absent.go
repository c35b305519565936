package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "store.absent",
		Help:  "The base path of a sub-graph is not there; at the end it is back with all that was in it.",
		Lasts: "the base path of {model} is missing",
		Ends:  "the base path of {model} is back",
		Onset: "the base path of {model} goes missing",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		fs, dir := storeOf(w, f)
		return move(fs, dir, aside(dir))
	},
	End: func(w *world.World, f cluster.Fault) error {
		fs, dir := storeOf(w, f)
		return fs.Rename(aside(dir), dir)
	},
})
