package zookeeper

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: a multi executes all operations or none, with one zxid, and has the results of ZK-8.

func check(path string, version int32) Request {
	return Request{Op: OpCheck, Path: path, Version: version}
}

func create2(path string) Request { r := mk(path); r.Op = OpCreate2; return r }

func TestMultiAnswersARecordPerOperation(t *testing.T) { // ZK-8.2, ZK-13.20
	l := newLab(t, Config{})
	c := l.connect()
	r := l.must(c, multi(mk("/a"), set("/a", "x"), check("/a", 1), create2("/b"), mkFlags("/c", flagContainer), del("/b")))
	expect(t, r.String(), "multi OK zxid=2 (create /a) (setData) (check) (create /b) (create2 /c) (delete)")
	expect(t, r.Results[1].Stat, l.stat("/a"))
	expect(t, r.Results[3].Stat, Stat{})
	expect(t, r.Results[4].Stat, l.stat("/c"))
}

func TestFailedMultiAnswersErrorsAndChangesNothing(t *testing.T) { // ZK-8.3, ZK-13.20
	l := newLab(t, Config{})
	c, watcher := l.connect(), l.connect()
	l.must(c, mk("/p"))
	l.must(c, mk("/p/x"))
	l.must(c, mkFlags("/p/e", FlagEphemeral))
	for _, path := range []string{"/p", "/p/x", "/p/new"} {
		l.reply(watcher, watchOn(OpExists, path))
		l.reply(watcher, watchOn(OpGetChildren, path))
	}
	before, watches := l.m.DumpTree(), l.m.Watches()
	got := l.do(c, multi(
		set("/p", "changed"), del("/p/x"), del("/p/e"), mk("/p/new"), mk("/p/x"), set("/p/x", "y"), del("/p/new"),
		set("/none", "culprit"), mk("/never")))
	expect(t, got, []string{"1 multi OK zxid=6 (error OK) (error OK) (error OK) (error OK) (error OK) (error OK) (error OK)" +
		" (error NoNodeError) (error RuntimeInconsistency)"})
	expect(t, l.m.DumpTree(), before)
	expect(t, l.m.Watches(), watches)
	expect(t, l.m.Sessions()[0].Ephemerals, []string{"/p/e"})
	expect(t, l.m.Children("/p"), []string{"e", "x"})
}

func TestFailedMultiConsumesNoSequenceNumber(t *testing.T) { // ZK-5.2, ZK-8.3
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/p"))
	l.must(c, multi(mkFlags("/p/s-", FlagPersistentSequential), set("/none", "")))
	expect(t, l.must(c, mkFlags("/p/s-", FlagPersistentSequential)).Path, "/p/s-0000000000")
}

func TestLaterOperationsSeeEarlierOnes(t *testing.T) { // ZK-8.5
	l := newLab(t, Config{})
	c := l.connect()
	r := l.must(c, multi(mk("/p"),
		mkFlags("/p/s-", FlagPersistentSequential), mkFlags("/p/s-", FlagPersistentSequential),
		set("/p", "1"), Request{Op: OpSetData, Path: "/p", Version: 1}, check("/p", 2)))
	expect(t, r.String(), "multi OK zxid=2 (create /p) (create /p/s-0000000000) (create /p/s-0000000001) (setData) (setData) (check)")
	expect(t, r.Results[3].Stat.Version, int32(1))
	expect(t, r.Results[4].Stat.Version, int32(2))
}

func TestMultiWithReadsOrUnknownOperationsIsNotReadable(t *testing.T) { // MultiOperationRecord.java
	l := newLab(t, Config{})
	c := l.connect()
	for _, op := range []OpCode{OpGetData, OpSetACL, OpMulti, 77} {
		expect(t, l.reply(c, multi(mk("/a"), Request{Op: op, Path: "/"})).Err, marshallingError)
	}
	expect(t, l.reply(c, multi(mk("/a"), mkFlags("/b", FlagTTL))).Err, marshallingError)
	expect(t, l.m.Children("/"), []string{"zookeeper"})
}

func TestMultiFiresEachOneShotWatchOnce(t *testing.T) { // ZK-7.3
	l := newLab(t, Config{})
	c, watcher := l.connect(), l.connect()
	l.reply(watcher, watchOn(OpExists, "/a"))
	l.reply(watcher, watchOn(OpGetChildren, "/"))
	expect(t, l.do(c, multi(mk("/a"), set("/a", "x"), del("/a"))), []string{
		"2 event CREATED /a", "2 event CHILD /", "1 multi OK zxid=3 (create /a) (setData) (delete)",
	})
}

func TestMultiReadMixesRecordsAndErrors(t *testing.T) { // ZK-1.8
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, Request{Op: OpCreate, Path: "/null", ACL: acl.Everyone})
	r := l.reply(c, Request{Op: OpMultiRead, Ops: []Request{
		{Op: OpGetChildren, Path: "/"}, {Op: OpGetData, Path: "/none"}, {Op: OpGetData, Path: "/null"},
	}})
	expect(t, r.String(), "multiRead OK zxid=2 (getChildren [zookeeper null]) (error NoNodeError) (getData null)")
	expect(t, l.reply(c, Request{Op: OpMultiRead, Ops: []Request{mk("/a")}}).Err, marshallingError)
}

// Goal: the answer to a compound with a null path ends with the results so far (ZK-8.6; the bytes
// of 3.8.0), and the zxid that 3.8 takes for a multi belongs to nothing.
func TestNullPathInACompound(t *testing.T) {
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/a"))
	null := Request{Op: OpGetData, NullPath: true}
	r := l.reply(c, Request{Op: OpMultiRead, Ops: []Request{{Op: OpGetData, Path: "/a"}, null}})
	expect(t, r.Err, marshallingError)
	expect(t, len(r.Results), 1)
	r = l.reply(c, multi(check("/a", 0), Request{Op: OpCheck, NullPath: true}))
	expect(t, r, Reply{Xid: r.Xid, Zxid: 2, Err: marshallingError, Op: OpMulti, Results: []Result{}})
	expect(t, l.must(c, set("/a", "x")).Zxid, int64(4))
	expect(t, l.must(c, set("/a", "x")).Zxid, int64(5))
}
