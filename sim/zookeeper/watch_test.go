package zookeeper

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: the right connections get the right events in the right order (ZK-7). Method: a watcher, a
// writer, and the outbox compared as text.

// pair returns a lab with two sessions: a writer (connection 1) and a watcher (connection 2).
func pair(t *testing.T, cfg Config) (l *lab, writer, watcher ConnID) {
	l = newLab(t, cfg)
	return l, l.connect(), l.connect()
}

// eventsOf sends a request and returns only the events in the output.
func (l *lab) eventsOf(c ConnID, req Request) []string {
	l.t.Helper()
	events := []string{}
	l.m.Handle(l.nowMs, c, &req)
	for _, o := range l.m.Drain() {
		if o.Kind == OutEvent {
			events = append(events, o.String())
		}
	}
	return events
}

func TestDataAndExistsShareOneTable(t *testing.T) { // ZK-7.1, ZK-13.8
	l, writer, watcher := pair(t, Config{})
	l.must(writer, mk("/a"))
	l.must(watcher, watchOn(OpGetData, "/a"))
	l.must(watcher, watchOn(OpExists, "/a"))
	l.must(watcher, watchOn(OpGetData, "/a"))
	expect(t, l.eventsOf(writer, set("/a", "x")), []string{"2 event CHANGED /a"})
	expect(t, l.eventsOf(writer, set("/a", "y")), []string{})
}

func TestDataAndChildWatchesAreOneShotEachForItself(t *testing.T) { // ZK-7.1, ZK-13.8
	l, writer, watcher := pair(t, Config{})
	l.must(writer, mk("/a"))
	l.must(watcher, watchOn(OpGetData, "/a"))
	l.must(watcher, watchOn(OpGetChildren2, "/a"))
	expect(t, l.eventsOf(writer, mk("/a/b")), []string{"2 event CHILD /a"})
	expect(t, l.eventsOf(writer, set("/a", "x")), []string{"2 event CHANGED /a"})
	expect(t, l.eventsOf(writer, del("/a/b")), []string{})
}

func TestFailedReadsLeaveNoWatch(t *testing.T) { // ZK-7.2, ZK-13.10
	l, writer, watcher := pair(t, Config{})
	l.reply(watcher, watchOn(OpGetData, "/a"))
	l.reply(watcher, watchOn(OpGetChildren, "/a"))
	expect(t, l.eventsOf(writer, mk("/a")), []string{})
	l.must(writer, del("/a"))
	l.reply(watcher, watchOn(OpExists, "/a"))
	expect(t, l.eventsOf(writer, mk("/a")), []string{"2 event CREATED /a"})
}

func TestEventsOfAChangeInOrder(t *testing.T) { // ZK-7.3, ZK-13.9
	l, writer, watcher := pair(t, Config{})
	other := l.connect()
	l.must(writer, mk("/p"))
	l.reply(watcher, watchOn(OpExists, "/p/a"))
	l.must(watcher, watchOn(OpGetChildren, "/p"))
	expect(t, l.eventsOf(writer, mk("/p/a")), []string{"2 event CREATED /p/a", "2 event CHILD /p"})

	// The watcher has a data and a child watch on the znode, and is notified once. The other
	// connection has only child watches.
	l.must(watcher, watchOn(OpGetData, "/p/a"))
	l.must(watcher, watchOn(OpGetChildren, "/p/a"))
	l.must(other, watchOn(OpGetChildren, "/p/a"))
	l.must(other, watchOn(OpGetChildren, "/p"))
	expect(t, l.eventsOf(writer, del("/p/a")), []string{
		"2 event DELETED /p/a", "3 event DELETED /p/a", "3 event CHILD /p",
	})
	expect(t, l.m.Watches(), nil)
}

func TestEventComesBeforeTheReplyOfTheOwnWrite(t *testing.T) { // ZK-1.5, ZK-7.4, ZK-13.7, ZK-13.24
	l, writer, _ := pair(t, Config{})
	l.must(writer, mk("/a"))
	l.must(writer, watchOn(OpGetData, "/a"))
	expect(t, l.do(writer, set("/a", "x")), []string{"1 event CHANGED /a", "1 setData OK zxid=4"})
}

func TestWatchersHearInTheOrderOfTheirWatches(t *testing.T) {
	l, writer, second := pair(t, Config{})
	third := l.connect()
	l.must(writer, mk("/a"))
	l.must(third, watchOn(OpGetData, "/a"))
	l.must(second, watchOn(OpGetData, "/a"))
	l.must(third, watchOn(OpGetData, "/a"))
	expect(t, l.eventsOf(writer, set("/a", "x")), []string{"3 event CHANGED /a", "2 event CHANGED /a"})
}

func TestEventZxidByVersion(t *testing.T) { // ZK-1.4, ZK-14.1
	for _, c := range []struct {
		profile Profile
		want    int64
	}{{V38, -1}, {V39, 4}} {
		l, writer, watcher := pair(t, Config{Profile: c.profile})
		l.must(writer, mk("/a"))
		l.must(watcher, watchOn(OpGetData, "/a"))
		l.m.Handle(0, writer, &Request{Op: OpSetData, Path: "/a", Version: -1})
		expect(t, l.m.Drain()[0].Event.Zxid, c.want)
	}
}

func add(path string, mode int32) Request { return Request{Op: OpAddWatch, Path: path, Mode: mode} }

func TestPersistentWatchSurvives(t *testing.T) { // ZK-7.7, ZK-13.12
	l, writer, watcher := pair(t, Config{})
	l.must(watcher, add("/a", ModePersistent))
	for _, s := range []struct {
		name string
		req  Request
		want []string
	}{
		{"creation", mk("/a"), []string{"2 event CREATED /a"}},
		{"change", set("/a", "x"), []string{"2 event CHANGED /a"}},
		{"child", mk("/a/b"), []string{"2 event CHILD /a"}},
		{"grandchild", mk("/a/b/c"), []string{}},
		{"grandchild goes", del("/a/b/c"), []string{}},
		{"child goes", del("/a/b"), []string{"2 event CHILD /a"}},
		{"deletion", del("/a"), []string{"2 event DELETED /a"}},
		{"creation again", mk("/a"), []string{"2 event CREATED /a"}},
	} {
		t.Run(s.name, func(t *testing.T) { expect(t, l.eventsOf(writer, s.req), s.want) })
	}
}

func TestRecursiveWatchHearsTheSubtreeButNoChildEvents(t *testing.T) { // ZK-7.7, ZK-13.12
	for _, profile := range []Profile{V38, V39} {
		l, writer, watcher := pair(t, Config{Profile: profile})
		l.must(watcher, add("/a", ModePersistentRecursive))
		expect(t, l.eventsOf(writer, multi(mk("/a"), mk("/a/b"), mk("/a/b/c"), set("/a/b", ""), del("/a/b/c"), mk("/ab"))), []string{
			"2 event CREATED /a", "2 event CREATED /a/b", "2 event CREATED /a/b/c", "2 event CHANGED /a/b", "2 event DELETED /a/b/c",
		})
		l.must(watcher, add("/", ModePersistentRecursive))
		expect(t, l.eventsOf(writer, set("/a/b", "")), []string{"2 event CHANGED /a/b"})
	}
}

func TestUnknownModeIsRefused(t *testing.T) { // ZK-7.7
	l, _, watcher := pair(t, Config{})
	expect(t, l.reply(watcher, add("/a", 2)).Err, marshallingError)
	expect(t, l.m.Watches(), nil)
}

func TestOneModePerPathOn38AndAllOn39(t *testing.T) { // ZK-7.8, ZK-14.2
	for _, c := range []struct {
		profile Profile
		second  []string
	}{{V38, []string{}}, {V39, []string{"2 event CHANGED /a"}}} {
		l, writer, watcher := pair(t, Config{Profile: c.profile})
		l.must(writer, mk("/a"))
		l.must(watcher, add("/a", ModePersistent))
		l.must(watcher, watchOn(OpGetData, "/a"))
		expect(t, l.eventsOf(writer, set("/a", "1")), []string{"2 event CHANGED /a"})
		expect(t, l.eventsOf(writer, set("/a", "2")), c.second)
	}
}

func TestSecondAddWatchReplacesTheFirstOn38(t *testing.T) { // ZK-7.8
	l, writer, watcher := pair(t, Config{})
	l.must(writer, mk("/a"))
	l.must(watcher, add("/a", ModePersistent))
	l.must(watcher, add("/a", ModePersistentRecursive))
	expect(t, l.eventsOf(writer, mk("/a/b")), []string{"2 event CREATED /a/b"})
	expect(t, l.m.watches.data.recursive, 1)
	l.must(watcher, add("/a", ModePersistent))
	expect(t, l.m.watches.data.recursive, 0)
}

func remove(path string, typ int32) Request {
	return Request{Op: OpRemoveWatches, Path: path, Mode: typ}
}

func TestRemoveWatchesTakesTableByTableOn38(t *testing.T) { // ZK-7.9, ZK-1.8
	l, _, watcher := pair(t, Config{})
	l.must(watcher, add("/a", ModePersistent))
	for _, s := range []struct {
		typ  int32
		want Code
	}{
		{watchTypeChildren, CodeOK}, {watchTypeChildren, CodeNoWatcher}, {watchTypeData, CodeOK}, {watchTypeAny, CodeNoWatcher},
		{watchTypePersistent, marshallingError}, {watchTypePersistentRecursive, marshallingError}, {0, marshallingError},
	} {
		expect(t, l.reply(watcher, remove("/a", s.typ)).Err, s.want)
	}
	expect(t, l.m.Watches(), nil)
}

func TestRemoveWatchesTakesModeByModeOn39(t *testing.T) { // ZK-14.3
	l, _, watcher := pair(t, Config{Profile: V39})
	l.reply(watcher, watchOn(OpExists, "/a"))
	l.must(watcher, add("/a", ModePersistent))
	l.must(watcher, add("/a", ModePersistentRecursive))
	for _, s := range []struct {
		typ  int32
		want Code
	}{
		{watchTypeChildren, CodeNoWatcher}, {watchTypeData, CodeOK}, {watchTypeData, CodeNoWatcher},
		{watchTypePersistent, CodeOK}, {watchTypePersistent, CodeNoWatcher},
		{watchTypePersistentRecursive, CodeOK}, {watchTypeAny, CodeNoWatcher},
	} {
		expect(t, l.reply(watcher, remove("/a", s.typ)).Err, s.want)
	}
	expect(t, l.m.watches.data.recursive, 0)
}

func TestCheckWatchesCountsAnyConnectionOn38Only(t *testing.T) { // ZK-1.8; WatchManager.java
	for _, c := range []struct {
		profile Profile
		others  Code
	}{{V38, CodeOK}, {V39, CodeNoWatcher}} {
		l, other, watcher := pair(t, Config{Profile: c.profile})
		l.reply(watcher, watchOn(OpExists, "/a"))
		ask := func(conn ConnID, typ int32) Code {
			return l.reply(conn, Request{Op: OpCheckWatches, Path: "/a", Mode: typ}).Err
		}
		expect(t, ask(watcher, watchTypeData), CodeOK)
		expect(t, ask(watcher, watchTypeAny), CodeOK)
		expect(t, ask(watcher, watchTypeChildren), CodeNoWatcher)
		expect(t, ask(watcher, 9), marshallingError)
		expect(t, ask(other, watchTypeData), c.others)
	}
}

func TestEventsAreFilteredByReadPermission(t *testing.T) { // ZK-9.7, ZK-14.5
	secret := Request{Op: OpCreate, Path: "/a", ACL: []acl.Entry{{Perms: acl.All &^ acl.Read, Scheme: "world", ID: "anyone"}}}
	for _, c := range []struct {
		name string
		cfg  Config
		want []string
	}{
		{"3.8 with the fix", Config{}, []string{"2 event CHILD /"}},
		{"3.8 without", Config{UnfilteredEvents: true}, []string{"2 event CREATED /a", "2 event CHILD /"}},
		{"3.9", Config{Profile: V39, UnfilteredEvents: true}, []string{"2 event CHILD /"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, writer, watcher := pair(t, c.cfg)
			l.reply(watcher, watchOn(OpExists, "/a"))
			l.must(watcher, watchOn(OpGetChildren, "/"))
			expect(t, l.eventsOf(writer, secret), c.want)
			expect(t, l.m.Watches(), nil)
		})
	}
}

// The following tests check that setWatches compares the client's last state with the present one
// (ZK-7.5, ZK-13.11).

func reset(op OpCode, lists WatchLists) Request { return Request{Op: op, Watches: &lists} }

func TestSetWatchesCatchesUp(t *testing.T) { // ZK-7.5, ZK-13.11
	l, writer, watcher := pair(t, Config{})
	l.must(writer, mk("/old"))          // zxid 3
	l.must(writer, mk("/changed"))      // zxid 4
	l.must(writer, mk("/changed/c"))    // zxid 5
	l.must(writer, set("/changed", "")) // zxid 6
	all := []string{"/gone", "/changed", "/old"}
	got := l.do(watcher, reset(OpSetWatches, WatchLists{RelativeZxid: 4, Data: all, Exist: all, Child: all}))
	expect(t, got, []string{
		"2 event DELETED /gone", "2 event CHANGED /changed",
		"2 event CREATED /changed", "2 event CREATED /old",
		"2 event DELETED /gone", "2 event CHILD /changed",
		"2 setWatches OK zxid=6",
	})
	expect(t, l.m.Watches(), []WatchInfo{
		{Path: "/gone", Conn: 2, OneShot: true},
		{Path: "/old", Conn: 2, OneShot: true},
		{Path: "/old", Conn: 2, Child: true, OneShot: true},
	})
}

func TestSetWatches2RearmsPersistentOnesWithoutEvents(t *testing.T) { // ZK-7.6
	l, writer, watcher := pair(t, Config{})
	l.must(writer, mk("/a"))
	lists := WatchLists{Persistent: []string{"/a"}, PersistentRecursive: []string{"/r"}}
	expect(t, l.do(watcher, reset(OpSetWatches2, lists)), []string{"2 setWatches2 OK zxid=3"})
	expect(t, l.eventsOf(writer, multi(mk("/a/b"), mk("/r"), mk("/r/s"))), []string{
		"2 event CHILD /a", "2 event CREATED /r", "2 event CREATED /r/s",
	})
	l.do(watcher, reset(OpSetWatches, WatchLists{Persistent: []string{"/x"}}))
	expect(t, l.eventsOf(writer, mk("/x")), []string{})
}

// Goal: every watch that was set has fired, was removed, or is still held. A second watch on the
// same path replaces the first and is not counted. Method: long and short lists, which are stored
// differently.
func TestEveryWatchHasOneEnd(t *testing.T) {
	for _, profile := range []Profile{V38, V39} {
		l, writer, watcher := pair(t, Config{Profile: profile})
		want := func(set, fired, removed, held uint64) {
			t.Helper()
			c := l.m.Counters()
			expect(t, []uint64{c.WatchesSet, c.WatchesFired, c.WatchesRemoved, c.WatchesHeld}, []uint64{set, fired, removed, held})
			expect(t, c.Unbalanced(), "")
		}
		l.must(writer, mk("/a"))
		l.must(watcher, watchOn(OpGetData, "/a"))
		l.must(watcher, watchOn(OpExists, "/a"))
		l.must(watcher, watchOn(OpGetChildren, "/a"))
		want(2, 0, 0, 2)
		l.must(writer, set("/a", "x"))
		want(2, 1, 0, 1)
		l.must(watcher, remove("/a", watchTypeChildren))
		want(2, 1, 1, 0)
		l.must(watcher, add("/a", ModePersistent))
		l.must(writer, set("/a", "y"))
		want(4, 1, 1, 2) // the persistent watch stays, in both tables
		var many []ConnID
		for range 2 * longList {
			c := l.connect()
			l.must(c, watchOn(OpGetData, "/a"))
			many = append(many, c)
		}
		want(4+2*longList, 1, 1, 2+2*longList)
		l.m.Drop(l.nowMs, many[0])
		l.m.KillSession(l.nowMs, l.m.Conn(many[1]).session.id)
		l.said()
		want(4+2*longList, 1, 3, 2*longList)
		l.must(writer, set("/a", "z")) // the persistent watch stays, and the one-shot watches beside it fire
		want(4+2*longList, 2*longList-1, 3, 2)
		both := l.m.Counters().Plus(l.m.Counters())
		expect(t, []uint64{both.WatchesSet, both.WatchesRemoved, both.WatchesHeld}, []uint64{8 + 4*longList, 8, 2})
		expect(t, both.Unbalanced(), "")
	}
	expect(t, Counters{WatchesSet: 3, WatchesFired: 1, WatchesHeld: 1}.Unbalanced(), "watches: 3 set, want 2: 1 fired, 0 removed, 1 held")
}

// Goal: connections and paths are listed as real servers list them, also after watches that fired or
// were removed. The order of paths was recorded from 3.8.0 and 3.9.3, which agree but for a connection
// whose last watch it has removed itself: that leaves the table on 3.9.
func TestWatchesAreShownAsInTheRealTables(t *testing.T) { // ZK-11
	for _, profile := range []Profile{V38, V39} {
		l, writer, watcher := pair(t, Config{Profile: profile, ShowWatches: true})
		shown := func() (paths string, conns int) {
			for _, w := range l.m.WatchingConns() {
				conns++
				if w.Conn == watcher {
					paths = strings.Join(w.Paths, " ")
				}
			}
			return paths, conns
		}
		name := func(i int) string { return fmt.Sprintf("/w%d", i*104729) }
		for i := range 40 {
			l.do(watcher, watchOn(OpExists, name(i)))
		}
		for i := range 40 {
			switch {
			case i%10 == 7:
			case i < 20:
				l.must(watcher, remove(name(i), watchTypeAny))
			default:
				l.must(writer, mk(name(i)))
			}
		}
		left := "/w2827683 /w1780393 /w3874973 /w733103"
		if paths, _ := shown(); paths != left {
			t.Errorf("%v: got %s, want %s", profile, paths, left)
		}
		if got := lists.Map(l.m.WatchedPaths(), func(w Watched) string { return w.Path }); strings.Join(got, " ") != left {
			t.Errorf("%v: got %s, want %s", profile, got, left)
		}
		l.must(writer, mk(name(37))) // leaves only the watches 7, 17 and 27, which their connection then removes
		for i := range 3 {
			l.must(watcher, remove(name(10*i+7), watchTypeAny))
		}
		want := 1
		if profile == V39 {
			want = 0
		}
		if paths, conns := shown(); paths != "" || conns != want {
			t.Errorf("%v: got %d connections with %q, want %d with none", profile, conns, paths, want)
		}
		l.must(watcher, watchOn(OpGetData, "/"))
		l.must(writer, set("/", "x"))
		if paths, conns := shown(); paths != "" || conns != 1 {
			t.Errorf("%v: got %d connections with %q after the event, want 1 with none", profile, conns, paths)
		}
		l.m.Drop(l.nowMs, watcher)
		if _, conns := shown(); conns != 0 {
			t.Errorf("%v: got %d connections, want none", profile, conns)
		}
	}
}
