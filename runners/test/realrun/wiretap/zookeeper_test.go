package wiretap_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/runners/test/realrun/wiretap"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// tapped is a tap that records the acts it reports.
type tapped struct {
	wiretap.ZooKeeper
	acts []string
	born []*wiretap.Ephemeral
}

func newTapped() *tapped {
	t := &tapped{}
	t.Tell = func(a wiretap.Act) {
		line := fmt.Sprintf("%s %d %v", a.Client, a.Session, a.Op)
		if a.Of != a.Op {
			line += fmt.Sprintf(" of %v", a.Of)
		}
		if a.Ephemeral {
			line += " ephemeral"
		}
		if a.Err != 0 {
			line += " " + zookeeper.CodeName(a.Err)
		}
		t.acts = append(t.acts, strings.TrimRight(line+" "+a.Path+" "+string(a.Data), " "))
	}
	t.Born = func(e *wiretap.Ephemeral) { t.born = append(t.born, e) }
	return t
}

// open begins a connection that asks to continue the session wants and is granted session. 0
// means none.
func (t *tapped) open(client string, wants, session int64) *wiretap.Conn {
	c := t.Connect(client)
	c.Request(wire.AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 10_000, SessionID: wants, Password: make([]byte, 16)})[4:])
	resp := zookeeper.ConnectResponse{TimeoutMs: 10_000, SessionID: session}
	c.Answer(wire.AppendConnectResponse(nil, &resp)[4:])
	return c
}

// ask gives a request and its reply to the tap, and returns the messages that it wants
// passed on instead.
func ask(c *wiretap.Conn, req zookeeper.Request, reply zookeeper.Reply) (asked, answered []byte) {
	req.Xid++
	reply.Xid, reply.Op = req.Xid, req.Op
	asked = c.Request(wire.AppendRequest(nil, &req)[4:])
	return asked, c.Answer(wire.AppendReply(nil, &reply)[4:])
}

func create(c *wiretap.Conn, path string, flags int32) {
	ask(c, zookeeper.Request{Op: zookeeper.OpCreate, Path: path, Data: []byte("x"), Flags: flags}, zookeeper.Reply{Path: path})
}

// Goal: acts are reported in the order in which the server has answered them. Method: one
// frame of each kind.
func TestWhatIsRead(t *testing.T) {
	tap := newTapped()
	c := tap.open("pod", 0, 7)
	ask(c, zookeeper.Request{Op: zookeeper.OpCreate, Path: "/s-", Flags: zookeeper.FlagEphemeralSequential}, zookeeper.Reply{Path: "/s-0000000001"})
	create(c, "/a", zookeeper.FlagPersistent)
	ask(c, zookeeper.Request{Op: zookeeper.OpCreate, Path: "/a"}, zookeeper.Reply{Err: -110})
	ask(c, zookeeper.Request{Op: zookeeper.OpSetData, Path: "/s-0000000001", Data: []byte("y"), Version: -1}, zookeeper.Reply{})
	ask(c, zookeeper.Request{Op: zookeeper.OpGetChildren, Path: "/a", Watch: true}, zookeeper.Reply{Children: []string{}})
	ask(c, zookeeper.Request{Op: zookeeper.OpMulti, Ops: []zookeeper.Request{
		{Op: zookeeper.OpDelete, Path: "/s-0000000001", Version: -1}, {Op: zookeeper.OpCreate, Path: "/m"},
	}}, zookeeper.Reply{Results: []zookeeper.Result{{Op: zookeeper.OpDelete}, {Op: zookeeper.OpCreate, Path: "/m"}}})
	create(c, "/e", zookeeper.FlagEphemeral)
	again := tap.open("pod", 7, 7)
	ask(again, zookeeper.Request{Op: zookeeper.OpCloseSession}, zookeeper.Reply{})
	want := []string{
		"pod 7 createSession", "pod 7 create ephemeral /s-0000000001", "pod 7 create /a x", "pod 7 create NodeExistsError /a",
		"pod 7 setData ephemeral /s-0000000001 y", "pod 7 getChildren /a", "pod 7 delete of multi ephemeral /s-0000000001",
		"pod 7 create of multi /m", "pod 7 create ephemeral /e x", "pod 7 delete of closeSession ephemeral /e", "pod 7 closeSession",
	}
	if diff := cmp.Diff(want, tap.acts); diff != "" {
		t.Errorf("acts (-want +got):\n%s", diff)
	}
	for _, e := range tap.born {
		select {
		case <-e.Over:
		default:
			t.Errorf("%s: want it over with its session", e.Path)
		}
	}
}

// Goal: the end of a session is reported once, whatever reveals it: a missing ephemeral, a
// new ephemeral at its path, a refused client, or the server's answer.
func TestEndsOfSessions(t *testing.T) {
	ended := []string{"pod 7 delete of closeSession ephemeral /e", "pod 7 delete of closeSession ephemeral /f", "pod 7 closeSession"}
	for _, c := range []struct {
		name string
		show func(tap *tapped)
		want []string
	}{
		{"an ephemeral is gone", func(tap *tapped) { tap.Gone(tap.born[0]); tap.Gone(tap.born[1]) }, ended},
		{"another is in its place", func(tap *tapped) {
			create(tap.open("other", 0, 8), "/f", zookeeper.FlagEphemeral)
			tap.Gone(tap.born[0])
		}, append(append([]string{"other 8 createSession"}, ended...), "other 8 create ephemeral /f x")},
		{"its client is refused", func(tap *tapped) { tap.open("pod", 7, 0); tap.Expired(7) }, ended},
		{"the server says so", func(tap *tapped) { tap.Expired(7); tap.open("pod", 7, 0) }, ended},
	} {
		tap := newTapped()
		conn := tap.open("pod", 0, 7)
		create(conn, "/e", zookeeper.FlagEphemeral)
		create(conn, "/f", zookeeper.FlagEphemeral)
		begun := len(tap.acts)
		c.show(tap)
		if diff := cmp.Diff(c.want, tap.acts[begun:]); diff != "" {
			t.Errorf("%s: acts (-want +got):\n%s", c.name, diff)
		}
	}
}

// Goal: if the answer to a delete was lost but the znode is gone, the delete has happened
// and the session still lives.
func TestADeleteWithoutAnAnswer(t *testing.T) {
	tap := newTapped()
	c := tap.open("pod", 0, 7)
	create(c, "/e", zookeeper.FlagEphemeral)
	c.Request(wire.AppendRequest(nil, &zookeeper.Request{Xid: 9, Op: zookeeper.OpDelete, Path: "/e", Version: -1})[4:])
	c.Close()
	c.Close()
	tap.Gone(tap.born[0])
	if got := tap.acts[len(tap.acts)-1]; got != "pod 7 delete /e" {
		t.Errorf("got %q, want the delete", got)
	}
	create(tap.open("pod", 7, 7), "/g", zookeeper.FlagEphemeral)
	if got := tap.acts[len(tap.acts)-1]; got != "pod 7 create ephemeral /g x" {
		t.Errorf("got %q, want no other session", got)
	}
}

// send gives a request to the tap without an answer.
func send(c *wiretap.Conn, req zookeeper.Request) {
	req.Xid = 9
	c.Request(wire.AppendRequest(nil, &req)[4:])
}

// Goal: an ephemeral that is gone before its delete is answered was deleted, and its session lives, unless
// the answer says that it was gone already.
func TestADeleteThatIsAnsweredLate(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(c *wiretap.Conn)
		want []string
	}{
		{"done", func(c *wiretap.Conn) {
			c.Answer(wire.AppendReply(nil, &zookeeper.Reply{Xid: 9, Op: zookeeper.OpDelete})[4:])
		}, []string{"pod 7 delete ephemeral /e"}},
		{"gone already", func(c *wiretap.Conn) {
			c.Answer(wire.AppendReply(nil, &zookeeper.Reply{Xid: 9, Op: zookeeper.OpDelete, Err: zkerrors.NoNode})[4:])
		}, []string{"other 8 delete NoNodeError /e", "pod 7 delete of closeSession ephemeral /e", "pod 7 delete of closeSession ephemeral /f", "pod 7 closeSession"}},
		{"the answer is lost", (*wiretap.Conn).Close, []string{"pod 7 delete /e"}},
	} {
		tap := newTapped()
		c := tap.open("pod", 0, 7)
		create(c, "/e", zookeeper.FlagEphemeral)
		create(c, "/f", zookeeper.FlagEphemeral)
		if test.name == "gone already" {
			c = tap.open("other", 0, 8)
		}
		begun := len(tap.acts)
		send(c, zookeeper.Request{Op: zookeeper.OpDelete, Path: "/e", Version: -1})
		tap.Gone(tap.born[0])
		if got := tap.acts[begun:]; len(got) > 0 {
			t.Errorf("%s: before the answer: got %q, want nothing", test.name, got)
		}
		test.end(c)
		if diff := cmp.Diff(test.want, tap.acts[begun:]); diff != "" {
			t.Errorf("%s: acts (-want +got):\n%s", test.name, diff)
		}
	}
}

// Goal: a create without an answer is told once, when its znode is seen, and not at all where the
// server has not done it.
func TestACreateWithoutAnAnswer(t *testing.T) {
	request := zookeeper.Request{Op: zookeeper.OpCreate, Path: "/e", Data: []byte("x"), Flags: zookeeper.FlagEphemeral}
	ended := []string{"pod 7 delete of closeSession ephemeral /e", "pod 7 closeSession"}
	for _, test := range []struct {
		name string
		then func(tap *tapped, lost *wiretap.Create)
		want []string
	}{
		{"it is there", func(tap *tapped, lost *wiretap.Create) {
			tap.Made(lost, 0)
			tap.Made(lost, 0)
			ask(tap.open("pod", 7, 7), request, zookeeper.Reply{Err: zkerrors.NodeExists})
			tap.Gone(tap.born[0])
		}, append([]string{"pod 7 create ephemeral /e x", "pod 7 create NodeExistsError /e"}, ended...)},
		{"it was tried again", func(tap *tapped, lost *wiretap.Create) {
			create(tap.open("pod", 7, 7), "/e", zookeeper.FlagEphemeral)
			tap.Made(lost, 0)
		}, []string{"pod 7 create ephemeral /e x"}},
		{"it was tried again, and seen before the answer", func(tap *tapped, lost *wiretap.Create) {
			tap.Made(lost, 0)
			create(tap.open("pod", 7, 7), "/e", zookeeper.FlagEphemeral)
			tap.Expired(7)
		}, append([]string{"pod 7 create ephemeral /e x"}, ended...)},
		{"it is made anew after a delete", func(tap *tapped, lost *wiretap.Create) {
			c := tap.open("pod", 7, 7)
			tap.Made(lost, 0)
			ask(c, zookeeper.Request{Op: zookeeper.OpDelete, Path: "/e", Version: -1}, zookeeper.Reply{})
			create(c, "/e", zookeeper.FlagEphemeral)
		}, []string{"pod 7 create ephemeral /e x", "pod 7 delete ephemeral /e", "pod 7 create ephemeral /e x"}},
		{"its session ends", func(tap *tapped, lost *wiretap.Create) {
			tap.Expired(7)
			tap.Made(lost, 0)
		}, []string{"pod 7 closeSession"}},
	} {
		tap := newTapped()
		var lost []*wiretap.Create
		tap.Unanswered = func(c *wiretap.Create) { lost = append(lost, c) }
		c := tap.open("pod", 0, 7)
		send(c, request)
		c.Close()
		if len(lost) != 1 || lost[0].Path != "/e" || lost[0].Owner != 7 {
			t.Fatalf("%s: got %+v, want one create of /e", test.name, lost)
		}
		begun := len(tap.acts)
		test.then(tap, lost[0])
		if diff := cmp.Diff(test.want, tap.acts[begun:]); diff != "" {
			t.Errorf("%s: acts (-want +got):\n%s", test.name, diff)
		}
		select {
		case <-lost[0].Over:
		default:
			t.Errorf("%s: want it over", test.name)
		}
	}
}

// Goal: Silent lists only sessions that show no other sign of life.
func TestSilentSessions(t *testing.T) {
	tap := newTapped()
	later := time.Now().Add(13 * time.Second)
	gone := tap.open("gone", 0, 1)
	gone.Close()
	tap.open("there", 0, 2)
	create(tap.open("seen", 0, 3), "/e", zookeeper.FlagEphemeral)
	for _, c := range []struct {
		scale float64
		limit time.Duration
		want  int
	}{{1, 2 * time.Second, 1}, {1, 4 * time.Second, 0}, {0.1, 2 * time.Second, 1}, {2, 0, 0}} {
		silent := tap.Silent(later, c.scale, c.limit)
		if _, ok := silent[1]; len(silent) != c.want || ok != (c.want == 1) {
			t.Errorf("scale %g, limit %v: got %v, want %d", c.scale, c.limit, silent, c.want)
		}
	}
	tap.Lives(1)
	if silent := tap.Silent(time.Now(), 0.0001, 0); len(silent) > 1 {
		t.Errorf("after the server has said that it lives: got %v", silent)
	}
}

// Goal: with a chroot, clients see a part of the tree as the whole. Acts have the paths that
// clients see.
func TestAChroot(t *testing.T) {
	tap := newTapped()
	tap.Chroot = "/run"
	c := tap.open("pod", 0, 7)
	path := func(frame []byte) string {
		if frame == nil {
			return "the same"
		}
		var req zookeeper.Request
		if err := new(wire.Decoder).Request(frame[4:], &req); err != nil {
			t.Fatal(err)
		}
		for _, op := range req.Ops {
			req.Path += op.Path
		}
		if req.Watches != nil {
			req.Path += strings.Join(append(append(req.Watches.Data, req.Watches.Child...), req.Watches.Exist...), "")
		}
		return req.Path
	}
	for _, test := range []struct {
		req   zookeeper.Request
		reply zookeeper.Reply
		want  string
	}{
		{zookeeper.Request{Op: zookeeper.OpGetData, Path: "/a"}, zookeeper.Reply{Data: []byte("x")}, "/run/a"},
		{zookeeper.Request{Op: zookeeper.OpGetChildren, Path: "/"}, zookeeper.Reply{Children: []string{}}, "/run"},
		{zookeeper.Request{Op: zookeeper.OpGetData, Path: "no/path"}, zookeeper.Reply{Err: -8}, "no/path"},
		{zookeeper.Request{Op: zookeeper.OpMulti, Ops: []zookeeper.Request{{Op: zookeeper.OpDelete, Path: "/a"}, {Op: zookeeper.OpDelete, Path: "/b"}}},
			zookeeper.Reply{Results: []zookeeper.Result{{Op: zookeeper.OpDelete}, {Op: zookeeper.OpDelete}}}, "/run/a/run/b"},
		{zookeeper.Request{Op: zookeeper.OpSetWatches, Watches: &zookeeper.WatchLists{Data: []string{"/a"}, Exist: []string{"/b"}, Child: []string{"/"}}},
			zookeeper.Reply{}, "/run/a/run/run/b"},
		{zookeeper.Request{Op: zookeeper.OpPing}, zookeeper.Reply{}, "the same"},
	} {
		asked, _ := ask(c, test.req, test.reply)
		if got := path(asked); got != test.want {
			t.Errorf("%v %s: got %q, want %q", test.req.Op, test.req.Path, got, test.want)
		}
	}
	_, answered := ask(c, zookeeper.Request{Op: zookeeper.OpCreate, Path: "/e", Flags: zookeeper.FlagEphemeral}, zookeeper.Reply{Path: "/run/e"})
	if reply, err := wire.DecodeReply(answered[4:], zookeeper.OpCreate); err != nil || reply.Path != "/e" {
		t.Errorf("answer: got %q, %v, want /e", reply.Path, err)
	}
	if got := tap.acts[len(tap.acts)-1]; got != "pod 7 create ephemeral /e" || tap.born[0].Path != "/run/e" {
		t.Errorf("got %q and an ephemeral at %s, want /e and /run/e", got, tap.born[0].Path)
	}
	for server, client := range map[string]string{"/run/a": "/a", "/run": "/", "/running": "/running"} {
		event := c.Answer(wire.AppendEvent(nil, &zookeeper.Event{Type: 1, Path: server})[4:])
		if e, err := wire.DecodeEvent(event[4:]); err != nil || e.Path != client {
			t.Errorf("event of %s: got %q, %v, want %s", server, e.Path, err, client)
		}
	}
}
