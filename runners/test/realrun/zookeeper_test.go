package realrun_test

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/runtimetest/zookeepertest"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/test/realrun"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: clients over TCP behave with a real server as simulated clients do with the
// simulated server. Method: the conformance cases that the simulated ones pass, too.
// ZOOKEEPER_ADDR may name a running server, with the suite's tick, to test instead.
func TestZooKeeperConformance(t *testing.T) {
	t.Parallel() // run in parallel with tests that mostly wait, too
	addr := os.Getenv("ZOOKEEPER_ADDR")
	if addr == "" {
		addr = server.ForTest(t, server.Config{Tick: zookeepertest.Tick}).Addr()
	}
	conformsAt(t, addr, 1)
}

// Goal: the simulated server, behind sockets, serves real clients as a real server does.
// Method: the same conformance cases, for which nothing has to be installed.
func TestZooKeeperConformanceOverTheSimulatedServer(t *testing.T) {
	t.Parallel() // run in parallel with tests that mostly wait, too
	conformsAt(t, servedAt(t, 1), 1)
}

// Goal: at a speed other than 1, sessions last, expire and are kept alive in the world's
// time. Method: the same conformance cases, with a server of that speed.
func TestZooKeeperConformanceAtASpeed(t *testing.T) {
	t.Parallel() // run in parallel with tests that mostly wait, too
	const speed = 3
	conformsAt(t, servedAt(t, speed), speed)
}

// servedAt starts the simulated server behind sockets, at a speed, and returns its address.
func servedAt(t *testing.T, speed float64) string {
	t.Helper()
	server, err := wire.Listen("127.0.0.1:0", wire.Options{
		Config: zookeeper.Config{TickMs: zookeepertest.Tick.Milliseconds()},
		Limits: wire.Limits{ConnsPerAddr: -1},
		Speed:  speed,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.Addr()
}

// conformsAt runs the conformance cases against a server that has the suite's tick. Each
// case works below a znode of its own, which is not removed.
func conformsAt(t *testing.T, addr string, speed float64) {
	zookeepertest.Run(t, func(t *testing.T) zookeepertest.World {
		return &zkWorld{t: t, w: newFastWorld(t, speed), server: addr}
	})
}

// zkWorld holds processes, each with a relay between it and the server.
type zkWorld struct {
	t      *testing.T
	w      *walltime.World
	server string
}

func (w *zkWorld) NewProcess(name string) zookeepertest.Process {
	return &zkLife{Process: w.w.NewProcess(name, name), relay: newZKRelay(w.t, w.server), t: w.t}
}

func (w *zkWorld) Cut(of zookeepertest.Process)        { of.(*zkLife).relay.setCut(true) }
func (w *zkWorld) Heal(of zookeepertest.Process)       { of.(*zkLife).relay.setCut(false) }
func (w *zkWorld) Reset(of zookeepertest.Process)      { of.(*zkLife).relay.reset() }
func (w *zkWorld) LoseAnswer(of zookeepertest.Process) { of.(*zkLife).relay.loseAnswer() }

func (w *zkWorld) Expire(of zookeepertest.Process) {
	for _, s := range of.(*zkLife).sessions {
		id, password := s.ClientID()
		if err := realrun.EndSession(w.server, id, password); err != nil {
			w.t.Errorf("end session %#x: %v", id, err)
		}
	}
}

func (w *zkWorld) Wait() error { return waitFor(w.w) }

// zkLife is a process with its clients. The cases create the only client of a process before
// other processes observe it.
type zkLife struct {
	*walltime.Process
	t        *testing.T
	relay    *zkRelay
	sessions []*realrun.ZooKeeperSession
}

func (l *zkLife) ZooKeepers() env.ZooKeepers { return l }

func (l *zkLife) NewClient(hosts string, o env.ZooKeeperOptions) env.ZooKeeper {
	e := &env.Env{Clock: l, Tasks: l, Random: l, Log: testLog{l.t}}
	z := realrun.ZooKeepers{Env: e, Proc: l.Process, Servers: []string{l.relay.addr()}}
	s := z.NewSession(hosts, o)
	l.sessions = append(l.sessions, s)
	return recipes.New(e, s)
}

// testLog passes the log lines of clients on to the test's log.
type testLog struct{ t *testing.T }

func (l testLog) Enabled(env.Level) bool { return true }

func (l testLog) Logf(level env.Level, format string, args ...any) {
	l.t.Log(level, fmt.Sprintf(format, args...))
}

// Goal: servers can be named by any form of address, and a missing port is ZooKeeper's
// default port.
func TestZooKeeperHosts(t *testing.T) {
	for _, c := range []struct {
		hosts string
		want  []string
	}{
		{"a:1,b:2", []string{"a:1", "b:2"}},
		{" a , b:2/chroot", []string{"a:2181", "b:2"}},
		{"[::1],[::1]:7", []string{"[::1]:2181", "[::1]:7"}},
	} {
		if got := recipes.SplitHosts(c.hosts); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("hosts of %q: got %v, want %v", c.hosts, got, c.want)
		}
	}
}

// Goal: kazoo gives up when no host name can be resolved, and Start then lasts until its
// timeout.
func TestZooKeeperWithoutAnAddress(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	p.Go("main", func() {
		z := realrun.ZooKeepers{Env: &env.Env{Clock: p, Tasks: p, Random: p, Log: testLog{t}}, Proc: p}
		c := z.NewClient("no-such-host.invalid:2181", env.ZooKeeperOptions{})
		if err := c.Start(100 * time.Millisecond); fmt.Sprint(err) != "KazooTimeoutError" {
			t.Errorf("start: %v, want a KazooTimeoutError", err)
		}
	})
	if err := waitFor(w); err != nil {
		t.Fatal(err)
	}
}

// Goal: a client finds the running server among its hosts and reconnects after each loss.
// When it is stopped, its goroutines end.
func TestZooKeeperClientLeavesNothingBehind(t *testing.T) {
	server := server.ForTest(t, server.Config{Tick: zookeepertest.Tick})
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead.Close()
	relay := newZKRelay(t, server.Addr())
	before := runtime.NumGoroutine()
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	p.Go("main", func() {
		e := &env.Env{Clock: p, Tasks: p, Random: p, Log: testLog{t}}
		z := realrun.ZooKeepers{Env: e, Proc: p, Servers: []string{dead.Addr().String(), relay.addr()}}
		c := z.NewClient("", env.ZooKeeperOptions{})
		suspended, connected := 0, 0
		c.AddListener(func(s env.SessionState) bool {
			switch s {
			case env.Suspended:
				suspended++
			case env.Connected:
				connected++
			}
			return false
		})
		if err := c.Start(0); err != nil {
			t.Error(err)
			return
		}
		for i := range 8 {
			relay.reset()
			for suspended != i+1 || connected != i+2 {
				p.Sleep(time.Millisecond)
			}
			if _, err := c.Exists("/"); err != nil {
				t.Error(err)
			}
		}
		c.Stop()
	})
	if err := waitFor(w); err != nil {
		t.Fatal(err)
	}
	// The ZooKeeper library takes a while to notice that it was closed.
	limit := time.After(limit)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for runtime.NumGoroutine() > before {
		select {
		case <-again.C:
		case <-limit:
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before the client:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
