package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/world"
	"github.com/monosim/monosim/sim/zookeeper"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "zookeeper.unanswered",
		Help:   "ZooKeeper does what the next requests of a pod ask for, but its answers are lost. Pings are answered.",
		Begins: "ZooKeeper applies the next {n} request(s) of {pod} without answering",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		if _, err := zooKeeperFor(w, f.Pod); err != nil {
			return err
		}
		lost := func(to *network.Host, payload any) bool {
			reply, ok := payload.(*zookeeper.Reply)
			return ok && reply.Xid != zookeeper.XidPing && to.Name() == f.Pod
		}
		return w.Network().LoseAnswerWhere(world.ZooKeeperHost, world.ZooKeeperPort, int(f.N), lost)
	},
})
