package zookeeper

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: a restart keeps znodes, sessions and the zxid, and loses connections and watches.

func populated(t *testing.T) *lab {
	l := newLab(t, Config{ExtendedTypes: true, EpochOffsetMs: 100})
	c, d := l.connect(), l.connect()
	l.must(c, login("u:p"))
	l.must(c, with("/p", acl.Entry{Perms: acl.All, Scheme: "auth", ID: ""}))
	l.must(c, mkFlags("/p/s-", FlagEphemeralSequential))
	l.must(d, mkFlags("/e", FlagEphemeral))
	l.must(c, makeContainer("/c"))
	l.must(c, multi(mk("/c/x"), del("/c/x")))
	l.must(c, Request{Op: OpCreateTTL, Path: "/t", Flags: FlagTTL, TTLMs: 5, ACL: acl.Everyone})
	l.must(c, watchOn(OpGetData, "/p"))
	l.advance(3)
	l.must(c, set("/p", "x"))
	return l
}

func TestRestartKeepsTreeZxidAndSessions(t *testing.T) { // ZK-2.4's decision
	l := populated(t)
	saved := l.m.Snapshot()
	before := l.m.DumpTree()
	again := Restore(l.m.cfg, 9_000, saved)
	expect(t, again.DumpTree(), before)
	expect(t, again.Zxid(), l.m.Zxid())
	expect(t, again.Watches(), nil)
	expect(t, again.Sessions(), []SessionInfo{
		{ID: 0x100000000000000, TimeoutMs: 10_000, DeadlineMs: 20_000, Ephemerals: []string{"/p/s-0000000000"}},
		{ID: 0x100000000000001, TimeoutMs: 10_000, DeadlineMs: 20_000, Ephemerals: []string{"/e"}},
	})
}

func TestRestartedServerGoesOn(t *testing.T) {
	l := populated(t)
	l.m = Restore(l.m.cfg, 9_000, l.m.Snapshot())
	l.nowMs = 9_000
	c, said := l.dial(reattach(0x100000000000000, 10_000))
	expect(t, said, []string{"3 connected session=0x100000000000000 timeout=10000"})
	l.must(c, login("u:p"))
	expect(t, l.must(c, mkFlags("/p/s-", FlagPersistentSequential)).Path, "/p/s-0000000001")
	expect(t, l.idle(c, 12_000), nil) // the other session expires at 20 s
	expect(t, l.m.Children("/"), []string{"c", "p", "t", "zookeeper"})
	l.idle(c, 48_006) // the first sweep comes a minute after the restart
	expect(t, l.m.Children("/"), []string{"p", "zookeeper"})
}

func TestSnapshotDoesNotChangeWithItsMachine(t *testing.T) {
	l := populated(t)
	saved, before := l.m.Snapshot(), l.m.DumpTree()
	l.must(1, set("/p", "y"))
	l.must(1, mk("/later"))
	l.do(2, Request{Op: OpCloseSession})
	first := Restore(l.m.cfg, 9_000, saved)
	first.Tick(100_000)
	expect(t, Restore(l.m.cfg, 9_000, saved).DumpTree(), before)
}

func TestSessionIDsNeverRepeatAfterARestart(t *testing.T) {
	l := newLab(t, Config{})
	l.connect()
	l.m = Restore(l.m.cfg, 0, l.m.Snapshot())
	l.connect()
	expect(t, l.m.Sessions()[1].ID, int64(0x100000000000001))
}

func TestDumpShowsEverything(t *testing.T) {
	l := populated(t)
	l.must(2, watchOn(OpGetChildren, "/"))
	l.must(2, add("/p", ModePersistentRecursive))
	expect(t, l.m.Dump(), `zxid=9
/ pzxid=8 cversion=3
/c null czxid=6 mzxid=6 pzxid=7 ctime=100 mtime=100 cversion=2 container
/e czxid=5 mzxid=5 pzxid=5 ctime=100 mtime=100 owner=0x100000000000001
/p "x" czxid=3 mzxid=9 pzxid=4 ctime=100 mtime=103 version=1 cversion=1 acl=digest:u:Jq7wMyA/w2Vd5WIDAKdu4OIIFEQ=:rwcda
/p/s-0000000000 czxid=4 mzxid=4 pzxid=4 ctime=100 mtime=100 owner=0x100000000000000
/t null czxid=8 mzxid=8 pzxid=8 ctime=100 mtime=100 ttl=5
/zookeeper cversion=-2
/zookeeper/config aversion=-1 acl=world:anyone:r
/zookeeper/quota
session 0x100000000000000 timeout=10000 deadline=12000 conn=1 ephemerals=[/p/s-0000000000]
session 0x100000000000001 timeout=10000 deadline=12000 conn=2 ephemerals=[/e]
watch child / conn=2
watch data /p conn=2 recursive
watch child /p conn=2 recursive
`)
}
