package zookeeper

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: the less common reads of ZK-1 give the right answers.

func TestSmallReplies(t *testing.T) { // ZK-1.8, ZK-1.6, ZK-13.22
	for _, s := range []struct {
		name string
		cfg  Config
		req  Request
		want []string
	}{
		{"sync echoes a missing path", Config{}, Request{Op: OpSync, Path: "/none"}, []string{"1 sync OK zxid=1 /none"}},
		{"unknown opcode", Config{}, Request{Op: 77}, []string{"1 OpCode(77) UnimplementedError zxid=-1", "1 close"}},
		{"notification is no request", Config{}, Request{Op: OpNotification}, []string{"1 notification UnimplementedError zxid=-1", "1 close"}},
		{"createSession that cannot be read", Config{}, Request{Op: OpCreateSession, Malformed: true}, []string{"1 createSession MarshallingError zxid=2"}},
		{"deleteContainer", Config{}, Request{Op: OpDeleteContainer, Path: "/"}, []string{"1 deleteContainer BadArgumentsError zxid=2"}},
		{"reconfig disabled", Config{}, Request{Op: OpReconfig}, []string{"1 reconfig ReconfigDisabled zxid=2"}},
		{"reconfig of a standalone server", Config{ReconfigEnabled: true}, Request{Op: OpReconfig}, []string{"1 reconfig UnimplementedError zxid=2"}},
		{"bare check", Config{}, check("/", -1), []string{"1 check OK zxid=1"}},                                // ZK-1.7
		{"bare check of a wrong version", Config{}, check("/", 7), []string{"1 check BadVersionError zxid=2"}}, // ZK-1.7
		{"exists with a NUL", Config{}, Request{Op: OpExists, Path: "/\x00", Watch: true}, []string{"1 exists BadArgumentsError zxid=1"}},
		{"exists of the empty path", Config{}, Request{Op: OpExists}, []string{"1 exists OK zxid=1"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			l := newLab(t, s.cfg)
			expect(t, l.do(l.connect(), s.req), s.want)
		})
	}
}

func TestXidIsEchoedButForPing(t *testing.T) { // ZK-1.3; FinalRequestProcessor.java:185
	l := newLab(t, Config{})
	c := l.connect()
	for _, xid := range []int32{1, -4, -8, 77} {
		expect(t, l.reply(c, Request{Op: OpAuth, Xid: xid, Scheme: "digest", Data: []byte{}}).Xid, xid)
		expect(t, l.reply(c, Request{Op: OpSetWatches, Xid: xid}).Xid, xid)
		expect(t, l.reply(c, Request{Op: OpPing, Xid: xid}).Xid, XidPing)
	}
}

func TestGetEphemeralsGivesTheCallersOwn(t *testing.T) { // ZK-1.8
	l := newLab(t, Config{})
	c, other := l.connect(), l.connect()
	l.must(c, mk("/p"))
	for _, path := range []string{"/p/b", "/p/a", "/e"} {
		l.must(c, mkFlags(path, FlagEphemeral))
	}
	l.must(other, mkFlags("/p/theirs", FlagEphemeral))
	ask := func(prefix string) []string {
		return l.must(c, Request{Op: OpGetEphemerals, Path: prefix}).Children
	}
	all := []string{"/p/b", "/p/a", "/e"} // in the order of Java's set
	expect(t, ask("/"), all)
	expect(t, ask(""), all)
	expect(t, ask("/p"), []string{"/p/b", "/p/a"})
	expect(t, ask("/q"), []string{})
}

func TestGetAllChildrenNumberCountsDescendants(t *testing.T) { // ZK-1.8
	l := newLab(t, Config{})
	c := l.connect()
	for _, path := range []string{"/p", "/p/a", "/p/a/x", "/p/b", "/pq"} {
		l.must(c, mk(path))
	}
	//lint:ordered reads leave nothing behind
	for path, want := range map[string]int32{"/p": 3, "/p/a": 1, "/p/b": 0, "/": 8} {
		expect(t, l.must(c, Request{Op: OpGetAllChildrenNumber, Path: path}).Count, want)
	}
	expect(t, l.reply(c, Request{Op: OpGetAllChildrenNumber, Path: "/none"}).Err, noNode)
}

// Goal: the names below the root are listed in the order that a server 3.8.0 has shown (ZK-5.8).
func TestGetChildrenIsInHashOrder(t *testing.T) { // BB-2.3
	l := newLab(t, Config{})
	c := l.connect()
	for _, name := range []string{"s-0000000000", "b", "a", "c", "aa", "z", "m1", "m2", "m3"} {
		l.must(c, mk("/"+name))
	}
	expect(t, l.must(c, Request{Op: OpGetChildren, Path: "/"}).Children,
		[]string{"aa", "a", "b", "c", "zookeeper", "m1", "m2", "m3", "z", "s-0000000000"})
}

// Goal: the sub-graphs of a model are listed in the order that a server 3.8.0 has shown (Q88).
func TestSubGraphsAreInHashOrder(t *testing.T) { // ZK-5.8
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/p"))
	for _, name := range []string{"entry", "ps_0", "ps_1", "ps_2", "ps_10"} {
		l.must(c, mk("/p/"+name))
	}
	expect(t, l.must(c, Request{Op: OpGetChildren, Path: "/p"}).Children, []string{"ps_0", "entry", "ps_1", "ps_2", "ps_10"})
}

// Goal: the hash table does not shrink when children are deleted, so the order depends on the
// largest number of children so far.
func TestHashOrderRemembersTheMostChildren(t *testing.T) { // ZK-5.8
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/p"))
	for _, name := range []string{"i", "a", "1", "2", "3", "4", "5"} {
		l.must(c, mk("/p/"+name))
	}
	for _, name := range []string{"1", "2", "3", "4", "5"} {
		l.must(c, del("/p/"+name))
	}
	// 'i' is 0x69 and 'a' is 0x61. They share a bucket in a table of 8, but not in a table of 16.
	expect(t, l.must(c, Request{Op: OpGetChildren, Path: "/p"}).Children, []string{"a", "i"})
}

func TestGetChildrenIsInHashOrderUnlessReordered(t *testing.T) { // ZK-5.8, ZK-13.6
	names := []string{"s-0000000000", "b", "a", "c", "aa"}
	build := func(cfg Config) []string {
		l := newLab(t, cfg)
		c := l.connect()
		l.must(c, mk("/p"))
		for _, name := range names {
			l.must(c, mk("/p/"+name))
		}
		return l.must(c, Request{Op: OpGetChildren2, Path: "/p"}).Children
	}
	expect(t, build(Config{}), []string{"aa", "a", "b", "s-0000000000", "c"})
	expect(t, build(Config{ChildOrder: func(path string, sorted []string) []string {
		expect(t, path, "/p")
		reversed := slices.Clone(sorted)
		slices.Reverse(reversed)
		return reversed
	}}), []string{"s-0000000000", "c", "b", "aa", "a"})
}

func TestRequestsOfUnknownConnectionsAreDropped(t *testing.T) {
	l := newLab(t, Config{})
	expect(t, l.do(9, mk("/a")), []string{})
	l.m.Drop(0, 9)
	expect(t, l.m.Zxid(), int64(0))
}

// Goal: ReadAgain has the same effects as Handle, watches included. A connection with very many
// watches leaves none behind when it ends. Method: two machines get the same script of writes,
// reads and connections. One of them reads by ReadAgain wherever that is possible. Outputs and
// watch counts must be equal.
func TestReadAgainIsHandle(t *testing.T) {
	const paths, clients = 2 * leastMarked, 4
	plain, quick := newLab(t, Config{}), newLab(t, Config{})
	var conns [clients]ConnID
	for i := range conns {
		conns[i] = plain.connect()
		quick.connect()
	}
	answered, many, random := 0, false, rand.New(rand.NewPCG(1, 2))
	for i := range 40_000 {
		at := random.IntN(paths)
		req := Request{Xid: 1, Path: fmt.Sprintf("/n%d", at), ACL: acl.Open(), Version: -1}
		client := random.IntN(clients)
		switch kind := random.IntN(1000); {
		case kind == 0 && random.IntN(4) == 0:
			many = many || quick.m.Conn(conns[client]).watches[dataTable].any
			for _, l := range []*lab{plain, quick} {
				l.m.Drop(l.nowMs, conns[client])
				l.connect()
			}
			conns[client] = plain.conns
			if c := quick.m.Conn(conns[client]); c == nil || c.watches[dataTable].any {
				t.Fatal("a new connection is none, or has watches")
			}
		case kind < 60:
			req.Op = OpDelete
		case kind < 200:
			req.Op = OpCreate
		case kind < 300:
			req.Op, req.Data = OpSetData, []byte{byte(at)}
		default:
			req.Op, req.Watch = OpGetData, kind < 900
		}
		if req.Op == 0 {
			continue
		}
		want := plain.do(conns[client], req)
		var reply Reply
		var got []string
		if c := quick.m.Conn(conns[client]); req.Op == OpGetData && quick.m.ReadAgain(quick.nowMs, c, &req, &reply) {
			answered++
			got = []string{(&Out{Conn: conns[client], Kind: OutReply, Reply: reply}).String()}
		} else {
			got = quick.do(conns[client], req)
		}
		if !slices.Equal(want, got) {
			t.Fatalf("%s %s: Handle said %q, ReadAgain %q", req.Op, req.Path, want, got)
		}
		if i%64 != 0 {
			continue
		}
		wantData, _ := plain.m.WatchCounts()
		if gotData, _ := quick.m.WatchCounts(); gotData != wantData {
			t.Fatalf("%s %s: %d watches, want %d", req.Op, req.Path, gotData, wantData)
		}
	}
	if answered < 10_000 || !many {
		t.Errorf("%d reads were answered in place, %t: a connection that went had very many watches; want thousands and one", answered, many)
	}
}
