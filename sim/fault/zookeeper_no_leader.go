package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

// No session expires meanwhile. After the election sessions have their full timeouts.
var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "zookeeper.no-leader",
		Help:  "An election takes its time: every connection to ZooKeeper ends, and every new one at once, until a leader is elected.",
		Lasts: "ZooKeeper has no leader",
		Ends:  "ZooKeeper elects a leader",
		Onset: "ZooKeeper loses its leader",
	},
	Begin: func(w *world.World, _ cluster.Fault) error {
		zk, err := zooKeeperOf(w)
		if err != nil {
			return err
		}
		zk.LoseLeader()
		return nil
	},
	End: electLeader,
})

func electLeader(w *world.World, _ cluster.Fault) error {
	zk, err := zooKeeperOf(w)
	if err != nil {
		return err
	}
	zk.ElectLeader()
	return nil
}
