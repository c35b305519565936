package simrun

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/world"
	"github.com/monosim/monosim/sim/zookeeper"
)

// zooKeeper is the server, for faults that need one.
func (c *Cluster) zooKeeper() (*zookeeper.Server, error) {
	if zk := c.world.ZooKeeper(); zk != nil {
		return zk, nil
	}
	return nil, fmt.Errorf("profile kazoo-fake has no server: %w", runners.ErrUnsupported)
}

// StopZooKeeper ends the server.
func (c *Cluster) StopZooKeeper() error {
	zk, err := c.zooKeeper()
	if err != nil {
		return err
	}
	zk.Stop()
	return nil
}

// StartZooKeeper brings it back.
func (c *Cluster) StartZooKeeper() error {
	zk, err := c.zooKeeper()
	if err != nil {
		return err
	}
	return zk.Start()
}

// LoseLeader leaves the ensemble without a leader.
func (c *Cluster) LoseLeader() error {
	zk, err := c.zooKeeper()
	if err != nil {
		return err
	}
	zk.LoseLeader()
	return nil
}

// ElectLeader ends that.
func (c *Cluster) ElectLeader() error {
	zk, err := c.zooKeeper()
	if err != nil {
		return err
	}
	zk.ElectLeader()
	return nil
}

// ReadOnly leaves it without a quorum.
func (c *Cluster) ReadOnly() error {
	zk, err := c.zooKeeper()
	if err != nil {
		return err
	}
	zk.BeReadOnly()
	return nil
}

// EndReadOnly gives it one, which elects a leader.
func (c *Cluster) EndReadOnly() error { return c.ElectLeader() }

// PlaceOnFollower moves the clients of a pod to a follower.
func (c *Cluster) PlaceOnFollower(pod string, lag time.Duration) error {
	return c.place(pod, func(zk *zookeeper.Server) { zk.Place(pod, lag) })
}

// PlaceOnLeader moves them to the leader.
func (c *Cluster) PlaceOnLeader(pod string) error {
	return c.place(pod, func(zk *zookeeper.Server) { zk.Unplace(pod) })
}

func (c *Cluster) place(pod string, do func(*zookeeper.Server)) error {
	if _, err := c.pod(pod); err != nil {
		return err
	}
	zk, err := c.zooKeeper()
	if err != nil {
		return err
	}
	do(zk)
	return nil
}

// ExpireSession ends the sessions of a pod's agent.
func (c *Cluster) ExpireSession(pod string) error {
	if _, err := c.pod(pod); err != nil {
		return err
	}
	zk, err := c.zooKeeper()
	if err != nil {
		return err
	}
	ids := zk.SessionsOf(pod)
	if len(ids) == 0 {
		return fmt.Errorf("pod %s: found no session to expire", pod)
	}
	for _, id := range ids {
		zk.KillSession(id)
	}
	return nil
}

// LoseAnswers loses the next answers of ZooKeeper to a pod.
func (c *Cluster) LoseAnswers(pod string, n int) error {
	if _, err := c.pod(pod); err != nil {
		return err
	}
	if _, err := c.zooKeeper(); err != nil {
		return err
	}
	return c.world.Network().LoseAnswerWhere(world.ZooKeeperHost, world.ZooKeeperPort, n, func(to *network.Host, payload any) bool {
		reply, ok := payload.(*zookeeper.Reply)
		return ok && reply.Xid != zookeeper.XidPing && to.Name() == pod
	})
}

// places turns names of pods, "zookeeper" and "idc:<name>" into hosts.
func (c *Cluster) places(names []string) ([]string, error) {
	var hosts []string
	for _, name := range names {
		idc, isIDC := strings.CutPrefix(name, "idc:")
		switch {
		case name == world.ZooKeeperHost:
			hosts = append(hosts, name)
		case isIDC:
			found := len(hosts)
			for _, p := range c.pods {
				if p.Location.IDC == idc {
					hosts = append(hosts, p.Name)
				}
			}
			if len(hosts) == found {
				return nil, fmt.Errorf("place: found %q, want the idc of a pod", name)
			}
		default:
			if _, err := c.pod(name); err != nil {
				return nil, err
			}
			hosts = append(hosts, name)
		}
	}
	return hosts, nil
}

func (c *Cluster) between(from, to []string, do func(from, to []string) error) error {
	a, err := c.places(from)
	if err != nil {
		return err
	}
	b, err := c.places(to)
	if err != nil {
		return err
	}
	return do(a, b)
}

// Cut stops traffic one way.
func (c *Cluster) Cut(from, to []string) error {
	return c.between(from, to, c.world.Network().Partition)
}

// Heal lets it flow again.
func (c *Cluster) Heal(from, to []string) error { return c.between(from, to, c.world.Network().Heal) }

// Slow adds latency both ways.
func (c *Cluster) Slow(from, to []string, extra time.Duration) error {
	return c.between(from, to, func(a, b []string) error {
		if err := c.world.Network().Slow(a, b, extra); err != nil {
			return err
		}
		return c.world.Network().Slow(b, a, extra)
	})
}
