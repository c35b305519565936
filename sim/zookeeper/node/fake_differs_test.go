package node_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/zookeeper/kazoofake"
)

// Goal: each difference between the profile kazoo-fake and a server (ZK-15) exists on both sides.
// Method: the same calls are made with a client of each, and both answers are compared with the
// expected ones.

// answers runs fn twice, with a client of a server and with a fake, each started in its own world.
// It returns both results.
func answers(t *testing.T, fn func(p *vtime.Process, zk env.ZooKeeper) string) (server, fake string) {
	t.Helper()
	l := newLab(t)
	l.program("a", func(p *vtime.Process, zk env.ZooKeeper) {
		start(zk)
		server = fn(p, zk)
	})
	l.until(time.Hour)
	l = newLab(t)
	l.fake("a", func(p *vtime.Process, zk env.ZooKeeper) {
		start(zk)
		fake = fn(p, zk)
	})
	l.until(time.Hour)
	return server, fake
}

// fake does what program does, with a client of the fake.
func (l *lab) fake(name string, fn func(p *vtime.Process, zk env.ZooKeeper)) {
	p := l.net.AddHost(name, name).Node().NewProcess(name)
	e := &env.Env{Clock: p, Tasks: p, Random: p, Log: (*labLog)(l)}
	p.Go("main", func() { fn(p, kazoofake.New(e)) })
}

func create(zk env.ZooKeeper, path string) string {
	return must(zk.Create(path, nil, env.CreateOptions{MakePath: true}))
}

func TestFakeDiffersFromAServer(t *testing.T) {
	for _, c := range []struct {
		name         string // with its paragraph
		fn           func(p *vtime.Process, zk env.ZooKeeper) string
		server, fake string
	}{
		{"ZK-15.1 the tree outlives its client", func(_ *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x")
			zk.Stop()
			start(zk)
			return fmt.Sprint(must(zk.Exists("/x")) != nil)
		}, "true", "false"},
		{"ZK-15.2 ephemerals have an owner and go with it", func(_ *vtime.Process, zk env.ZooKeeper) string {
			must(zk.Create("/e", nil, env.CreateOptions{Ephemeral: true}))
			return fmt.Sprint(must(zk.Exists("/e")).EphemeralOwner != 0)
		}, "true", "false"},
		{"ZK-15.3 listeners are told", func(_ *vtime.Process, zk env.ZooKeeper) string {
			told := "nothing"
			zk.AddListener(func(s env.SessionState) bool {
				told = s.String()
				return false
			})
			zk.Stop()
			return told
		}, "LOST", "nothing"},
		{"ZK-15.5 stats have zxids and child versions", func(_ *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x/y")
			stat := must(zk.Exists("/x"))
			return fmt.Sprintf("czxid %d, cversion %d, children %d", min(stat.Czxid, 1), stat.Cversion, stat.NumChildren)
		}, "czxid 1, cversion 1, children 1", "czxid 0, cversion 0, children 1"},
		{"ZK-15.6 times are milliseconds", func(p *vtime.Process, zk env.ZooKeeper) string {
			p.Sleep(1234 * time.Millisecond)
			create(zk, "/x")
			return fmt.Sprint(must(zk.Exists("/x")).CtimeMs > 1e11)
		}, "true", "false"},
		{"ZK-15.7 a child does not touch its parent's mtime", func(p *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x")
			before := must(zk.Exists("/x")).MtimeMs
			p.Sleep(5 * time.Second)
			create(zk, "/x/y")
			return fmt.Sprint(must(zk.Exists("/x")).MtimeMs == before)
		}, "true", "false"},
		{"ZK-15.8 sequence numbers count all children", func(_ *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x/other")
			return must(zk.Create("/x/s", nil, env.CreateOptions{Sequence: true}))
		}, "/x/s0000000001", "/x/s0000000000"},
		{"ZK-15.9 versions are compared", func(_ *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x")
			err := zk.Set("/x", nil, 7)
			return fmt.Sprint(err)
		}, "BadVersionError: /x", "<nil>"},
		{"ZK-15.10 a delete takes no children along", func(_ *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x/y")
			return fmt.Sprint(zk.Delete("/x", env.AnyVersion))
		}, "NotEmptyError: /x", "<nil>"},
		{"ZK-15.11 paths are checked", func(_ *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x")
			_, err := zk.Create("/x/\x01", nil, env.CreateOptions{})
			return fmt.Sprint(err)
		}, "BadArgumentsError: /x/\x01", "<nil>"},
		{"ZK-15.12 children are in no order of creation", func(_ *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x/b")
			create(zk, "/x/a")
			return fmt.Sprint(must(zk.Children("/x")))
		}, "[a b]", "[b a]"},
		{"ZK-15.13 any number of watches, which end with their function", func(p *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x")
			told := ""
			for _, name := range []string{"1", "2"} {
				must(zk.DataWatch("/x", func([]byte, *env.Stat, *env.WatchEvent) error {
					told += name
					return env.ErrStopWatching
				}))
			}
			mustDo(zk.Set("/x", nil, -1))
			p.Sleep(time.Second)
			return told
		}, "12", "122"},
		{"ZK-15.14 a data watch on what is not there tells so", func(p *vtime.Process, zk env.ZooKeeper) string {
			told := ""
			must(zk.DataWatch("/x", func(_ []byte, stat *env.Stat, _ *env.WatchEvent) error {
				told += fmt.Sprintf("%t ", stat != nil)
				return nil
			}))
			create(zk, "/x")
			p.Sleep(time.Second)
			return told
		}, "false true ", "true "},
		{"ZK-15.15 a child watch on what is not there is over", func(p *vtime.Process, zk env.ZooKeeper) string {
			told := ""
			must(zk.ChildrenWatch("/x", func(children []string) error {
				told += fmt.Sprint(children)
				return nil
			}))
			create(zk, "/x/y")
			p.Sleep(time.Second)
			return told
		}, "", "[y]"},
		{"ZK-15.19 ensure_path tells those who waited", func(p *vtime.Process, zk env.ZooKeeper) string {
			told := ""
			must(zk.DataWatch("/x", func(_ []byte, stat *env.Stat, _ *env.WatchEvent) error {
				told += fmt.Sprintf("%t ", stat != nil)
				return nil
			}))
			if err := zk.EnsurePath("/x"); err != nil {
				panic(err)
			}
			p.Sleep(time.Second)
			return told
		}, "false true ", ""},
		{"ZK-15.17 a deleted znode tells before its parent", func(p *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x/y")
			told := []string{}
			must(zk.DataWatch("/x/y", func(_ []byte, _ *env.Stat, event *env.WatchEvent) error {
				if event != nil {
					told = append(told, event.Type.String())
				}
				return nil
			}))
			must(zk.ChildrenWatch("/x", func(children []string) error {
				told = append(told, fmt.Sprint(children))
				return nil
			}))
			if err := zk.Delete("/x/y", env.AnyVersion); err != nil {
				panic(err)
			}
			p.Sleep(time.Second)
			return strings.Join(told, " ")
		}, "[y] DELETED []", "[y] [] DELETED"},
		{"ZK-15.18 callbacks come later, from another task", func(p *vtime.Process, zk env.ZooKeeper) string {
			create(zk, "/x")
			told := 0
			must(zk.DataWatch("/x", func([]byte, *env.Stat, *env.WatchEvent) error {
				told++
				return nil
			}))
			mustDo(zk.Set("/x", nil, -1))
			inside := told
			p.Sleep(time.Second)
			return fmt.Sprintf("%d inside of the call, %d later", inside, told)
		}, "1 inside of the call, 2 later", "2 inside of the call, 2 later"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, fake := answers(t, c.fn)
			if diff := cmp.Diff(c.server, server); diff != "" {
				t.Errorf("server (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.fake, fake); diff != "" {
				t.Errorf("fake (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: in the fake every contender of an election leads, because each has its own lock (ZK-15.20).
func TestEveryContenderLeadsInTheFake(t *testing.T) {
	lead := func(l *lab, run func(name string, fn func(p *vtime.Process, zk env.ZooKeeper))) int {
		leaders, most := 0, 0
		for _, name := range []string{"a", "b"} {
			run(name, func(p *vtime.Process, zk env.ZooKeeper) {
				start(zk)
				zk.NewElection("/election", name).Run(func() {
					leaders++
					most = max(most, leaders)
					p.Sleep(10 * time.Second)
					leaders--
				})
			})
		}
		l.until(time.Minute)
		return most
	}
	server, fake := newLab(t), newLab(t)
	if got := lead(server, func(name string, fn func(*vtime.Process, env.ZooKeeper)) { server.program(name, fn) }); got != 1 {
		t.Errorf("server: got %d leaders at a time, want 1", got)
	}
	if got := lead(fake, fake.fake); got != 2 {
		t.Errorf("fake: got %d leaders at a time, want 2", got)
	}
}
