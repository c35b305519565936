package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/zookeepertest"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// Goal: the simulated client on the simulated server behaves as kazoo on a real server. Method: the
// same test cases run on the client of real servers.
func TestConformance(t *testing.T) {
	zookeepertest.Run(t, func(t *testing.T) zookeepertest.World {
		w := vtime.New(vtime.Config{Seed: 7, CheckOwner: true})
		t.Cleanup(w.Close)
		c := &conforming{t: t, w: w, n: network.New(w, network.DefaultLatency())}
		c.server = node.NewServer(c.n.AddHost("zk", "zk", "10.0.0.1"), 2181,
			zookeeper.Config{TickMs: zookeepertest.Tick.Milliseconds()})
		c.must(c.server.Start())
		return c
	})
}

type conforming struct {
	t      *testing.T
	w      *vtime.World
	n      *network.Network
	server *node.Server
}

func (c *conforming) must(err error) {
	if err != nil {
		c.t.Error(err)
	}
}

func (c *conforming) NewProcess(name string) zookeepertest.Process {
	host := c.n.AddHost(name, name)
	return &zkLife{Process: host.Node().NewProcess(name), host: host, log: (*conformingLog)(c)}
}

func (c *conforming) Cut(of zookeepertest.Process) {
	c.Reset(of)
	c.must(c.n.PartitionBoth([]string{of.(*zkLife).host.Name()}, []string{"zk"}))
}

func (c *conforming) Heal(of zookeepertest.Process) {
	c.must(c.n.HealBoth([]string{of.(*zkLife).host.Name()}, []string{"zk"}))
}

func (c *conforming) Reset(of zookeepertest.Process) {
	c.must(c.n.ResetConns(of.(*zkLife).host.Name(), "zk"))
}

func (c *conforming) LoseAnswer(of zookeepertest.Process) {
	c.must(c.n.LoseAnswerWhere("zk", 2181, 1, func(to *network.Host, payload any) bool {
		r, ok := payload.(*zookeeper.Reply)
		return ok && r.Xid > 0 && to == of.(*zkLife).host
	}))
}

func (c *conforming) Expire(of zookeepertest.Process) {
	for _, id := range c.server.SessionsOf(of.(*zkLife).host.Name()) {
		c.server.KillSession(id)
	}
}

func (c *conforming) Wait() error {
	_, err := c.w.Run(vtime.Limits{Until: time.Hour})
	for _, task := range c.w.Blocked() {
		err = fmt.Errorf("%v has not ended", task)
	}
	return err
}

// zkLife is a process together with its ZooKeeper clients.
type zkLife struct {
	*vtime.Process
	host *network.Host
	log  env.Log
}

func (l *zkLife) ZooKeepers() env.ZooKeepers {
	e := &env.Env{Clock: l, Tasks: l, Random: l, Log: l.log}
	return &node.Clients{Env: e, Proc: l.Process, Host: l.host, Servers: []string{"10.0.0.1:2181"}}
}

// conformingLog writes the clients' log lines to the log of the test.
type conformingLog conforming

func (l *conformingLog) Enabled(env.Level) bool { return true }
func (l *conformingLog) Logf(_ env.Level, format string, args ...any) {
	l.t.Logf(format, args...)
}
