package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var versionKinds = []Kind{
	// A version without its graph cannot be loaded (TFS-5.7).
	{
		FaultKind: cluster.FaultKind{
			Name:  "version.broken",
			Help:  "Every attempt to load a version fails.",
			Lasts: "version {n} of {model} is broken",
			Ends:  "version {n} of {model} is repaired",
			Onset: "version {n} of {model} breaks",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			fs, version := versionOf(w, f)
			return fs.Rename(version+graphFile, version+graphFile+".broken")
		},
		End: func(w *world.World, f cluster.Fault) error {
			fs, version := versionOf(w, f)
			return fs.Rename(version+graphFile+".broken", version+graphFile)
		},
	},
}
