package zookeeper

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: the sweep removes exactly the znodes that ZK-3.7 names, at the right time (ZK-13.18).

func makeContainer(path string) Request {
	return Request{Op: OpCreateContainer, Path: path, Flags: flagContainer, ACL: acl.Everyone}
}

// idle lets ms milliseconds pass in steps of 5 s, with pings that keep a session alive.
func (l *lab) idle(c ConnID, ms int64) (said []string) {
	for ; ms > 0; ms -= 5_000 {
		said = append(said, l.advance(min(ms, 5_000))...)
		l.do(c, Request{Op: OpPing})
	}
	return said
}

func TestEmptiedContainerGoesAtTheNextSweep(t *testing.T) { // ZK-3.7, ZK-13.18
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, makeContainer("/used"))
	l.must(c, makeContainer("/new"))
	l.must(c, makeContainer("/full"))
	l.must(c, mk("/full/x"))
	l.must(c, mk("/used/x"))
	l.must(c, del("/used/x"))
	l.reply(c, watchOn(OpExists, "/used"))
	before := l.m.Zxid()
	expect(t, l.idle(c, 59_999), nil)
	expect(t, l.idle(c, 1), []string{"1 event DELETED /used"})
	expect(t, l.m.Children("/"), []string{"full", "new", "zookeeper"})
	expect(t, l.m.Zxid(), before+1)
	expect(t, l.writes[len(l.writes)-1], Write{Op: OpDeleteContainer, Of: OpDeleteContainer, Path: "/used", Zxid: before + 1})
}

func TestNeverUsedContainerGoesOnlyWhenConfigured(t *testing.T) {
	l := newLab(t, Config{ContainerMaxNeverUsedMs: 70_000})
	c := l.connect()
	l.must(c, makeContainer("/new"))
	l.idle(c, 119_999)
	expect(t, l.m.Children("/"), []string{"new", "zookeeper"})
	l.idle(c, 1)
	expect(t, l.m.Children("/"), []string{"zookeeper"})
}

func TestTTLNodeGoesWhenUntouchedForItsTime(t *testing.T) { // ZK-3.7, ZK-13.18
	l := newLab(t, Config{ExtendedTypes: true, EpochOffsetMs: 5_000_000})
	c := l.connect()
	for _, path := range []string{"/t", "/set", "/parent"} {
		l.must(c, Request{Op: OpCreateTTL, Path: path, Flags: FlagTTL, TTLMs: 59_999, ACL: acl.Everyone})
	}
	l.must(c, mk("/parent/x"))
	l.idle(c, 1)
	l.must(c, set("/set", "touch"))
	l.idle(c, 59_999)
	expect(t, l.m.Children("/"), []string{"parent", "set", "zookeeper"})
	l.must(c, del("/parent/x"))
	l.idle(c, 60_006) // two containers are candidates, and are checked 6 ms apart
	expect(t, l.m.Children("/"), []string{"zookeeper"})
}

func TestSweepPausesBetweenDeletions(t *testing.T) {
	l := newLab(t, Config{ContainerMaxPerMinute: 6_000}) // 6,000 per minute are one each 10 ms
	c := l.connect()
	for i := range 3 {
		path := fmt.Sprintf("/c%d", i)
		l.must(c, makeContainer(path))
		l.must(c, multi(mk(path+"/x"), del(path+"/x")))
	}
	l.idle(c, 60_000)
	expect(t, l.m.Children("/"), []string{"c1", "c2", "zookeeper"})
	l.idle(c, 9)
	expect(t, l.m.Children("/"), []string{"c1", "c2", "zookeeper"})
	l.idle(c, 1)
	expect(t, l.m.Children("/"), []string{"c2", "zookeeper"})
}

// Goal: a candidate that changes before its deletion is not deleted. The failed attempt still uses
// up a zxid.
func TestSweepLooksAgainBeforeItDeletes(t *testing.T) {
	for _, s := range []struct {
		name   string
		change []Request
		want   Code
	}{
		{"child added", []Request{mk("/c1/again")}, notEmpty},
		{"gone", []Request{del("/c1")}, noNode},
		{"made anew as an ephemeral", []Request{del("/c1"), mkFlags("/c1", FlagEphemeral)}, badVersion},
	} {
		t.Run(s.name, func(t *testing.T) {
			l := newLab(t, Config{})
			c := l.connect()
			for _, path := range []string{"/c0", "/c1"} {
				l.must(c, makeContainer(path))
				l.must(c, multi(mk(path+"/x"), del(path+"/x")))
			}
			l.idle(c, 60_000)
			for _, req := range s.change {
				l.must(c, req)
			}
			before, tree := l.m.Zxid(), l.m.DumpTree()
			l.idle(c, 6)
			expect(t, l.writes[len(l.writes)-1], Write{
				Op: OpDeleteContainer, Of: OpDeleteContainer, Path: "/c1", Zxid: before + 1, Err: s.want,
			})
			expect(t, l.m.DumpTree(), tree)
		})
	}
}

func TestNoSweepIsDueWithoutContainers(t *testing.T) {
	l := newLab(t, Config{})
	c := l.connect()
	l.idle(c, 130_000)
	l.must(c, makeContainer("/c"))
	l.do(c, Request{Op: OpCloseSession})
	atMs, ok := l.m.NextExpiryMs()
	expect(t, atMs, int64(180_000))
	expect(t, ok, true)
	l.advance(50_000)
	expect(t, l.m.Children("/"), []string{"c", "zookeeper"})
}
