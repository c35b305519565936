package zookeeper

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: TakeNotes reports each changed znode once, with its present state, and creates and deletes in
// their order. Tests in
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
	take(`node /gone "" v0 c0`, "gone /gone", "offspring / c3")
	// Creates and deletes are in their order.
	l.must(c, mk("/old"))
	take(`node /old "" v0 c0`, "offspring / c4")
	l.must(c, multi(set("/old", "x"), mk("/p"), mk("/p/q"), del("/old"), del("/p/q"), mk("/old")))
	take(`node /p "" v0 c1`, `node /p/q "" v0 c0`, "gone /old", "gone /p/q", `node /old "" v0 c0`, "offspring / c6")
	l.m = Restore(l.m.cfg, l.m.nowMs, l.m.Snapshot())
	l.m.KeepNotes()
	c, _ = l.dial(reattach(0x100000000000000, 10_000))
	l.must(c, mk("/after"))
	take(`node /after "" v0 c0`, "offspring / c7")
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

// Goal: the digest of a tree is that of a real server. Method: a line of testdata/digest.txt is a
// write that was sent to a server 3.8.0, with the time of the
// znode's stat; the first has the server's clock and its distance to the wall's, and the last line is what the
// server then answered to the word hash.
func TestTheDigestIsTheRealOne(t *testing.T) { // ZK-11
	data, err := os.ReadFile("testdata/digest.txt")
	if err != nil {
		t.Fatal(err)
	}
	var l *lab
	var c ConnID
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if f[0] == "create" || f[0] == "set" {
			if ms := number(f[len(f)-1]); ms > 0 { // else it failed
				l.nowMs = ms - l.m.cfg.EpochOffsetMs
			}
		}
		req := Request{Path: f[1], Version: -1}
		if len(f) > 3 && f[2] != "-" {
			req.Data = []byte(f[2])
		}
		switch f[0] {
		case "start":
			elapsed := number(f[1])
			l = &lab{t: t, nowMs: elapsed, m: New(Config{Digests: true, ExtendedTypes: true, EpochOffsetMs: number(f[2])}, elapsed)}
			c = l.connect()
			continue
		case "create":
			kind := number(f[3])
			req.Op, req.ACL, req.Flags = OpCreate, acl.Everyone, int32(kind)
			switch kind {
			case 4:
				req.Op = OpCreateContainer
			case 5:
				req.Op, req.TTLMs = OpCreateTTL, 90_000
			}
		case "delete":
			req.Op = OpDelete
		case "set":
			req.Op = OpSetData
		case "acl":
			req.Op, req.ACL = OpSetACL, acl.Everyone
		case "hash":
			got := l.m.Digests()
			if len(got) != 1 || fmt.Sprintf("%x: %d", got[0].Zxid, got[0].Value) != f[1]+" "+f[2] {
				t.Errorf("got %v, want %s %s", got, f[1], f[2])
			}
			continue
		}
		l.do(c, req)
	}
}

func TestDigestsOfTheLastZxidsAreKept(t *testing.T) {
	l := newLab(t, Config{Digests: true})
	c := l.connect()
	l.must(c, mk("/a"))
	for range 3 * digestLimit * digestEvery {
		l.do(c, set("/a", ""))
	}
	got := l.m.Digests()
	last := l.m.Zxid() / digestEvery * digestEvery
	if len(got) != digestLimit || got[digestLimit-1].Zxid != last || got[0].Zxid != last-(digestLimit-1)*digestEvery {
		t.Errorf("got %d of %d to %d, want %d to %d", len(got), got[0].Zxid, got[len(got)-1].Zxid, digestLimit, last)
	}
}
