package zookeeper

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: an image keeps the whole state, and an image that is no valid tree is refused.

func TestImageKeepsEverything(t *testing.T) {
	l := populated(t)
	saved := l.m.Snapshot()
	again, err := NewSnapshot(saved.Image())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, again.Image(), saved.Image())
	a, b := Restore(l.m.cfg, 9_000, saved), Restore(l.m.cfg, 9_000, again)
	expect(t, b.Dump(), a.Dump())
	expect(t, b.nextSessionID, a.nextSessionID)
	b.Tick(100_000) // lets the session expire and the container be swept
	a.Tick(100_000)
	expect(t, b.Dump(), a.Dump())
}

func TestImageKeepsQuotas(t *testing.T) {
	l := newLab(t, Config{EnforceQuota: true})
	c := l.connect()
	for _, path := range []string{"/a", quotaRoot + "/a"} {
		l.must(c, mk(path))
	}
	l.must(c, Request{Op: OpCreate, Path: quotaRoot + "/a/" + limitsChild, Data: []byte("count=-1,bytes=-1=;countHardLimit=2"), ACL: acl.Everyone})
	l.must(c, mk(quotaRoot+"/a/"+statsChild))
	l.must(c, mk("/a/b"))
	saved, err := NewSnapshot(l.m.Snapshot().Image())
	if err != nil {
		t.Fatal(err)
	}
	l.m = Restore(l.m.cfg, 0, saved)
	c, _ = l.dial(reattach(0x100000000000000, 10_000))
	expect(t, l.reply(c, mk("/a/c")).Err, quotaExceeded)
}

func TestImageOfOneSession(t *testing.T) {
	l := populated(t)
	session, ok := l.m.SessionImage(0x100000000000000)
	expect(t, ok, true)
	expect(t, session, SessionImage{ID: 0x100000000000000, TimeoutMs: 10_000})
	_, ok = l.m.SessionImage(1)
	expect(t, ok, false)
}

func TestImagesThatAreNoTree(t *testing.T) {
	for _, c := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"nothing", nil, "image of zookeeper: no node, want / at least"},
		{"no root", []string{"/a"}, `image of zookeeper: first node is "/a", want /`},
		{"no parent", []string{"/", "/a/b"}, `image of zookeeper: node "/a/b" comes twice or before its parent`},
		{"twice", []string{"/", "/a", "/a"}, `image of zookeeper: node "/a" comes twice or before its parent`},
		{"root twice", []string{"/", "/"}, `image of zookeeper: node "/" comes twice or before its parent`},
		{"bad path", []string{"/", "a"}, `image of zookeeper: node "a", want a valid path`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var image Image
			for _, p := range c.paths {
				image.Nodes = append(image.Nodes, NodeImage{Path: p})
			}
			_, err := NewSnapshot(image)
			if err == nil {
				t.Fatal("got no error")
			}
			expect(t, err.Error(), c.want)
		})
	}
}
