package wire

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: an existing client library works with this server. Method: the unchanged library
// go-zookeeper calls all its operations (ZK-12.4).

// quiet is a logger that drops the messages of go-zookeeper.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// gozk connects a client of go-zookeeper and waits until it has a session.
func (l *lab) gozk() (*zk.Conn, <-chan zk.Event) {
	l.Helper()
	c, events, err := zk.Connect([]string{l.addr}, 10*time.Second, zk.WithLogger(quiet{}))
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(c.Close)
	l.state(events, zk.StateHasSession)
	return c, events
}

// state waits until an event says that the client's connection is in the wanted state.
func (l *lab) state(events <-chan zk.Event, want zk.State) {
	l.Helper()
	limit := time.After(patience)
	for {
		select {
		case e := <-events:
			if e.State == want {
				return
			}
		case <-limit:
			l.Fatalf("the client does not come into %s", want)
		}
	}
}

// heard waits for a watch to fire, and returns the event's type and path.
func (l *lab) heard(events <-chan zk.Event) string {
	l.Helper()
	select {
	case e := <-events:
		return fmt.Sprint(e.Type, " ", e.Path)
	case <-time.After(patience):
		l.Fatal("no event")
		return ""
	}
}

func TestGoZooKeeperOperations(t *testing.T) {
	l := serve(t, Options{Config: zookeeper.Config{ExtendedTypes: true}})
	c, _ := l.gozk()
	acl := zk.WorldACL(zk.PermAll)
	expect(t, must[string](t)(c.Create("/a", []byte("x"), 0, acl)), "/a")
	_, err := c.Create("/a", nil, 0, acl)
	expect(t, errors.Is(err, zk.ErrNodeExists), true)
	_, err = c.Create("/none/a", nil, 0, acl)
	expect(t, errors.Is(err, zk.ErrNoNode), true)
	expect(t, must[string](t)(c.Create("/a/s-", nil, zk.FlagSequence|zk.FlagEphemeral, acl)), "/a/s-0000000000")
	expect(t, must[string](t)(c.CreateContainer("/c", nil, zk.FlagContainer, acl)), "/c")
	expect(t, must[string](t)(c.CreateTTL("/t", nil, zk.FlagTTL, acl, time.Hour)), "/t")

	data, stat, err := c.Get("/a")
	expect(t, err, nil)
	expect(t, string(data), "x")
	expect(t, [3]int32{stat.Version, stat.NumChildren, stat.DataLength}, [3]int32{0, 1, 1})
	stat = must[*zk.Stat](t)(c.Set("/a", []byte("yy"), 0))
	expect(t, stat.Version, int32(1))
	_, err = c.Set("/a", nil, 0)
	expect(t, errors.Is(err, zk.ErrBadVersion), true)
	found, _, err := c.Exists("/none")
	expect(t, found, false)
	expect(t, err, nil)

	names, _, err := c.Children("/")
	expect(t, err, nil)
	slices.Sort(names)
	expect(t, names, []string{"a", "c", "t", "zookeeper"})
	expect(t, errors.Is(c.Delete("/a", -1), zk.ErrNotEmpty), true)
	expect(t, c.Delete("/t", 0), nil)
	expect(t, must[string](t)(c.Sync("/a")), "/a")

	results, err := c.Multi(&zk.CreateRequest{Path: "/m", Acl: acl}, &zk.SetDataRequest{Path: "/m", Data: []byte("1"), Version: 0},
		&zk.CheckVersionRequest{Path: "/m", Version: 1}, &zk.DeleteRequest{Path: "/m", Version: 1})
	expect(t, err, nil)
	expect(t, results[0].String, "/m")
	expect(t, results[1].Stat.Version, int32(1))
	results, err = c.Multi(&zk.CreateRequest{Path: "/m", Acl: acl}, &zk.DeleteRequest{Path: "/none", Version: -1})
	expect(t, errors.Is(err, zk.ErrNoNode), true)
	expect(t, errors.Is(results[1].Error, zk.ErrNoNode), true)
	found, _, _ = c.Exists("/m")
	expect(t, found, false)
}

func TestGoZooKeeperACL(t *testing.T) {
	l := serve(t, Options{})
	owner, _ := l.gozk()
	stranger, _ := l.gozk()
	expect(t, owner.AddAuth("digest", []byte("u:p")), nil)
	must[string](t)(owner.Create("/mine", []byte("secret"), 0, zk.DigestACL(zk.PermAll, "u", "p")))
	_, _, err := stranger.Get("/mine")
	expect(t, errors.Is(err, zk.ErrNoAuth), true)
	data, _, err := owner.Get("/mine")
	expect(t, err, nil)
	expect(t, string(data), "secret")
	acl, stat, err := owner.GetACL("/mine")
	expect(t, err, nil)
	expect(t, acl, zk.DigestACL(zk.PermAll, "u", "p"))
	must[*zk.Stat](t)(owner.SetACL("/mine", zk.WorldACL(zk.PermRead), stat.Aversion))
	_, _, err = stranger.Get("/mine")
	expect(t, err, nil)
	_, err = stranger.Create("/bad", nil, 0, nil)
	expect(t, errors.Is(err, zk.ErrInvalidACL), true)
}

func TestGoZooKeeperWatches(t *testing.T) {
	l := serve(t, Options{})
	c, _ := l.gozk()
	other, _ := l.gozk()
	_, _, created, err := c.ExistsW("/a")
	expect(t, err, nil)
	_, _, children, err := c.ChildrenW("/")
	expect(t, err, nil)
	must[string](t)(other.Create("/a", nil, 0, zk.WorldACL(zk.PermAll)))
	expect(t, l.heard(created), "EventNodeCreated /a")
	expect(t, l.heard(children), "EventNodeChildrenChanged /")
	_, _, changed, err := c.GetW("/a")
	expect(t, err, nil)
	must[*zk.Stat](t)(other.Set("/a", []byte("x"), -1))
	expect(t, l.heard(changed), "EventNodeDataChanged /a")
	_, _, deleted, err := c.GetW("/a")
	expect(t, err, nil)
	expect(t, other.Delete("/a", -1), nil)
	expect(t, l.heard(deleted), "EventNodeDeleted /a")
}

// Goal: a client survives a restart of the server. It attaches to its session again, its
// ephemerals still exist, and its watches are set again (ZK-7.5).
func TestGoZooKeeperSurvivesARestart(t *testing.T) {
	if raceDetector {
		t.Skip("go-zookeeper 1.0.4 itself races here: it sets its watches again with the zxid that its reader writes (conn.go:614, conn.go:849)")
	}
	dir := t.TempDir()
	l := serve(t, Options{DataDir: dir})
	c, events := l.gozk()
	must[string](t)(c.Create("/e", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)))
	_, _, changed, err := c.GetW("/e")
	expect(t, err, nil)
	session := c.SessionID()
	if err := l.s.Close(); err != nil {
		t.Fatal(err)
	}
	again := must[*Server](t)(Listen(l.addr, Options{DataDir: dir}))
	t.Cleanup(func() { again.Close() })
	l.state(events, zk.StateHasSession)
	expect(t, c.SessionID(), session)
	must[*zk.Stat](t)(c.Set("/e", []byte("x"), 0))
	expect(t, l.heard(changed), "EventNodeDataChanged /e")
}

// Goal: a client whose session has expired is told so when it reconnects.
func TestGoZooKeeperLearnsOfItsExpiry(t *testing.T) {
	l := serve(t, Options{})
	c, events := l.gozk()
	must[string](t)(c.Create("/e", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)))
	l.advance(60_000)
	l.state(events, zk.StateExpired)
	l.state(events, zk.StateHasSession)
	found, _, err := c.Exists("/e")
	expect(t, err, nil)
	expect(t, found, false)
}

// Goal: a server at sixty times the wall clock's speed keeps the session of a client that pings by
// the wall clock. This needs Config.ClientSpeed; without it the session expires. On a busy machine
// the client itself may ping too late: then the test tries again.
func TestGoZooKeeperPingsAFastServer(t *testing.T) {
	const timeout = 1500 * time.Millisecond // go-zookeeper sends a ping after a third of the timeout
	connect := func(t *testing.T, clientSpeed float64) (*lab, *zk.Conn, <-chan zk.Event) {
		l := serve(t, Options{Speed: 60, Config: zookeeper.Config{
			TickMs: 2000, MinSessionTimeoutMs: timeout.Milliseconds(), ClientSpeed: clientSpeed,
		}})
		conn, events, err := zk.Connect([]string{l.addr}, timeout, zk.WithLogger(quiet{}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		l.state(events, zk.StateHasSession)
		return l, conn, events
	}
	t.Run("timeouts of the wall clock", func(t *testing.T) {
		for range 10 {
			l, conn, events := connect(t, 60)
			session, last, longest := conn.SessionID(), time.Now(), time.Duration(0)
			// Three pings take 90 s of the server's time, which is many of its ticks.
			for pings := uint64(1); pings <= 3; pings++ {
				l.await("a ping", func() bool { return l.requests(zookeeper.OpPing) >= pings })
				longest, last = max(longest, time.Since(last)), time.Now()
			}
			must[string](t)(conn.Create("/alive", nil, 0, zk.WorldACL(zk.PermAll)))
			if longest = max(longest, time.Since(last)); longest > 2*timeout/3 {
				t.Logf("the client was silent for %v", longest)
				continue
			}
			expect(t, conn.SessionID(), session)
			select {
			case e := <-events:
				t.Errorf("the client's state changed: %v", e)
			default:
			}
			return
		}
		t.Skip("the machine is too busy for a client to ping in time")
	})
	t.Run("timeouts of the server", func(t *testing.T) {
		l, _, events := connect(t, 1)
		l.state(events, zk.StateExpired)
	})
}

func TestGoZooKeeperReadsFourLetterWords(t *testing.T) { // ZK-11.1, ZK-19.2
	l := serve(t, Options{})
	c, _ := l.gozk()
	must[string](t)(c.Create("/a", nil, 0, zk.WorldACL(zk.PermAll)))
	servers, ok := zk.FLWSrvr([]string{l.addr}, patience)
	expect(t, ok, true)
	expect(t, servers[0].Error, nil)
	expect(t, servers[0].Mode, zk.ModeStandalone)
	expect(t, servers[0].Version, "3.8.0-sim")
	expect(t, servers[0].NodeCount, int64(6))
	expect(t, zk.FLWRuok([]string{l.addr}, patience), []bool{true})
}

// Goal: go-zookeeper can parse the answer to cons. Its FLWCons reports an error for each line
// without a session, so the test reads only the parsed clients, as the library's own tests do.
func TestGoZooKeeperReadsCons(t *testing.T) {
	l := serve(t, Options{})
	c, _ := l.gozk()
	clients, _ := zk.FLWCons([]string{l.addr}, patience)
	expect(t, len(clients), 1)
	for _, client := range clients[0].Clients {
		if client.SessionID == c.SessionID() {
			expect(t, client.Timeout, int32(10_000))
			return
		}
	}
	t.Errorf("no session %#x in %+v", c.SessionID(), clients[0].Clients)
}
