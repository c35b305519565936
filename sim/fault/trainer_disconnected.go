package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "trainer.disconnected",
		Help:  "A process of the training job and ZooKeeper cannot reach each other.",
		Lasts: "{trainer} is without ZooKeeper",
		Ends:  "{trainer} finds ZooKeeper again",
		Onset: "{trainer} loses ZooKeeper",
	},
	Begin: func(w *world.World, f cluster.Fault) error { return fromZooKeeper(w, f, w.Network().PartitionBoth) },
	End:   func(w *world.World, f cluster.Fault) error { return fromZooKeeper(w, f, w.Network().HealBoth) },
})

func fromZooKeeper(w *world.World, f cluster.Fault, do func(a, b []string) error) error {
	if _, err := w.FindTrainer(f.Pod); err != nil {
		return err
	}
	return do([]string{f.Pod}, []string{world.ZooKeeperHost})
}
