package admin_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: a real ZooKeeper client meets the faults that the admin interface was asked for. Method:
// go-zookeeper as the client, and HTTP requests to the interface.

// patience is the longest wait of a test. Only a failing test waits so long.
const patience = 60 * time.Second

type zkLab struct {
	*testing.T
	server *wire.Server
	admin  *admin.Server
}

func newZKLab(t *testing.T) *zkLab {
	t.Helper()
	server, err := wire.Listen("127.0.0.1:0", wire.Options{Config: zookeeper.Config{TickMs: 50, MaxSessionTimeoutMs: 60_000}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return &zkLab{T: t, server: server, admin: listen(t, admin.ZooKeeper(server)...)}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// client connects a ZooKeeper client and waits for its session.
func (l *zkLab) client() (*zk.Conn, <-chan zk.Event) {
	l.Helper()
	c, events, err := zk.Connect([]string{l.server.Addr()}, 30*time.Second, zk.WithLogger(quiet{}))
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(c.Close)
	l.await(events, zk.StateHasSession)
	return c, events
}

// await waits until a client's events report this state.
func (l *zkLab) await(events <-chan zk.Event, state zk.State) {
	l.Helper()
	limit := time.After(patience)
	for {
		select {
		case e := <-events:
			if e.Type == zk.EventSession && e.State == state {
				return
			}
		case <-limit:
			l.Fatalf("no %v", state)
		}
	}
}

// ok sends a POST request that must succeed, and returns the answer's body.
func (l *zkLab) ok(path, body string) string {
	l.Helper()
	status, answer := ask(l.T, "POST", l.admin.URL()+path, body)
	if status != 200 {
		l.Fatalf("POST %s %s: %d %s", path, body, status, answer)
	}
	return answer
}

func (l *zkLab) shows(path string, wants ...string) {
	l.Helper()
	_, answer := ask(l.T, "GET", l.admin.URL()+path, "")
	for _, want := range wants {
		if !strings.Contains(answer, want) {
			l.Errorf("GET %s: got %s, want %s in it", path, answer, want)
		}
	}
}

func session(c *zk.Conn) string { return fmt.Sprintf("%#x", uint64(c.SessionID())) }

var open = zk.WorldACL(zk.PermAll)

func TestExpiredSession(t *testing.T) {
	l := newZKLab(t)
	c, events := l.client()
	other, _ := l.client()
	if _, err := c.Create("/mine", nil, zk.FlagEphemeral, open); err != nil {
		t.Fatal(err)
	}
	_, _, gone, err := other.ExistsW("/mine")
	if err != nil {
		t.Fatal(err)
	}
	l.shows("/sessions", `"session":"`+session(c)+`"`, `"ephemerals":["/mine"]`)
	l.shows("/watches", `{"path":"/mine","of":"data","session":"`+session(other)+`","mode":"one-shot"}`)
	l.ok("/sessions/expire", `{"session": "`+session(c)+`"}`)
	l.await(events, zk.StateExpired)
	select {
	case e := <-gone:
		if e.Type != zk.EventNodeDeleted {
			t.Errorf("got %v, want the ephemeral to be deleted", e)
		}
	case <-time.After(patience):
		t.Error("nobody hears of the ephemeral's end")
	}
	if status, answer := ask(t, "POST", l.admin.URL()+"/sessions/expire", `{"session": "0x7"}`); status != 400 || !strings.Contains(answer, "GET /sessions") {
		t.Errorf("got %d %s for a session that there is not", status, answer)
	}
}

func TestDroppedConnections(t *testing.T) {
	l := newZKLab(t)
	c, events := l.client()
	_, others := l.client()
	before := c.SessionID()
	if got := l.ok("/connections/drop", `{"session": "`+session(c)+`"}`); got != `{"dropped":1}` {
		t.Errorf("got %s", got)
	}
	l.await(events, zk.StateDisconnected)
	l.await(events, zk.StateHasSession)
	if c.SessionID() != before {
		t.Errorf("session %#x after %#x, want the same", c.SessionID(), before)
	}
	if got := l.ok("/connections/drop", ""); got != `{"dropped":2}` {
		t.Errorf("got %s", got)
	}
	l.await(others, zk.StateDisconnected)
}

func TestFailedAndLostRequests(t *testing.T) {
	l := newZKLab(t)
	c, _ := l.client()
	l.ok("/requests/fail", `{"next": 2, "ops": ["create"], "error": "NotEmpty"}`)
	l.shows("/state", `{"next":2,"ops":["create"],"error":"NotEmpty"}`)
	for _, want := range []error{zk.ErrNotEmpty, zk.ErrNotEmpty, nil} {
		if _, err := c.Create("/a", nil, 0, open); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	l.shows("/state", `"waiting_faults":[]`)

	l.ok("/requests/fail", `{"next": 1, "ops": ["create"], "lose": "request"}`)
	if _, err := c.Create("/lost", nil, 0, open); !errors.Is(err, zk.ErrConnectionClosed) {
		t.Errorf("got %v, want a lost connection", err)
	}
	l.ok("/requests/fail", `{"next": 1, "ops": ["create"], "lose": "answer"}`)
	_, err := c.Create("/done", nil, 0, open)
	for errors.Is(err, zk.ErrNoServer) {
		_, err = c.Create("/done", nil, 0, open)
	}
	if !errors.Is(err, zk.ErrConnectionClosed) {
		t.Errorf("got %v, want a lost connection", err)
	}
	if _, _, ok := l.server.Node("/lost"); ok {
		t.Error("a lost request was done")
	}
	if _, _, ok := l.server.Node("/done"); !ok {
		t.Error("a request whose answer was lost was not done")
	}
}

func TestDelaysAndLag(t *testing.T) {
	l := newZKLab(t)
	c, _ := l.client()
	const delay = 300 * time.Millisecond
	took := func() time.Duration {
		began := time.Now()
		if _, _, err := c.Get("/"); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	l.ok("/requests/delay", `{"next": 1, "delay": "300ms", "session": "`+session(c)+`"}`)
	if d := took(); d < delay {
		t.Errorf("took %v, want %v at least", d, delay)
	}
	l.shows("/state", `"waiting_faults":[]`)
	l.ok("/lag", `{"lag": "300ms"}`)
	for range 2 {
		if d := took(); d < delay {
			t.Errorf("took %v, want %v at least", d, delay)
		}
	}
	l.ok("/heal", "")
	l.shows("/state", `"lag":"0s"`)
}

func TestServerThatServesNobody(t *testing.T) {
	l := newZKLab(t)
	for _, mode := range []string{"leaderless", "read-only"} {
		c, events := l.client()
		if _, err := c.Create("/"+mode, nil, zk.FlagEphemeral, open); err != nil {
			t.Fatal(err)
		}
		l.ok("/mode", `{"mode": "`+mode+`"}`)
		l.await(events, zk.StateDisconnected)
		l.await(events, zk.StateConnected) // the client connects again, but gets no session
		l.shows("/state", `"mode":"`+mode+`"`)
		l.ok("/mode", `{"mode": "serving"}`)
		l.await(events, zk.StateHasSession)
		if ok, _, err := c.Exists("/" + mode); !ok || err != nil {
			t.Errorf("the session's znode: %v %v", ok, err)
		}
	}
}

func TestWhatAZooKeeperDoesNotTake(t *testing.T) {
	l := newZKLab(t)
	for _, c := range []struct{ path, body, want string }{
		{"/sessions/expire", "", "GET /sessions lists them"},
		{"/sessions/expire", `{"session": "x"}`, `found \"x\"`},
		{"/connections/drop", `{"session": "0x"}`, "want an id"},
		{"/lag", `{"lag": "-1s"}`, "want 0 or more"},
		{"/lag", `{"lag": "soon"}`, "want one as 250ms"},
		{"/mode", `{"mode": "asleep"}`, "want serving, leaderless or read-only"},
		{"/requests/fail", `{"next": 0, "error": "NoNode"}`, "want 1 or more"},
		{"/requests/fail", `{"next": 1}`, "want a delay, a code or something to lose"},
		{"/requests/fail", `{"next": 1, "error": "Sad"}`, "BadVersion"},
		{"/requests/fail", `{"next": 1, "lose": "hope"}`, "want request or answer"},
		{"/requests/fail", `{"next": 1, "ops": ["dance"], "error": "-4"}`, "getChildren2"},
		{"/znode", `{"path": "/none"}`, "found no znode"},
		{"/exit", `{"code": 1000}`, "want 0 to 255"},
	} {
		if status, answer := ask(t, "POST", l.admin.URL()+c.path, c.body); status != 400 || !strings.Contains(answer, c.want) {
			t.Errorf("POST %s %s: got %d %s, want 400 with %s", c.path, c.body, status, answer, c.want)
		}
	}
}
