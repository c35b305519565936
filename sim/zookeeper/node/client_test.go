package node_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// The tests of this file run clients as agents use them, against a server on the simulated network.
// They check what reaches the client.

type lab struct {
	t      testing.TB
	world  *vtime.World
	net    *network.Network
	server *node.Server
	log    []string
}

func newLab(t testing.TB) *lab {
	t.Helper()
	return newLabOf(t, vtime.Config{Seed: 7, CheckOwner: true})
}

func newLabOf(t testing.TB, cfg vtime.Config) *lab {
	t.Helper()
	w := vtime.New(cfg)
	t.Cleanup(w.Close)
	n := network.New(w, network.DefaultLatency())
	l := &lab{t: t, world: w, net: n}
	l.server = node.NewServer(n.AddHost("zk", "zk", "10.0.0.1"), 2181, zookeeper.Config{})
	if err := l.server.Start(); err != nil {
		t.Fatal(err)
	}
	return l
}

// program runs fn with a client, in a process on the named host. Each name has its own host.
func (l *lab) program(name string, fn func(p *vtime.Process, zk env.ZooKeeper)) *vtime.Process {
	host := l.net.Host(name)
	if host == nil {
		host = l.net.AddHost(name, name)
	}
	p := host.Node().NewProcess(name)
	e := &env.Env{Clock: p, Tasks: p, Random: p, Log: (*labLog)(l)}
	clients := &node.Clients{Env: e, Proc: p, Host: host}
	p.Go("main", func() { fn(p, clients.NewClient("10.0.0.1:2181", env.ZooKeeperOptions{})) })
	return p
}

type labLog lab

func (l *labLog) Enabled(env.Level) bool { return true }
func (l *labLog) Logf(_ env.Level, format string, args ...any) {
	(*lab)(l).say("log: "+format, args...)
}

// say logs a text with the virtual time in seconds.
func (l *lab) say(format string, args ...any) {
	l.log = append(l.log, fmt.Sprintf("%ds ", l.world.Now()/time.Second)+fmt.Sprintf(format, args...))
}

func (l *lab) until(d time.Duration) {
	l.t.Helper()
	if _, err := l.world.Run(vtime.Limits{Until: d}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) at(d time.Duration, fn func()) {
	l.world.Node("operator").Schedule(d, kindLab, vtime.Func(fn), 0)
}

var kindLab = vtime.NewKind("test.lab")

func (l *lab) want(lines ...string) {
	l.t.Helper()
	if diff := cmp.Diff(lines, l.log); diff != "" {
		l.t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func mustDo(err error) { must(0, err) }

func (l *lab) states(zk env.ZooKeeper) {
	zk.AddListener(func(s env.SessionState) bool {
		l.say("state %s", s)
		return false
	})
}

func start(zk env.ZooKeeper) {
	if err := zk.Start(0); err != nil {
		panic(err)
	}
}

func TestClientReadsItsOwnWrites(t *testing.T) {
	l := newLab(t)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		l.states(zk)
		start(zk)
		path := must(zk.Create("/a/b/c", []byte("x"), env.CreateOptions{MakePath: true}))
		data, stat, err := zk.Get(path)
		l.say("%s=%s version %d %v", path, data, stat.Version, err)
		mustDo(zk.Set(path, []byte("y"), -1))
		_, err = zk.Create(path, nil, env.CreateOptions{})
		l.say("again: %v", err)
		l.say("children of /a: %v", must(zk.Children("/a")))
		l.say("delete /a: %v", zk.Delete("/a", env.AnyVersion))
		l.say("delete /a with all below: %v", zk.Delete("/a", env.DeleteOptions{Recursive: true}))
		stat2, err := zk.Exists("/a")
		l.say("exists: %v %v", stat2 != nil, err)
		zk.Stop()
		_, err = zk.Exists("/a")
		l.say("after stop: %v", err)
	})
	l.until(10 * time.Second)
	l.want("0s state CONNECTED",
		"0s /a/b/c=x version 0 <nil>",
		"0s again: NodeExistsError: /a/b/c",
		"0s children of /a: [b]",
		"0s delete /a: NotEmptyError: /a",
		"0s delete /a with all below: <nil>",
		"0s exists: false <nil>",
		"0s state LOST",
		"0s after stop: ConnectionClosedError")
}

func TestStartGivesUpWithoutAServer(t *testing.T) {
	l := newLab(t)
	l.server.Stop()
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		l.say("start: %v", zk.Start(0))
	})
	l.until(time.Minute)
	l.want("15s start: KazooTimeoutError")
}

func TestShortLossSuspendsAndKeepsTheSession(t *testing.T) {
	l := newLab(t)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		l.states(zk)
		start(zk)
		must(zk.Create("/e", []byte("1"), env.CreateOptions{Ephemeral: true}))
		if _, err := zk.DataWatch("/e", func(data []byte, _ *env.Stat, _ *env.WatchEvent) error {
			l.say("data %s", data)
			return nil
		}); err != nil {
			panic(err)
		}
		p.Sleep(time.Hour)
	})
	l.at(20*time.Second, func() { l.net.PartitionBoth([]string{"a"}, []string{"zk"}) })
	l.at(27*time.Second, func() { l.net.HealAll() })
	l.until(time.Minute)
	l.want("0s state CONNECTED", "0s data 1", "25s state SUSPENDED", "28s state CONNECTED")
	if _, ok := l.server.Machine().Lookup("/e"); !ok {
		t.Error("the ephemeral is gone although its session went on")
	}
}

func TestLongLossExpiresTheSessionAndKazooMakesAnother(t *testing.T) {
	l := newLab(t)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		l.states(zk)
		start(zk)
		must(zk.Create("/e", []byte("1"), env.CreateOptions{Ephemeral: true}))
		if _, err := zk.DataWatch("/e", func(data []byte, stat *env.Stat, _ *env.WatchEvent) error {
			l.say("data %q, there %v", data, stat != nil)
			return nil
		}); err != nil {
			panic(err)
		}
		p.Sleep(time.Hour)
	})
	l.at(20*time.Second, func() { l.net.PartitionBoth([]string{"a"}, []string{"zk"}) })
	l.at(50*time.Second, func() { l.net.HealAll() })
	l.until(2 * time.Minute)
	if _, ok := l.server.Machine().Lookup("/e"); ok {
		t.Error("the ephemeral is still there")
	}
	want := []string{"state CONNECTED", `data "1", there true`, "state SUSPENDED", "state LOST", "state CONNECTED", `data "", there false`}
	var got []string
	for _, line := range l.log {
		_, what, _ := cutSpace(line)
		got = append(got, what)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what happened (-want +got):\n%s\n%v", diff, l.log)
	}
	if c := l.server.Counters(); c.SessionsExpired != 1 || c.SessionsOpened != 2 {
		t.Errorf("sessions: opened %d, expired %d; want 2 and 1", c.SessionsOpened, c.SessionsExpired)
	}
}

func cutSpace(s string) (before, after string, ok bool) {
	i := slices.Index([]byte(s), ' ')
	return s[:i], s[i+1:], true
}

func TestServerRestartKeepsSessionsAndTree(t *testing.T) {
	l := newLab(t)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		l.states(zk)
		start(zk)
		must(zk.Create("/e", nil, env.CreateOptions{Ephemeral: true}))
		p.Sleep(10 * time.Second)
		// This request is made while the server is down, and answered when the server is back.
		stat, err := zk.Exists("/e")
		l.say("exists %v %v", stat != nil, err)
		p.Sleep(time.Hour)
	})
	l.at(8*time.Second, func() { l.server.Stop() })
	l.at(12*time.Second, func() {
		if err := l.server.Start(); err != nil {
			t.Error(err)
		}
	})
	l.until(time.Minute)
	if len(l.log) != 4 || l.log[1] != "8s state SUSPENDED" || l.log[3][len(l.log[3])-len("exists true <nil>"):] != "exists true <nil>" {
		t.Errorf("what happened: %q", l.log)
	}
}

func TestLostAnswerIsAConnectionLossThatWasApplied(t *testing.T) {
	l := newLab(t)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		start(zk)
		p.Sleep(time.Second)
		l.net.LoseAnswer("zk", 2181, 1)
		_, err := zk.Create("/x", nil, env.CreateOptions{})
		l.say("create: %v", errors.Is(err, zkerrors.ErrConnectionLoss))
		stat, err := zk.Exists("/x")
		l.say("exists %v %v", stat != nil, err)
	})
	l.until(10 * time.Second)
	l.want("1s create: true", "1s exists true <nil>")
}

func TestWatchesTellInOrder(t *testing.T) {
	l := newLab(t)
	l.program("watcher", func(p *vtime.Process, zk env.ZooKeeper) {
		start(zk)
		if err := zk.EnsurePath("/d"); err != nil {
			panic(err)
		}
		w, err := zk.ChildrenWatch("/d", func(children []string) error {
			l.say("children %v", children)
			if len(children) == 2 {
				return env.ErrStopWatching
			}
			return nil
		})
		if err != nil {
			panic(err)
		}
		missing, err := zk.ChildrenWatch("/missing", func([]string) error { l.say("never"); return nil })
		l.say("watch of a missing znode stopped: %v %v", missing.Stopped(), err)
		p.Sleep(30 * time.Second)
		l.say("stopped: %v", w.Stopped())
	})
	l.program("writer", func(p *vtime.Process, zk env.ZooKeeper) {
		start(zk)
		for i, name := range []string{"a", "b", "c"} {
			p.Sleep(time.Duration(5+i) * time.Second)
			must(zk.Create("/d/"+name, nil, env.CreateOptions{}))
		}
	})
	l.until(time.Minute)
	l.want("0s children []", "0s watch of a missing znode stopped: true <nil>", "5s children [a]", "11s children [a b]", "30s stopped: true")
}

func TestElectionHasOneLeaderAtATime(t *testing.T) {
	l := newLab(t)
	for i := range 3 {
		name := fmt.Sprintf("c%d", i)
		l.program(name, func(p *vtime.Process, zk env.ZooKeeper) {
			start(zk)
			p.Sleep(time.Duration(i) * time.Second)
			err := zk.NewElection("/election", name).Run(func() {
				l.say("%s leads", name)
				p.Sleep(10 * time.Second)
				l.say("%s steps down", name)
			})
			if err != nil {
				panic(err)
			}
		})
	}
	l.until(time.Minute)
	l.want("0s c0 leads", "10s c0 steps down", "10s c1 leads", "20s c1 steps down", "20s c2 leads", "30s c2 steps down")
}

func TestLeaderThatDiesIsFollowedAfterItsSession(t *testing.T) {
	l := newLab(t)
	first := l.program("c0", func(p *vtime.Process, zk env.ZooKeeper) {
		start(zk)
		if err := zk.NewElection("/election", "c0").Run(func() { p.Sleep(time.Hour) }); err != nil {
			panic(err)
		}
	})
	l.program("c1", func(p *vtime.Process, zk env.ZooKeeper) {
		start(zk)
		p.Sleep(time.Second)
		if err := zk.NewElection("/election", "c1").Run(func() { l.say("c1 leads") }); err != nil {
			panic(err)
		}
	})
	l.at(5*time.Second, first.Crash)
	l.until(time.Minute)
	if len(l.log) != 1 || l.world.Now() != time.Minute {
		t.Fatalf("what happened: %q", l.log)
	}
	var second int
	if _, err := fmt.Sscanf(l.log[0], "%ds c1 leads", &second); err != nil || second < 12 || second > 18 {
		t.Errorf("got %q; want the session timeout of 10 s, up to a tick later, after the last ping before 5 s", l.log[0])
	}
}
