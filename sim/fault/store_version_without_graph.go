package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "store.version-without-graph",
		Help:  "A version is still being copied: its variables are there, its graph comes with the end.",
		Lasts: "version {n} of {model} is exported without its graph, with variables of {size}",
		Ends:  "the graph of version {n} of {model} arrives",
		Onset: "the export of version {n} of {model} begins without its graph, with variables of {size}",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		fs, version := versionOf(w, f)
		return fs.AddSized(version+variablesFile, f.SizeBytes)
	},
	End: func(w *world.World, f cluster.Fault) error {
		fs, version := versionOf(w, f)
		if err := wantMissing(fs, f, version+graphFile); err != nil {
			return err
		}
		return writeGraph(fs, version)
	},
})
