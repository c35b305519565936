package zookeeper

import (
	"fmt"
	"testing"
)

// Goal: TakeNotes reports each changed znode once, with its present state. Tests in
// sim/zookeeper/wire check that the reports add up to the whole state.

// told records the calls of TakeNotes as text.
type told []string

func (t *told) Gone(path string) { *t = append(*t, "gone "+path) }
func (t *told) Node(n *NodeImage) {
	*t = append(*t, fmt.Sprintf("node %s %q v%d c%d", n.Path, n.Data, n.Version, n.Creates))
}
func (t *told) Offspring(path string, o Offspring) {
	*t = append(*t, fmt.Sprintf("offspring %s c%d", path, o.Creates))
}

func TestNotes(t *testing.T) {
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/before"))
	l.m.KeepNotes()
	take := func(want ...string) {
		t.Helper()
		var got told
		l.m.TakeNotes(&got)
		expect(t, []string(got), want)
	}
	take()
	l.must(c, mk("/before/a"))
	l.must(c, Request{Op: OpSetData, Path: "/before/a", Data: []byte("x"), Version: -1})
	take(`node /before/a "x" v1 c0`, "offspring /before c1")
	l.must(c, Request{Op: OpDelete, Path: "/before/a", Version: -1})
	l.must(c, mk("/before/a"))
	take("gone /before/a", `node /before/a "" v0 c0`, "offspring /before c2")
	l.must(c, mk("/new"))
	l.must(c, mk("/new/b"))
	take(`node /new "" v0 c1`, `node /new/b "" v0 c0`, "offspring / c2")
	// A znode that a failed multi created and undid is not reported.
	l.reply(c, Request{Op: OpMulti, Ops: []Request{mk("/undone"), {Op: OpDelete, Path: "/none", Version: -1}}})
	take()
	l.must(c, mk("/gone"))
	l.must(c, Request{Op: OpDelete, Path: "/gone", Version: -1})
	take("gone /gone", "offspring / c3")
	l.m = Restore(l.m.cfg, l.m.nowMs, l.m.Snapshot())
	l.m.KeepNotes()
	c, _ = l.dial(reattach(0x100000000000000, 10_000))
	l.must(c, mk("/after"))
	take(`node /after "" v0 c0`, "offspring / c4")
}

func TestNotesOfAQuota(t *testing.T) {
	l := newLab(t, Config{})
	c := l.connect()
	for _, path := range []string{"/a", quotaRoot + "/a", quotaRoot + "/a/" + limitsChild, quotaRoot + "/a/" + statsChild} {
		l.must(c, mk(path))
	}
	l.m.KeepNotes()
	l.must(c, mk("/a/b"))
	var got told
	l.m.TakeNotes(&got)
	expect(t, []string(got), []string{`node /zookeeper/quota/a/zookeeper_stats "count=2,bytes=0" v0 c0`, `node /a/b "" v0 c0`, "offspring /a c1"})
}

// Goal: limits of the empty path, which end a real server, limit and count nothing (ZK-1.7).
func TestLimitsOfNothing(t *testing.T) {
	l := newLab(t, Config{EnforceQuota: true})
	c := l.connect()
	for _, path := range []string{quotaRoot + "/" + limitsChild, quotaRoot + "/" + statsChild} {
		l.must(c, Request{Op: OpCreate, Path: path, Data: []byte("count=-1,bytes=-1=;countHardLimit=1"), ACL: mk("").ACL})
	}
	l.must(c, mk("/a"))
	l.must(c, mk("/a/b"))
}
