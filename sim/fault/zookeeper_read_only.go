package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "zookeeper.read-only",
		Help:  "ZooKeeper has no quorum: it serves reads only, and only to clients that asked for it, until a leader is elected.",
		Lasts: "ZooKeeper is read-only",
		Onset: "ZooKeeper becomes read-only",
	},
	Begin: func(w *world.World, _ cluster.Fault) error {
		zk, err := zooKeeperOf(w)
		if err != nil {
			return err
		}
		zk.BeReadOnly()
		return nil
	},
	End: electLeader,
})
