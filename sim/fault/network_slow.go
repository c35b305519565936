package fault

import (
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "network.slow",
		Help:  "What is sent between two groups of hosts takes longer, both ways.",
		Lasts: "the network between {places} and {places} is slower by {duration}",
		Onset: "the network between {places} and {places} becomes slower by {duration}",
	},
	Begin: func(w *world.World, f cluster.Fault) error { return slow(w, f, f.Duration) },
	End:   func(w *world.World, f cluster.Fault) error { return slow(w, f, 0) },
})

// slow sets how much longer both directions take than their latency.
func slow(w *world.World, f cluster.Fault, extra time.Duration) error {
	return between(w, f, func(a, b []string) error {
		if err := w.Network().Slow(a, b, extra); err != nil {
			return err
		}
		return w.Network().Slow(b, a, extra)
	})
}
