package zookeepertest_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/engine/runtimetest/tbtest"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
	"github.com/monosim/monosim/sim/zookeeper/wire/zookeepertest"
)

// patience is how long a test waits for an expected event. Only failing tests wait so long.
const patience = 20 * time.Second

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// connect connects a client of go-zookeeper and waits until it has a session.
func connect(t *testing.T, addr string, timeout time.Duration) (*zk.Conn, <-chan zk.Event) {
	t.Helper()
	conn, events, err := zk.Connect([]string{addr}, timeout, zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	await(t, events, zk.StateHasSession)
	return conn, events
}

func await(t *testing.T, events <-chan zk.Event, want zk.State) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case e := <-events:
			if e.State == want {
				return
			}
		case <-limit:
			t.Fatalf("the client does not come into %s", want)
		}
	}
}

// Goal: acknowledged writes and the session survive an outage of the server, both in memory and
// with a data directory.
func TestAnOutage(t *testing.T) {
	for name, options := range map[string][]zookeepertest.Option{
		"in memory":        nil,
		"a data directory": {zookeepertest.DataDir(t.TempDir()), zookeepertest.Profile(zookeeper.V39)},
	} {
		t.Run(name, func(t *testing.T) {
			s := zookeepertest.Start(t, options...)
			conn, events := connect(t, s.Addr(), 10*time.Second)
			if _, err := conn.Create("/mine", []byte("v"), zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
				t.Fatal(err)
			}
			session, addr := conn.SessionID(), s.Addr()
			s.Stop()
			await(t, events, zk.StateDisconnected)
			s.Restart()
			await(t, events, zk.StateHasSession)
			if s.Addr() != addr || conn.SessionID() != session {
				t.Errorf("got %s and session %x, want %s and %x", s.Addr(), conn.SessionID(), addr, session)
			}
			if data, _, err := conn.Get("/mine"); err != nil || string(data) != "v" {
				t.Errorf("/mine: got %q, %v, want v", data, err)
			}
		})
	}
}

// Goal: with a standing clock no session expires until the clock is moved beyond its timeout.
// Method: one client stays silent on an open connection.
func TestAStandingClock(t *testing.T) {
	s := zookeepertest.Start(t, zookeepertest.StandingClock(), zookeepertest.Tick(time.Second))
	conn, events := connect(t, s.Addr(), 4*time.Second)
	watcher, _ := connect(t, s.Addr(), 20*time.Second)
	if _, err := conn.Create("/mine", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	_, _, gone, err := watcher.ExistsW("/mine")
	if err != nil {
		t.Fatal(err)
	}
	s.Advance(6 * time.Second)
	select {
	case e := <-gone:
		if e.Type != zk.EventNodeDeleted {
			t.Errorf("got %v, want that /mine is deleted", e.Type)
		}
	case <-time.After(patience):
		t.Fatal("/mine outlives its session")
	}
	await(t, events, zk.StateExpired)
}

func TestSpeedAndOptionsOfTheWire(t *testing.T) {
	var writes bytes.Buffer
	s := zookeepertest.Start(t, zookeepertest.Speed(100), func(o *wire.Options) { o.WriteLog = &writes })
	conn, _ := connect(t, s.Addr(), 10*time.Second)
	if _, err := conn.Create("/mine", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	s.Stop()
	if !strings.Contains(writes.String(), `"/mine"`) {
		t.Errorf("the log of writes: got %s, want /mine in it", &writes)
	}
	if c, err := net.Dial("tcp", s.Addr()); err == nil {
		c.Close()
		t.Error("a stopped server takes connections")
	}
}

// Goal: each misuse of the package fails the test with a message that names the mistake.
func TestMisuse(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, test := range []struct {
		name string
		do   func(tb testing.TB)
		want string
	}{
		{"stopped twice", func(tb testing.TB) { s := zookeepertest.Start(tb); s.Stop(); s.Stop() },
			"zookeeper: found a stopped server, want one to stop"},
		{"started twice", func(tb testing.TB) { zookeepertest.Start(tb).Restart() },
			"zookeeper: found a running server, want a stopped one to start again"},
		{"a clock that runs", func(tb testing.TB) { zookeepertest.Start(tb).Advance(time.Second) },
			"zookeeper: found a stopped server or a clock that runs, want a server started with StandingClock"},
		{"a file for a directory", func(tb testing.TB) { zookeepertest.Start(tb, zookeepertest.DataDir("/dev/null")) },
			"zookeeper: .*/dev/null.*not a directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tb := tbtest.Attempt("TestMine", func(tb testing.TB) {
				test.do(tb)
				tb.Log("it went on")
			})
			if !tb.IsFailed || !slices.ContainsFunc(tb.Said, regexp.MustCompile("^"+test.want+"$").MatchString) || slices.Contains(tb.Said, "it went on") {
				t.Errorf("got %q, want %q and the end", tb.Said, test.want)
			}
		})
	}
}

// Goal: a server is stopped when the test that started it ends.
func TestTheServerEndsWithItsTest(t *testing.T) {
	var addr string
	tb := tbtest.Attempt("TestMine", func(tb testing.TB) { addr = zookeepertest.Start(tb).Addr() })
	if tb.IsFailed {
		t.Fatalf("the test failed: %q", tb.Said)
	}
	c, err := net.Dial("tcp", addr)
	if err == nil {
		c.Close()
		err = errors.New(fmt.Sprint("connected to ", addr))
	}
	if !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v, want that the connection is refused", err)
	}
}
