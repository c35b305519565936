package zookeeper

import (
	"slices"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: znodes have the fields of ZK-4 and ZK-5, and each write changes the right ones.

func TestFreshTree(t *testing.T) { // ZK-5.4, ZK-13.2
	m := New(Config{}, 0)
	expect(t, m.DumpTree(), `/ cversion=-1
/zookeeper cversion=-2
/zookeeper/config aversion=-1 acl=world:anyone:r
/zookeeper/quota
`)
	expect(t, m.Zxid(), int64(0))
}

func TestFirstSequentialAtTheRootIsZero(t *testing.T) { // ZK-5.4, ZK-13.2
	l := newLab(t, Config{})
	c := l.connect()
	expect(t, l.must(c, mkFlags("/s-", FlagPersistentSequential)).Path, "/s-0000000000")
	expect(t, l.stat("/").Cversion, int32(0))
}

func TestSequenceCountsCreatesOfAnyChildAndNoDeletes(t *testing.T) { // ZK-5.2, ZK-5.3, ZK-13.1
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/p"))
	steps := []struct {
		name     string
		req      Request
		want     string
		cversion int32
	}{
		{"first", mkFlags("/p/s-", FlagPersistentSequential), "/p/s-0000000000", 1},
		{"another child", mk("/p/x"), "/p/x", 2},
		{"its delete", del("/p/x"), "", 3},
		{"second", mkFlags("/p/s-", FlagEphemeralSequential), "/p/s-0000000002", 4},
		{"empty name", mkFlags("/p/", FlagPersistentSequential), "/p/0000000003", 5},
	}
	for _, s := range steps {
		expect(t, l.must(c, s.req).Path, s.want)
		expect(t, l.stat("/p").Cversion, s.cversion)
	}
}

func TestFailedCreateConsumesNoNumber(t *testing.T) { // ZK-5.2, ZK-13.1
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/p"))
	l.must(c, mk("/p/x"))
	expect(t, l.reply(c, mk("/p/x")).Err, nodeExists)
	expect(t, l.must(c, mkFlags("/p/s-", FlagPersistentSequential)).Path, "/p/s-0000000001")
}

func TestWhatAWriteTouches(t *testing.T) { // ZK-5.5, ZK-13.3
	l := newLab(t, Config{EpochOffsetMs: 1_000_000})
	c := l.connect()
	l.must(c, mk("/p"))
	fresh := Stat{Czxid: 2, Mzxid: 2, Pzxid: 2, CtimeMs: 1_000_000, MtimeMs: 1_000_000}
	expect(t, l.stat("/p"), fresh)

	l.advance(7)
	l.must(c, mk("/p/c"))
	want := fresh
	want.Pzxid, want.Cversion, want.NumChildren = 3, 1, 1
	expect(t, l.stat("/p"), want)

	l.must(c, set("/p/c", "xyz"))
	expect(t, l.stat("/p"), want)
	expect(t, l.stat("/p/c"), Stat{
		Czxid: 3, Mzxid: 4, Pzxid: 3, CtimeMs: 1_000_007, MtimeMs: 1_000_007, Version: 1, DataLengthBytes: 3,
	})

	l.must(c, del("/p/c"))
	want.Pzxid, want.Cversion, want.NumChildren = 5, 2, 0
	expect(t, l.stat("/p"), want)

	l.advance(7)
	l.must(c, Request{Op: OpSetACL, Path: "/p", ACL: acl.Everyone, Version: -1})
	want.Aversion = 1
	expect(t, l.stat("/p"), want)

	l.must(c, set("/p", ""))
	want.Mzxid, want.MtimeMs, want.Version = 7, 1_000_014, 1
	expect(t, l.stat("/p"), want)
}

func TestEphemeralOwnerIsShownForEphemeralsOnly(t *testing.T) { // ZK-5.6, ZK-13.3
	l := newLab(t, Config{ExtendedTypes: true})
	c := l.connect()
	l.must(c, mkFlags("/e", FlagEphemeral))
	l.must(c, Request{Op: OpCreateContainer, Path: "/c", Flags: flagContainer, ACL: acl.Everyone})
	l.must(c, Request{Op: OpCreateTTL, Path: "/t", Flags: FlagTTL, TTLMs: 5, ACL: acl.Everyone})
	expect(t, l.stat("/e").EphemeralOwner, l.m.Sessions()[0].ID)
	expect(t, l.stat("/c").EphemeralOwner, int64(0))
	expect(t, l.stat("/t").EphemeralOwner, int64(0))
}

func TestNullDataIsNotEmptyData(t *testing.T) { // ZK-5.7, ZK-13.5
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, Request{Op: OpCreate, Path: "/null", ACL: acl.Everyone})
	l.must(c, mk("/empty"))
	null := l.must(c, Request{Op: OpGetData, Path: "/null"})
	expect(t, null.Data, []byte(nil))
	expect(t, null.Stat.DataLengthBytes, int32(0))
	expect(t, l.must(c, Request{Op: OpGetData, Path: "/empty"}).Data, []byte{})
}

func TestZxids(t *testing.T) { // ZK-4.1, ZK-4.2, ZK-4.3, ZK-8.4, ZK-13.4
	l := newLab(t, Config{})
	c := l.connect()
	for _, s := range []struct {
		name   string
		req    Request
		header int64
		last   int64
	}{
		{"create", mk("/a"), 2, 2},
		{"failed create", mk("/a"), 3, 3},
		{"read", Request{Op: OpGetData, Path: "/a"}, 3, 3},
		{"failed read", Request{Op: OpGetData, Path: "/none"}, 3, 3},
		{"sync", Request{Op: OpSync, Path: "/none"}, 3, 3},
		{"ping", Request{Op: OpPing}, 3, 3},
		{"auth", Request{Op: OpAuth, Scheme: "digest", Data: []byte("u:p")}, 0, 3},
		{"multi of three", multi(mk("/b"), mk("/c"), mk("/d")), 4, 4},
		{"failed multi", multi(mk("/e"), mk("/e")), 5, 5},
		{"empty multi", multi(), 6, 6},
		{"refused reconfig", Request{Op: OpReconfig}, 7, 7},
		{"deleteContainer", Request{Op: OpDeleteContainer}, 8, 8},
		{"unreadable createSession", Request{Op: OpCreateSession, Malformed: true}, 9, 9},
		{"unreadable write", Request{Op: OpDelete, Malformed: true}, 10, 10},
		{"unreadable read", Request{Op: OpGetData, Malformed: true}, 10, 10},
		{"unreadable multi", Request{Op: OpMulti, Malformed: true}, 11, 11},
		{"bare check", Request{Op: OpCheck, Path: "/a"}, 11, 11},
		{"unknown opcode", Request{Op: 77}, -1, 11},
	} {
		t.Run(s.name, func(t *testing.T) {
			expect(t, l.reply(c, s.req).Zxid, s.header)
			expect(t, l.m.Zxid(), s.last)
		})
	}
}

func TestChildrenCacheKeepsAnswersStable(t *testing.T) {
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/q"))
	l.must(c, mkFlags("/q/", FlagPersistentSequential))
	l.must(c, mkFlags("/q/", FlagPersistentSequential))
	children := func() []string { return l.must(c, Request{Op: OpGetChildren, Path: "/q"}).Children }
	two := children()
	before := slices.Clone(two)
	l.must(c, mkFlags("/q/", FlagPersistentSequential))
	l.must(c, del("/q/0000000000"))
	l.must(c, mkFlags("/q/", FlagPersistentSequential))
	expect(t, children(), []string{"0000000001", "0000000003", "0000000002"})
	l.must(c, del("/q/0000000002"))
	l.must(c, mk("/q/a"))
	l.must(c, mk("/q/0"))
	expect(t, children(), []string{"0000000001", "0", "a", "0000000003"})
	expect(t, two, before)
}

func TestPathSyntax(t *testing.T) { // ZK-6.1; PathUtils.java
	for _, c := range []struct {
		path string
		want bool
	}{
		{"/", true}, {"/a", true}, {"/a/b.c/..d", true}, {"/a/...", true}, {"/é", true}, {"/\u200b", true},
		{"", false}, {"a", false}, {"/a/", false}, {"//", false}, {"/a//b", false},
		{"/.", false}, {"/a/..", false}, {"/a/./b", false}, {"/../b", false},
		{"/\x00", false}, {"/a\x1f", false}, {"/\x7f", false}, {"/\u009f", false},
		{"/\ue000", false}, {"/\ufff0", false}, {"/\U0001f600", false}, {"/\xff", false},
	} {
		if got := validPath(c.path); got != c.want {
			t.Errorf("validPath(%q): got %t, want %t", c.path, got, c.want)
		}
	}
}
