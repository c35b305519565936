package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "zookeeper.expired-session",
		Help:   "ZooKeeper ends the sessions of a pod at once, and with them their ephemeral znodes.",
		Begins: "the ZooKeeper session of {pod} expires",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		zk, err := zooKeeperFor(w, f.Pod)
		if err != nil {
			return err
		}
		ids := zk.SessionsOf(f.Pod)
		if len(ids) == 0 {
			return fmt.Errorf("pod %s: found no session to expire", f.Pod)
		}
		for _, id := range ids {
			zk.KillSession(id)
		}
		return nil
	},
})
