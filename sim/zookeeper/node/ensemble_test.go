package node_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// Goal: clients observe elections, lagging followers and moves between servers as on a real
// ensemble. Method: the lab of client_test.go.

func (l *lab) exists(zk env.ZooKeeper, path string) {
	stat, err := zk.Exists(path)
	l.say("%s exists: %t %v", path, stat != nil, err)
}

func TestElectionSuspendsClientsAndKeepsSessions(t *testing.T) { // ZK-4.4, ZK-24.1, ZK-24.2
	l := newLab(t)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		l.states(zk)
		start(zk)
		must(zk.Create("/e", nil, env.CreateOptions{Ephemeral: true}))
		p.Sleep(6 * time.Second)
		_, err := zk.Create("/during", nil, env.CreateOptions{})
		l.say("create: %v", err) // kazoo has kept the create until the client was connected again
		p.Sleep(50 * time.Second)
		must(zk.Create("/after", nil, env.CreateOptions{}))
		l.exists(zk, "/e")
	})
	l.at(5*time.Second, l.server.LoseLeader)
	l.at(45*time.Second, l.server.ElectLeader)
	l.until(2 * time.Minute)
	// The pause is four times the session timeout, but without a leader no session expires.
	l.want("0s state CONNECTED", "5s state SUSPENDED", "46s state CONNECTED", "46s create: <nil>", "96s /e exists: true <nil>")
	if got := l.server.Machine().Zxid(); got != 1<<32|2 {
		t.Errorf("got zxid %#x, want the second one of epoch 1", got)
	}
	if got := l.server.Counters().SessionsExpired; got != 0 {
		t.Errorf("got %d sessions expired, want 0", got)
	}
}

func TestFollowerThatLagsAnswersFromThePast(t *testing.T) { // ZK-1.5, ZK-24.4
	l := newLab(t)
	l.server.Place("reader", 2*time.Second)
	l.program("writer", func(p *vtime.Process, zk env.ZooKeeper) {
		start(zk)
		p.Sleep(10 * time.Second)
		must(zk.Create("/x", []byte("1"), env.CreateOptions{}))
		l.say("written")
	})
	l.program("reader", func(p *vtime.Process, zk env.ZooKeeper) {
		start(zk)
		l.say("connected")
		p.Sleep(9 * time.Second)
		l.exists(zk, "/x")
		if _, err := zk.DataWatch("/x", func(data []byte, stat *env.Stat, _ *env.WatchEvent) error {
			l.say("watch: %t %s", stat != nil, data)
			return nil
		}); err != nil {
			panic(err)
		}
		p.Sleep(time.Second)
		must(zk.Create("/own", nil, env.CreateOptions{}))
		l.say("own write")
		l.exists(zk, "/own")
		l.exists(zk, "/x")
	})
	l.until(20 * time.Second)
	// The client's own write is answered when the follower has it. By then the follower also has
	// all earlier writes.
	l.want("2s connected", "10s written", "11s /x exists: false <nil>", "11s watch: false ",
		"12s watch: true 1", "14s own write", "14s /own exists: true <nil>", "14s /x exists: true <nil>")
}

func TestMoveToAnotherServerKeepsTheSession(t *testing.T) { // ZK-2.5
	l := newLab(t)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		l.states(zk)
		start(zk)
		must(zk.Create("/e", nil, env.CreateOptions{Ephemeral: true}))
		if _, err := zk.DataWatch("/e", func(data []byte, _ *env.Stat, _ *env.WatchEvent) error {
			l.say("data %s", data)
			return nil
		}); err != nil {
			panic(err)
		}
		p.Sleep(10 * time.Second)
		mustDo(zk.Set("/e", []byte("new"), -1))
		p.Sleep(30 * time.Second)
		zk.Stop()
	})
	l.at(5*time.Second, func() { l.server.Place("a", 500*time.Millisecond) })
	l.at(20*time.Second, func() { l.server.Unplace("a") })
	l.until(time.Minute)
	l.want("0s state CONNECTED", "0s data ", "5s state SUSPENDED", "5s state CONNECTED", "10s data new",
		"20s state SUSPENDED", "20s state CONNECTED", "40s state LOST")
	if _, ok := l.server.Machine().Lookup("/e"); ok {
		t.Error("the ephemeral outlived its session")
	}
	counters := l.server.Counters()
	if counters.SessionsOpened != 1 || counters.SessionsClosed != 1 {
		t.Errorf("got %d sessions opened and %d closed, want 1 each", counters.SessionsOpened, counters.SessionsClosed)
	}
}

func TestSessionExpiresAlsoWhereAFollowerServesIt(t *testing.T) { // ZK-3.4
	l := newLab(t)
	l.server.Place("a", time.Second)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		l.states(zk)
		start(zk)
		must(zk.Create("/e", nil, env.CreateOptions{Ephemeral: true}))
		p.Sleep(time.Hour)
	})
	l.at(20*time.Second, func() { l.net.PartitionBoth([]string{"a"}, []string{"zk"}) })
	l.at(50*time.Second, func() { l.net.HealAll() })
	l.until(2 * time.Minute)
	l.want("1s state CONNECTED", "23s state SUSPENDED", "52s state LOST", "53s state CONNECTED")
	if got := l.server.Counters().SessionsExpired; got != 1 {
		t.Errorf("got %d sessions expired, want 1", got)
	}
}

func TestReadOnlyServersAreOfNoUseWithoutLocalSessions(t *testing.T) { // ZK-24.3
	l := newLab(t)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		l.states(zk)
		start(zk)
		must(zk.Create("/e", nil, env.CreateOptions{Ephemeral: true}))
		p.Sleep(time.Hour)
	})
	l.at(5*time.Second, l.server.BeReadOnly)
	l.at(8*time.Second, l.server.ElectLeader)
	l.until(time.Minute)
	l.want("0s state CONNECTED", "5s state SUSPENDED", "10s state CONNECTED")

	for _, c := range []struct {
		name string
		req  zookeeper.ConnectRequest
		want bool
	}{
		{"a client that would write", zookeeper.ConnectRequest{HasReadOnly: true}, false},
		{"a new session that would read only", zookeeper.ConnectRequest{HasReadOnly: true, ReadOnly: true}, true},
		{"a known session that would read only", zookeeper.ConnectRequest{HasReadOnly: true, ReadOnly: true, SessionID: 7}, false},
	} {
		reply, ok := node.RefuseReadOnly(&c.req, 9)
		if ok != c.want || reply.Err != zookeeper.CodeNotReadOnly || reply.Zxid != 9 {
			t.Errorf("%s: got %v %t, want NotReadOnly and %t", c.name, reply, ok, c.want)
		}
	}
}
