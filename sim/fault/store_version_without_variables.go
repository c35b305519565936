package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "store.version-without-variables",
		Help:  "A version is still being copied: its graph is there, its variables come with the end.",
		Lasts: "version {n} of {model} is exported without its variables of {size}",
		Ends:  "the variables of version {n} of {model} arrive",
		Onset: "the export of version {n} of {model} begins without its variables of {size}",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		fs, version := versionOf(w, f)
		if err := fs.AddSized(aside(version)+variablesFile, f.SizeBytes); err != nil {
			return err
		}
		return writeGraph(fs, version)
	},
	End: func(w *world.World, f cluster.Fault) error {
		fs, version := versionOf(w, f)
		if err := wantMissing(fs, f, version+variablesFile); err != nil {
			return err
		}
		return move(fs, aside(version)+variablesFile, version+variablesFile)
	},
})
