package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "zookeeper.down",
		Help:  "The ZooKeeper server does not run; at the end it is back with all that it had acknowledged.",
		Lasts: "ZooKeeper is down",
		Ends:  "ZooKeeper is back",
		Onset: "ZooKeeper goes down",
	},
	Begin: func(w *world.World, _ cluster.Fault) error {
		zk, err := zooKeeperOf(w)
		if err != nil {
			return err
		}
		zk.Stop()
		return nil
	},
	End: func(w *world.World, _ cluster.Fault) error {
		zk, err := zooKeeperOf(w)
		if err != nil {
			return err
		}
		return zk.Start()
	},
})
