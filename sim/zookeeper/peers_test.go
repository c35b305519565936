package zookeeper

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: the machine has none of the faults that users of other in-memory servers have reported
// (ZK-21). The name of a test says what was wrong there.

func TestPeersReattachMadeANewSession(t *testing.T) { // ZK-21.1: ClickHouse Keeper #116690, #44571
	l := newLab(t, Config{})
	owner, watcher := l.connect(), l.connect()
	l.must(owner, mkFlags("/e", FlagEphemeral))
	l.must(watcher, watchOn(OpExists, "/e"))
	id := l.m.Sessions()[0].ID
	l.m.Drop(l.nowMs, owner)
	again, said := l.dial(reattach(id, 10_000))
	expect(t, said, []string{"3 connected session=0x100000000000000 timeout=10000"})
	expect(t, l.reply(again, Request{Op: OpGetEphemerals}).Children, []string{"/e"})
	// The client learns that its session is gone: it is refused, which is final.
	l.m.KillSession(l.nowMs, id)
	expect(t, l.said(), []string{"3 close", "2 event DELETED /e"})
	_, said = l.dial(reattach(id, 10_000))
	expect(t, said, []string{"4 refused", "4 close"})
}

func TestPeersKeptWatchesOfClosedSessions(t *testing.T) { // ZK-21.1: ClickHouse PR 83583
	l := newLab(t, Config{})
	for _, end := range []func(ConnID){
		func(c ConnID) { l.do(c, Request{Op: OpCloseSession}) },
		func(c ConnID) { l.m.Drop(l.nowMs, c) },
		func(ConnID) { l.advance(60_000) },
	} {
		c := l.connect()
		l.do(c, watchOn(OpExists, "/x"))
		l.must(c, watchOn(OpGetChildren, "/"))
		l.must(c, Request{Op: OpAddWatch, Path: "/x", Mode: ModePersistentRecursive})
		expect(t, len(l.m.Watches()), 3)
		end(c)
		expect(t, l.m.Watches(), nil)
	}
}

func TestPeersLookedForTheNodeBeforeTheSequenceNumber(t *testing.T) { // ZK-21.2
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/a"))
	expect(t, l.must(c, mkFlags("/a", FlagPersistentSequential)).Path, "/a0000000001")
}

func TestPeersCountedASetAsAChangeOfTheParent(t *testing.T) { // ZK-21.2
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/a"))
	l.must(c, mk("/a/b"))
	before := l.stat("/a")
	l.must(c, watchOn(OpGetChildren, "/a"))
	expect(t, l.do(c, set("/a/b", "x")), []string{"1 setData OK zxid=4"})
	expect(t, l.stat("/a"), before)
}

func TestPeersPanickedOnLesserUsedOperations(t *testing.T) { // ZK-21.3: zetcd
	l := newLab(t, Config{ExtendedTypes: true})
	c := l.connect()
	for _, req := range []Request{
		{Op: OpAuth, Scheme: "digest", Data: []byte("u:p")},
		{Op: OpCreate2, Path: "/2", ACL: acl.Everyone},
		{Op: OpCreate, Path: "/flags", Flags: flagContainer, ACL: acl.Everyone},
		{Op: OpCreateContainer, Path: "/c", Flags: flagContainer, ACL: acl.Everyone},
		{Op: OpCreateTTL, Path: "/t", Flags: FlagTTL, TTLMs: 1_000, ACL: acl.Everyone},
		{Op: OpAddWatch, Path: "/", Mode: ModePersistentRecursive},
	} {
		l.must(c, req)
	}
	expect(t, l.reply(c, Request{Op: OpReconfig}).Err, CodeReconfigDisabled)
}

func TestPeersGavePersistentNodesAnOwner(t *testing.T) { // ZK-21.5: Pulsar PR 23902, PR 10530
	l := newLab(t, Config{})
	a, b := l.connect(), l.connect()
	l.must(a, mk("/kept"))
	l.must(a, mkFlags("/a", FlagEphemeral))
	l.must(b, mkFlags("/b", FlagEphemeral))
	expect(t, l.stat("/kept").EphemeralOwner, int64(0))
	expect(t, l.stat("/b").EphemeralOwner, l.m.Sessions()[1].ID)
	l.do(a, Request{Op: OpCloseSession})
	expect(t, l.m.Children("/"), []string{"b", "kept", "zookeeper"})
}

func TestPeersForgotTheWatchOnAMissingNode(t *testing.T) { // ZK-21.5: Pulsar PR 979
	l := newLab(t, Config{})
	watcher, writer := l.connect(), l.connect()
	expect(t, l.reply(watcher, watchOn(OpExists, "/x")).Err, noNode)
	expect(t, l.do(writer, mk("/x")), []string{"1 event CREATED /x", "2 create OK zxid=3 /x"})
}
