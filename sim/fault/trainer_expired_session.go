package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "trainer.expired-session",
		Help:   "ZooKeeper ends the session of a process of the training job at once.",
		Begins: "the ZooKeeper session of {trainer} expires",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		if _, err := w.FindTrainer(f.Pod); err != nil {
			return err
		}
		ids := w.ZooKeeper().SessionsOf(f.Pod)
		if len(ids) == 0 {
			return fmt.Errorf("%s: found no session to expire", f.Pod)
		}
		for _, id := range ids {
			w.ZooKeeper().KillSession(id)
		}
		return nil
	},
})
