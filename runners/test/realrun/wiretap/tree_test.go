package wiretap_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/wiretap"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// exchange is a request of a session with the server's answer to it.
type exchange struct {
	session int
	asked   zookeeper.Request
	reply   zookeeper.Reply
}

// places are the paths that a history is about.
var places = []string{"/a", "/a/b", "/a/c", "/a/b/d", "/e"}

// request returns a random write.
func request(r *rand.Rand, i int) zookeeper.Request {
	path, data := places[r.IntN(len(places))], fmt.Append(nil, i)
	made := zookeeper.Request{Op: zookeeper.OpCreate, Path: path, Data: data, ACL: acl.Everyone}
	if path == "/e" {
		made.Flags = zookeeper.FlagEphemeral
	}
	switch r.IntN(5) {
	case 0:
		return zookeeper.Request{Op: zookeeper.OpDelete, Path: path, Version: -1}
	case 1:
		return zookeeper.Request{Op: zookeeper.OpSetData, Path: path, Version: -1, Data: data}
	case 2:
		return zookeeper.Request{Op: zookeeper.OpMulti, Ops: []zookeeper.Request{
			made, {Op: zookeeper.OpSetData, Path: path, Version: -1, Data: fmt.Append(nil, "again ", i)},
		}}
	}
	return made
}

const sessions = 3

// history has a simulated server answer random writes. It returns them in the server's order, and the
// znodes that are left.
func history(r *rand.Rand) (said []exchange, left []runners.Znode) {
	m := zookeeper.New(zookeeper.Config{}, 0)
	for i := range sessions {
		m.Connect(0, zookeeper.ConnID(i+1), &zookeeper.ConnectRequest{TimeoutMs: 10_000, RemoteIP: "127.0.0.1"})
	}
	m.Drain()
	for i := range 60 {
		e := exchange{session: r.IntN(sessions), asked: request(r, i)}
		e.asked.Xid = int32(i + 1)
		m.Handle(1, zookeeper.ConnID(e.session+1), &e.asked)
		for _, out := range m.Drain() {
			if out.Kind == zookeeper.OutReply {
				e.reply = out.Reply
			}
		}
		said = append(said, e)
	}
	for _, path := range places {
		if n, ok := m.Lookup(path); ok {
			children := m.Children(path)
			slices.Sort(children)
			left = append(left, runners.Znode{
				Path: path, Data: n.Data, Version: n.Stat.Version, Created: n.Stat.Czxid, Ephemeral: n.Stat.EphemeralOwner != 0, Children: children,
			})
		}
	}
	return said, left
}

// Goal: whatever the order in which the answers to several connections are read, the tap has the znodes
// that the server has, and no session ends. Method: random writes, whose answers are read in 20 orders.
func TestAnswersInAnotherOrder(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		said, want := history(r)
		for range 20 {
			tap := newTapped()
			var conns [sessions]*wiretap.Conn
			var unread [sessions][]zookeeper.Reply
			for i := range conns {
				conns[i] = tap.open(fmt.Sprint("pod", i), 0, int64(i+1))
			}
			read := func(i, most int) {
				for ; most > 0 && len(unread[i]) > 0; most-- {
					conns[i].Answer(wire.AppendReply(nil, &unread[i][0])[4:])
					unread[i] = unread[i][1:]
				}
			}
			for _, e := range said {
				conns[e.session].Request(wire.AppendRequest(nil, &e.asked)[4:])
				unread[e.session] = append(unread[e.session], e.reply)
				read(r.IntN(sessions), r.IntN(3))
			}
			for _, i := range r.Perm(sessions) {
				read(i, len(said))
			}
			var got []runners.Znode
			for _, path := range places {
				if n, ok := tap.Znode(path); ok {
					got = append(got, n)
				}
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d: znodes (-server's +got):\n%s", seed, diff)
			}
			if i := slices.IndexFunc(tap.acts, func(a string) bool { return strings.HasSuffix(a, "closeSession") }); i >= 0 {
				t.Fatalf("seed %d: found %q, want no session to end", seed, tap.acts[i])
			}
		}
	}
}

// Goal: an ephemeral whose delete was read before its create ends no session, nor does one that took the
// place of another before the other's delete was read.
func TestADeleteThatIsReadInAnotherOrder(t *testing.T) {
	tap := newTapped()
	a, b := tap.open("a", 0, 7), tap.open("b", 0, 8)
	begun := len(tap.acts)
	made := zookeeper.Request{Op: zookeeper.OpCreate, Path: "/e", Data: []byte("x"), Flags: zookeeper.FlagEphemeral}
	ask(b, zookeeper.Request{Op: zookeeper.OpDelete, Path: "/e", Version: -1}, zookeeper.Reply{Zxid: 4})
	ask(a, made, zookeeper.Reply{Zxid: 3, Path: "/e"})
	if len(tap.born) > 0 {
		t.Errorf("found %d ephemerals to watch, want none: it is deleted", len(tap.born))
	}
	ask(a, made, zookeeper.Reply{Zxid: 5, Path: "/e"})
	send(b, zookeeper.Request{Op: zookeeper.OpDelete, Path: "/e", Version: -1})
	ask(a, made, zookeeper.Reply{Zxid: 7, Path: "/e"})
	b.Answer(wire.AppendReply(nil, &zookeeper.Reply{Xid: 9, Zxid: 6, Op: zookeeper.OpDelete})[4:])
	want := []string{
		"b 8 delete /e", "a 7 create ephemeral /e x", "a 7 create ephemeral /e x", "a 7 create ephemeral /e x", "b 8 delete /e",
	}
	if diff := cmp.Diff(want, tap.acts[begun:]); diff != "" {
		t.Errorf("acts (-want +got):\n%s", diff)
	}
	if n, ok := tap.Znode("/e"); !ok || n.Created != 7 {
		t.Errorf("/e: found %+v, %t, want the one of zxid 7", n, ok)
	}
}
