package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

// The pod keeps its session through both moves.
var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "zookeeper.stale-reads",
		Help:   "A pod is served by a ZooKeeper follower of its own, which knows of every write only after a delay.",
		Lasts:  "{pod} is served by a ZooKeeper follower that lags by {duration}",
		Begins: "{pod} moves to another ZooKeeper server",
		Ends:   "{pod} moves back to the ZooKeeper leader",
		Onset:  "{pod} moves to a ZooKeeper follower that lags by {duration}",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		zk, err := zooKeeperFor(w, f.Pod)
		if err != nil {
			return err
		}
		zk.Place(f.Pod, f.Duration)
		return nil
	},
	End: func(w *world.World, f cluster.Fault) error {
		zk, err := zooKeeperFor(w, f.Pod)
		if err != nil {
			return err
		}
		zk.Unplace(f.Pod)
		return nil
	},
})
