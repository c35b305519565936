package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

// StoreLate is the name of the fault that makes files visible late.
const StoreLate = "store.late"

// The host that makes a name sees it at once. A file that replaces another is visible at once.
var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  StoreLate,
		Help:  "Names that are made in a directory become visible to other hosts only after a time, as in an object store whose listing lags; at the end all are visible.",
		Lasts: "files under {path} are visible {duration} late",
		Ends:  "files under {path} are visible at once",
		Onset: "files under {path} become visible {duration} late",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		w.LateFiles(f.BasePath, f.Duration)
		return nil
	},
	End: func(w *world.World, f cluster.Fault) error {
		w.PromptFiles(f.BasePath)
		return nil
	},
})
