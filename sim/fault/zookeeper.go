package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/world"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

var zooKeeperKinds = []Kind{
	{
		FaultKind: cluster.FaultKind{
			Name:  "zookeeper.down",
			Help:  "The ZooKeeper server does not run; at the end it is back with all that it had acknowledged.",
			Lasts: "ZooKeeper is down",
			Ends:  "ZooKeeper is back",
			Onset: "ZooKeeper goes down",
		},
		Begin: onZooKeeper(func(zk *node.Server) error { zk.Stop(); return nil }),
		End:   onZooKeeper((*node.Server).Start),
	},
	{
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
			return expireSessions(zk, f.Pod, "pod "+f.Pod)
		},
	},
	// No session expires during the fault. After the election each session has its full timeout
	// again.
	{
		FaultKind: cluster.FaultKind{
			Name:  "zookeeper.no-leader",
			Help:  "An election takes its time: every connection to ZooKeeper ends, and every new one at once, until a leader is elected.",
			Lasts: "ZooKeeper has no leader",
			Ends:  "ZooKeeper elects a leader",
			Onset: "ZooKeeper loses its leader",
		},
		Begin: onZooKeeper(func(zk *node.Server) error { zk.LoseLeader(); return nil }),
		End:   electLeader,
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "zookeeper.read-only",
			Help:  "ZooKeeper has no quorum: it serves reads only, and only to clients that asked for it, until a leader is elected.",
			Lasts: "ZooKeeper is read-only",
			Onset: "ZooKeeper becomes read-only",
		},
		Begin: onZooKeeper(func(zk *node.Server) error { zk.BeReadOnly(); return nil }),
		End:   electLeader,
	},
	// The pod keeps its session when it moves to the follower and when it moves back.
	{
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
	},
	{
		FaultKind: cluster.FaultKind{
			Name:   "zookeeper.unanswered",
			Help:   "ZooKeeper does what the next requests of a pod ask for, but its answers are lost. Pings are answered.",
			Fatal:  "a call whose answer is lost waits for ever while pings are answered",
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
	},
}

var electLeader = onZooKeeper(func(zk *node.Server) error { zk.ElectLeader(); return nil })

// onZooKeeper returns an action on the ZooKeeper server as a whole.
func onZooKeeper(do func(zk *node.Server) error) action {
	return func(w *world.World, _ cluster.Fault) error {
		zk, err := zooKeeperOf(w)
		if err != nil {
			return err
		}
		return do(zk)
	}
}

// expireSessions ends every session of a host. A host without a session is an error. The argument
// who names the host in that error.
func expireSessions(zk *node.Server, host, who string) error {
	ids := zk.SessionsOf(host)
	if len(ids) == 0 {
		return fmt.Errorf("%s: found no session to expire", who)
	}
	for _, id := range ids {
		zk.KillSession(id)
	}
	return nil
}

// zooKeeperOf returns the ZooKeeper server. Under the profile kazoo-fake there is none, and the error
// is cluster.ErrUnsupported.
func zooKeeperOf(w *world.World) (*node.Server, error) {
	if zk := w.ZooKeeper(); zk != nil {
		return zk, nil
	}
	return nil, fmt.Errorf("profile kazoo-fake has no server: %w", cluster.ErrUnsupported)
}

// zooKeeperFor returns the ZooKeeper server for a fault of one pod, which must exist.
func zooKeeperFor(w *world.World, pod string) (*node.Server, error) {
	if _, err := w.FindPod(pod); err != nil {
		return nil, err
	}
	return zooKeeperOf(w)
}
