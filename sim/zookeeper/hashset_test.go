package zookeeper

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: a session's ephemerals are deleted in the order of Java's sets, however the session ends
// (ZK-2.7). Method: twelve names with the orders of real servers 3.8.6 and 3.9.5. The word dump
// shows the order of the live set. getEphemerals, closing and expiry show the order of its copy.

const (
	liveOrder = "e71271 e79190 e39595 e55433 e63352 e0"
	goneOrder = "e71271 e55433 e0 e47514 e23757 e87109 e79190 e39595 e63352 e15838 e7919 e31676"
)

// owner connects a session with twelve ephemerals, and another session that watches them.
func (l *lab) owner() (owner, watcher ConnID) {
	owner, watcher = l.connect(), l.connect()
	l.must(owner, mk("/od"))
	for i := range 12 {
		path := fmt.Sprintf("/od/e%d", i*7919)
		l.must(owner, mkFlags(path, FlagEphemeral))
		l.must(watcher, watchOn(OpExists, path))
	}
	return owner, watcher
}

// names returns the last path components of the znodes below /od that the lines mention.
func names(lines []string) string {
	var found []string
	for _, line := range lines {
		if _, name, ok := strings.Cut(line, "/od/"); ok {
			found = append(found, name)
		}
	}
	return strings.Join(found, " ")
}

func TestEphemeralsGoAsTheyLieInASet(t *testing.T) { // ZK-2.7, ZK-3.5
	for _, c := range []struct {
		name string
		end  func(l *lab, owner ConnID) []string
	}{
		{"closed", func(l *lab, owner ConnID) []string { return l.do(owner, Request{Op: OpCloseSession}) }},
		{"killed", func(l *lab, _ ConnID) []string { l.m.KillSession(l.nowMs, l.m.Sessions()[0].ID); return l.said() }},
		{"restored and closed", func(l *lab, owner ConnID) []string {
			id := l.m.Sessions()[0].ID
			l.m = Restore(l.m.cfg, l.nowMs, l.m.Snapshot())
			_, watcher := l.connect(), l.connect()
			for i := range 12 {
				l.must(watcher, watchOn(OpExists, fmt.Sprintf("/od/e%d", i*7919)))
			}
			l.m.KillSession(l.nowMs, id)
			return l.said()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, Config{})
			owner, _ := l.owner()
			expect(t, names(l.must(owner, Request{Op: OpGetEphemerals}).Children), goneOrder)
			live := names(l.m.Sessions()[0].Ephemerals)
			if !strings.HasPrefix(live, liveOrder) {
				t.Errorf("got the live set %s, want it to begin with %s", live, liveOrder)
			}
			l.writes = nil
			expect(t, names(c.end(l, owner)), goneOrder)
			var gone []string
			for _, w := range l.writes {
				if w.Op == OpDelete {
					gone = append(gone, w.Path)
				}
			}
			expect(t, names(gone), goneOrder)
		})
	}
}

func TestAFailedMultiLeavesNoTraceInSets(t *testing.T) { // ZK-5.8, ZK-2.7
	l := newLab(t, Config{})
	owner, _ := l.owner()
	before := l.m.Sessions()[0].Ephemerals
	children := l.must(owner, Request{Op: OpGetChildren, Path: "/od"}).Children
	ops := []Request{del("/od/e0"), del("/od/e7919")}
	for i := range 40 {
		ops = append(ops, mkFlags(fmt.Sprintf("/od/more%d", i), FlagEphemeral))
	}
	l.do(owner, multi(append(ops, del("/none"))...))
	expect(t, l.m.Sessions()[0].Ephemerals, before)
	expect(t, l.must(owner, Request{Op: OpGetChildren, Path: "/od"}).Children, children)
}

// Goal: simulated clients, which ask for blocks, list children of one hash in the order of those on sockets,
// whatever they asked for before (ZK-5.8). Method: the sets that OpenJDK 17 has filled, after each change.
func TestBlocksAreInTheOrderOfTheSet(t *testing.T) {
	sets, err := os.ReadFile("java/testdata/sets.txt")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for line := range strings.Lines(string(sets)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		if parts[0] != "8" { // the set starts with room for 8
			continue
		}
		for _, asked := range []bool{false, true} {
			l := newLab(t, Config{})
			c := l.connect()
			l.must(c, mk("/n"))
			blocks := func() string {
				return strings.Join(l.must(c, Request{Op: OpGetChildren, Path: "/n", Blocks: true}).Names.List(), ",")
			}
			for op := range strings.SplitSeq(parts[1], ",") {
				if op[0] == '+' {
					l.must(c, mk("/n/"+op[1:]))
				} else {
					l.must(c, del("/n/"+op[1:]))
				}
				if asked {
					expect(t, blocks(), strings.Join(l.must(c, Request{Op: OpGetChildren, Path: "/n"}).Children, ","))
				}
			}
			expect(t, blocks(), parts[2])
			compared++
		}
	}
	if compared < 4 {
		t.Errorf("got %d sets of a znode, want two or more, each twice", compared)
	}
}

// Goal: children and ephemerals whose names collide are listed as a real server lists them, also after
// removals, failed multis, a restart and at a follower. Method: multis and the lists of a server 3.8.0; a
// line has c for children or e for ephemerals, the multis, of which those with ! end with a delete of
// nothing, and both lists.
func TestCrowdedSets(t *testing.T) { // ZK-5.8, ZK-2.7
	data, err := os.ReadFile("testdata/crowded-3.8.0.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		flags := map[string]int32{"e": FlagEphemeral}[parts[0]]
		l := newLab(t, Config{})
		replica := l.m.Replica()
		l.m.OnCommit(replica.Follow)
		c := l.connect()
		l.must(c, mk("/crowd"))
		for group := range strings.SplitSeq(parts[1], " ") {
			group, fails := strings.CutSuffix(group, "!")
			var ops []Request
			for op := range strings.SplitSeq(group, ",") {
				one := mkFlags("/crowd/"+op[1:], flags)
				if op[0] == '-' {
					one = del("/crowd/" + op[1:])
				}
				ops = append(ops, one)
			}
			if fails {
				ops = append(ops, del("/nope"))
			}
			l.do(c, multi(ops...))
		}
		look := func(m *Machine) string {
			gone := lists.Map(m.sessions[m.Sessions()[0].ID].leaving(), childName)
			return strings.Join(inHashOrder(m.tree.nodes["/crowd"]), ",") + "|" + strings.Join(gone, ",")
		}
		want := parts[2] + "|" + parts[3]
		expect(t, look(l.m), want)
		expect(t, look(replica), want)
		expect(t, look(Restore(l.m.cfg, l.nowMs, l.m.Snapshot())), want)
		blocks := l.m.tree.nodes["/crowd"].childBlocks().List()
		expect(t, strings.Join(blocks, ","), parts[2])
	}
}

// counted returns a machine with a znode /n whose counter for sequential children is creates.
func counted(t *testing.T, creates int32) *lab {
	snapshot, err := NewSnapshot(Image{Nodes: []NodeImage{
		{Path: "/", ACL: acl.Everyone}, {Path: "/zookeeper", ACL: acl.Everyone}, {Path: "/zookeeper/config", ACL: acl.Readers},
		{Path: "/zookeeper/quota", ACL: acl.Everyone}, {Path: "/n", ACL: acl.Everyone, Offspring: Offspring{Creates: creates}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	l := newLab(t, Config{})
	l.m = Restore(l.m.cfg, 0, snapshot)
	return l
}

// Goal: a sequence counter that passes its largest value gives the names that a real server 3.9.5
// gave.
func TestACounterAtItsEnd(t *testing.T) { // ZK-5.2
	next := mkFlags("/n/n", FlagPersistentSequential)
	wrapped := []string{"2147483645", "2147483646", "2147483647", "-2147483648", "-2147483647", "-2147483646"}
	t.Run("one by one", func(t *testing.T) {
		l := counted(t, math.MaxInt32-2)
		c := l.connect()
		for _, name := range wrapped[:3] {
			expect(t, l.must(c, next).Path, "/n/n"+name)
		}
		for range 3 {
			expect(t, l.reply(c, next).Err, nodeExists)
		}
		expect(t, l.stat("/n").Cversion, int32(-5))
		// A failed create and a delete do not change the counter.
		l.must(c, del("/n/n2147483647"))
		expect(t, l.must(c, next).Path, "/n/n2147483647")
	})
	t.Run("in a multi", func(t *testing.T) {
		l := counted(t, math.MaxInt32-2)
		r := l.must(l.connect(), multi(next, next, next, next, next, next))
		for i, name := range wrapped {
			expect(t, r.Results[i].Path, "/n/n"+name)
		}
	})
	t.Run("pipelined", func(t *testing.T) {
		l := counted(t, math.MaxInt32-2)
		c := l.connect()
		for i, name := range wrapped {
			one := next
			one.Pipelined = i > 0
			expect(t, l.must(c, one).Path, "/n/n"+name)
		}
		expect(t, l.reply(c, next).Err, nodeExists)
	})
	t.Run("a multi that fails", func(t *testing.T) {
		l := counted(t, math.MaxInt32-2)
		c := l.connect()
		l.do(c, multi(next, next, next, next, next, del("/none")))
		expect(t, l.stat("/n").Cversion, int32(-6))
		expect(t, l.must(c, next).Path, "/n/n2147483645")
	})
}

func TestFollowersCountAsTheLeader(t *testing.T) { // ZK-5.2
	l := counted(t, math.MaxInt32-1)
	replica := l.m.Replica()
	l.m.OnCommit(replica.Follow)
	c := l.connect()
	next := mkFlags("/n/n", FlagPersistentSequential)
	l.must(c, multi(next, next, next))
	expect(t, replica.DumpTree(), l.m.DumpTree())
	expect(t, slices.Equal(replica.Children("/n"), l.m.Children("/n")), true)
}

// Goal: 3.9 refuses a check outside a multi (ZK-14.12). It uses no zxid for a write that it cannot
// read, except for a null, a multi or a createSession (ZK-14.13). A checkWatches of null finds no
// watcher (ZK-14.14).
func TestWhat39CannotRead(t *testing.T) {
	for _, c := range []struct {
		name     string
		req      Request
		on38     string
		on39     string
		taken38  int64
		taken39  int64
		closed39 bool
	}{
		{"a check", Request{Op: OpCheck, Path: "/none", Version: -1}, "check NoNodeError zxid=2", "check UnimplementedError zxid=-1", 1, 0, true},
		{"a check cut short", Request{Op: OpCheck, Malformed: true}, "check MarshallingError zxid=2", "check UnimplementedError zxid=-1", 1, 0, true},
		{"a create cut short", Request{Op: OpCreate, Malformed: true}, "create MarshallingError zxid=2", "create MarshallingError zxid=1", 1, 0, false},
		{"a create of null", Request{Op: OpCreate, NullPath: true}, "create MarshallingError zxid=2", "create MarshallingError zxid=2", 1, 1, false},
		{"a deleteContainer cut short", Request{Op: OpDeleteContainer, Malformed: true}, "deleteContainer BadArgumentsError zxid=2", "deleteContainer MarshallingError zxid=1", 1, 0, false},
		{"a deleteContainer of null", Request{Op: OpDeleteContainer, NullPath: true}, "deleteContainer BadArgumentsError zxid=2", "deleteContainer MarshallingError zxid=1", 1, 0, false},
		{"a multi cut short", Request{Op: OpMulti, Malformed: true}, "multi MarshallingError zxid=2", "multi MarshallingError zxid=2", 1, 1, false},
		{"a createSession cut short", Request{Op: OpCreateSession, Malformed: true}, "createSession MarshallingError zxid=2", "createSession MarshallingError zxid=2", 1, 1, false},
		{"a checkWatches of null", Request{Op: OpCheckWatches, Mode: 3, Malformed: true, NullPath: true}, "checkWatches MarshallingError zxid=1", "checkWatches NoWatcher zxid=1", 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range []Profile{V38, V39} {
				l := newLab(t, Config{Profile: p})
				conn := l.connect()
				want, taken := []string{"1 " + c.on38}, c.taken38
				if p == V39 {
					want, taken = []string{"1 " + c.on39}, c.taken39
					if c.closed39 {
						want = append(want, "1 close")
					}
				}
				expect(t, l.do(conn, c.req), want)
				expect(t, l.m.Zxid(), 1+taken)
			}
		})
	}
}

// Goal: requests with null paths are answered, and so is a second createSession (ZK-1.6, ZK-1.8).
func TestNullsAndASecondCreateSession(t *testing.T) {
	l := newLab(t, Config{})
	c := l.connect()
	r := l.must(c, Request{Op: OpSync, NullPath: true})
	expect(t, r.NullPath, true)
	expect(t, l.do(c, Request{Op: OpCreateSession, TimeoutMs: 4_000}), []string{fmt.Sprintf("1 connected session=%#x timeout=10000", l.m.Sessions()[0].ID)})
	expect(t, l.m.Zxid(), int64(2))
	expect(t, l.m.Sessions()[0].DeadlineMs, int64(6_000)) // the deadline stays until the session is heard of again
	l.do(c, Request{Op: OpPing})
	expect(t, l.m.Sessions()[0].DeadlineMs, int64(12_000))
	expect(t, l.do(c, Request{Op: OpAuth, Scheme: "digest"}), []string{"1 auth AuthFailedError zxid=0", "1 close"})
}

// Goal: a createSession for a time that has passed leaves the session alive until it is heard of again,
// unless its tick is still to come (ZK-1.6). Method: what servers 3.8.0 and 3.9.3 did. The word dump of
// 3.8.0 told the tick that had passed.
func TestCreateSessionForATimeThatHasPassed(t *testing.T) {
	lives := map[int32]bool{-1 << 31: true, -10_000: true, -2_000: true, -1: false, 0: false}
	for _, timeoutMs := range slices.Sorted(maps.Keys(lives)) {
		l := newLab(t, Config{})
		c := l.connect()
		l.m.Tick(9_000)
		l.do(c, Request{Op: OpCreateSession, TimeoutMs: timeoutMs})
		expect(t, l.m.Sessions()[0].DeadlineMs, ((9_000+int64(timeoutMs))/2_000+1)*2_000)
		l.m.Tick(1_000_000)
		expect(t, len(l.m.Sessions()) == 1, lives[timeoutMs])
		if lives[timeoutMs] {
			l.do(c, Request{Op: OpPing})
			l.m.Tick(2_000_000)
			expect(t, len(l.m.Sessions()), 0)
		}
	}
}

// Goal: a restarted server gives a session the timeout of its last createSession, also a passed one, and
// not that of a re-attach (ZK-1.6, ZK-2.5). Method: what a server 3.8.0 did with sessions of 1 s and 60 s,
// 3 s after a restart.
func TestTimeoutsAfterARestart(t *testing.T) {
	for _, c := range []struct {
		name           string
		madeMs, thenMs int32
		op             OpCode
		lives          bool
	}{
		{"60 s, attached for 1 s", 60_000, 1_000, OpPing, true},
		{"1 s, attached for 60 s", 1_000, 60_000, OpPing, false},
		{"60 s, createSession of 0", 60_000, 0, OpCreateSession, false},
		{"60 s, createSession of 1 s", 60_000, 1_000, OpCreateSession, false},
		{"60 s, createSession of -5 s", 60_000, -5_000, OpCreateSession, true},
		{"1 s, createSession of 60 s", 1_000, 60_000, OpCreateSession, true},
		{"1 s, createSession of -100 s", 1_000, -100_000, OpCreateSession, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Config{TickMs: 500, MinSessionTimeoutMs: 1_000, MaxSessionTimeoutMs: 60_000}
			m := New(cfg, 100_000)
			m.Connect(100_000, 1, &ConnectRequest{TimeoutMs: c.madeMs})
			s := m.Sessions()[0]
			password := Password(s.ID)
			if c.op == OpCreateSession {
				m.Handle(100_000, 1, &Request{Op: OpCreateSession, TimeoutMs: c.thenMs})
			} else {
				m.Connect(100_000, 2, &ConnectRequest{TimeoutMs: c.thenMs, SessionID: s.ID, Password: password[:]})
			}
			m = Restore(cfg, 100_000, m.Snapshot())
			m.Tick(103_000)
			expect(t, len(m.Sessions()) == 1, c.lives)
		})
	}
}
