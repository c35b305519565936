package zkdiff

import (
	"math/rand/v2"

	"github.com/monosim/monosim/sim/zookeeper"
)

// clients of a generated script.
const clients = 3

// Generate makes a script of about steps steps from a seed. The names are few, so
// that steps meet each other.
func Generate(seed uint64, steps int) Script {
	g := &generator{rand.New(rand.NewPCG(seed, 0x7a6b))}
	s := Script{}
	for c := range clients {
		s = append(s, Step{Client: c, Kind: Connect, TimeoutMs: 30_000})
	}
	for _, path := range []string{"/a", "/a/x", "/b"} {
		if !g.oneIn(3) {
			s = append(s, Step{Client: g.IntN(clients), Kind: Ask, Request: &zookeeper.Request{Op: zookeeper.OpCreate, Path: path, Data: g.data(), ACL: zookeeper.OpenACL()}})
		}
	}
	for range steps {
		s = append(s, g.step())
	}
	return s
}

type generator struct{ *rand.Rand }

func pick[T any](g *generator, items ...T) T { return items[g.IntN(len(items))] }

// oneIn is true once in n times.
func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g *generator) step() Step {
	c := g.IntN(clients)
	switch g.IntN(40) {
	case 0:
		return Step{Client: c, Kind: Connect, TimeoutMs: pick[int32](g, 30_000, 1, 1_000_000, 4_000)}
	case 1:
		return Step{Client: c, Kind: Attach, Session: g.IntN(clients), TimeoutMs: 30_000, Wrong: pick(g, "", "", "", WrongPassword, WrongSession, WrongZxid)}
	case 2:
		return Step{Client: c, Kind: Drop}
	case 3:
		return g.raw(c)
	}
	step := Step{Client: c, Kind: Ask, Request: g.request()}
	if g.oneIn(8) {
		step.Earlier = 1 + g.IntN(4)
	}
	return step
}

// raw is a body that is cut short, or an operation that no client sends.
func (g *generator) raw(c int) Step {
	step := Step{Client: c, Kind: Raw}
	switch g.IntN(6) {
	case 0:
		step.Op = pick[zookeeper.OpCode](g, 77, 10, 0, -3, 108, zookeeper.OpCreateSession, zookeeper.OpReconfig)
	case 1:
		step.Op = zookeeper.OpReconfig // three times null, and any version
		step.Body = []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	case 2:
		step.Op = zookeeper.OpDeleteContainer
		step.Body = []byte("/a")
	default:
		step.Op = pick(g, zookeeper.OpCreate, zookeeper.OpDelete, zookeeper.OpGetData, zookeeper.OpSetData, zookeeper.OpMulti, zookeeper.OpExists, zookeeper.OpSetWatches, zookeeper.OpAddWatch)
		step.Body = pick(g, []byte{}, []byte("\x00\x00"), []byte("\x00\x00\x00\x09/a"), []byte("\x00\x00\x00\x02/a\x00\x00"))
	}
	return step
}

// path is one of a few; "" is the root of the script.
func (g *generator) path() string {
	if g.oneIn(25) {
		return pick(g, "=a", "//", "/a/", "/a/..", "/a//b", "/a\x00b", "/\u0001", "/a/./b", "/é模", "/\ud7ff", "/\uf000")
	}
	return pick(g, "/a", "/b", "/a/x", "/a/y", "/b/z", "/a/x/q", "/c", "/a/x", "/a", "/b", "/eph", "")
}

func (g *generator) data() []byte {
	return pick(g, nil, []byte{}, []byte("1"), []byte("2"), []byte("three"), []byte("\x00\xff"))
}

func (g *generator) version() int32 { return pick[int32](g, -1, -1, -1, 0, 1, 2, 5, -2) }

func (g *generator) acl() []zookeeper.ACL {
	open := zookeeper.OpenACL()
	digest := func(credential string) zookeeper.ACL {
		return zookeeper.ACL{Perms: pick(g, zookeeper.PermAll, zookeeper.PermRead|zookeeper.PermCreate, zookeeper.PermAdmin), Scheme: "digest", ID: zookeeper.DigestID(credential)}
	}
	switch g.IntN(12) {
	case 0:
		return []zookeeper.ACL{{Perms: pick(g, zookeeper.PermRead, zookeeper.PermWrite, zookeeper.PermCreate, zookeeper.PermRead|zookeeper.PermDelete, 0, 63), Scheme: "world", ID: "anyone"}}
	case 1:
		return []zookeeper.ACL{digest("u:p")}
	case 2:
		return []zookeeper.ACL{digest("v:q"), {Perms: zookeeper.PermRead, Scheme: "world", ID: "anyone"}}
	case 3:
		return []zookeeper.ACL{{Perms: zookeeper.PermAll, Scheme: "auth", ID: ""}}
	case 4:
		return []zookeeper.ACL{{Perms: zookeeper.PermAll, Scheme: "ip", ID: pick(g, "127.0.0.1", "10.0.0.0/8", "127.0.0.0/8", "x", "127.0.0.1/33")}}
	case 5:
		return pick(g, nil, []zookeeper.ACL{}, []zookeeper.ACL{{Perms: 31, Scheme: "nobody", ID: "x"}}, []zookeeper.ACL{{Perms: 31, Scheme: "world", ID: "x"}},
			[]zookeeper.ACL{{Perms: 31, Scheme: "digest", ID: "no colon"}}, []zookeeper.ACL{{Perms: 31, Scheme: "digest", ID: "a:b:c"}}, append(open, open...))
	}
	return open
}

// request is one of an Ask.
func (g *generator) request() *zookeeper.Request {
	r := &zookeeper.Request{Path: g.path(), Version: g.version()}
	switch g.IntN(46) {
	case 0, 1, 2, 3, 4, 5, 6:
		g.create(r)
	case 7, 8, 9, 10:
		r.Op = zookeeper.OpDelete
	case 11, 12, 13, 14:
		r.Op, r.Data = zookeeper.OpSetData, g.data()
	case 15, 16, 17:
		r.Op, r.Watch = zookeeper.OpGetData, g.oneIn(2)
	case 18, 19, 20:
		r.Op, r.Watch = zookeeper.OpExists, g.oneIn(2)
	case 21, 22:
		r.Op, r.Watch = zookeeper.OpGetChildren, g.oneIn(2)
	case 23, 24:
		r.Op, r.Watch = zookeeper.OpGetChildren2, g.oneIn(2)
	case 25:
		r.Op = zookeeper.OpGetACL
	case 26:
		r.Op, r.ACL = zookeeper.OpSetACL, g.acl()
	case 27:
		r.Op = zookeeper.OpSync
	case 28, 29, 30, 31:
		r.Op = zookeeper.OpMulti
		for range g.IntN(5) {
			r.Ops = append(r.Ops, g.inner())
		}
	case 32:
		r.Op = zookeeper.OpMultiRead
		for range g.IntN(4) {
			r.Ops = append(r.Ops, zookeeper.Request{Op: pick(g, zookeeper.OpGetData, zookeeper.OpGetChildren), Path: g.path()})
		}
	case 33, 34:
		r.Op = pick(g, zookeeper.OpSetWatches, zookeeper.OpSetWatches2)
		r.Watches = g.watches(r.Op)
	case 35, 36:
		r.Op, r.Mode = zookeeper.OpAddWatch, pick[int32](g, 0, 0, 1, 1, 2)
	case 37, 38:
		r.Op, r.Mode = zookeeper.OpRemoveWatches, pick[int32](g, 1, 2, 3, 3, 4, 0)
	case 39:
		r.Op, r.Mode = zookeeper.OpCheckWatches, pick[int32](g, 1, 2, 3, 4, 5)
	case 40:
		r.Op = zookeeper.OpGetEphemerals
	case 41:
		r.Op = zookeeper.OpGetAllChildrenNumber
	case 42:
		r.Op, r.Path = zookeeper.OpAuth, ""
		r.Scheme = pick(g, "digest", "digest", "digest", "world", "ip", "nobody")
		r.Data = pick(g, []byte("u:p"), []byte("v:q"), []byte("super:test"), []byte("no colon"), []byte(""))
	case 43:
		r.Op, r.Path = pick(g, zookeeper.OpWhoAmI, zookeeper.OpPing), ""
	case 44:
		// A bare check that succeeds destroys a real server's log (ZK-1.7).
		r.Op, r.Version = zookeeper.OpCheck, 9999
	case 45:
		if g.oneIn(2) {
			r.Op, r.Path = zookeeper.OpCloseSession, ""
		} else {
			g.create(r)
		}
	}
	return r
}

func (g *generator) create(r *zookeeper.Request) {
	r.Data, r.ACL = g.data(), g.acl()
	r.Flags = pick[int32](g, 0, 0, 0, 1, 1, 2, 3, 3, 4, 99)
	r.Op = pick(g, zookeeper.OpCreate, zookeeper.OpCreate, zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL)
	if r.Path == "" {
		r.Path = "/s" // a sequential one of the root's name would be the root's sibling
	}
	switch r.Op {
	case zookeeper.OpCreateContainer:
		r.Flags = pick[int32](g, 4, 4, 4, 0, 5)
	case zookeeper.OpCreateTTL:
		r.Flags = pick[int32](g, 5, 6, 5, 0)
		r.TTLMs = pick[int64](g, 1_000_000, 0, -1, 1<<40)
		if r.Flags < 5 {
			// A time to live out of range that comes with other flags passes the real
			// server's checks and kills it when it is applied, for ever.
			r.TTLMs = 1_000_000
		}
	}
}

// inner is an operation of a multi.
func (g *generator) inner() zookeeper.Request {
	r := zookeeper.Request{Path: g.path(), Version: g.version()}
	switch g.IntN(8) {
	case 0, 1, 2:
		g.create(&r)
	case 3:
		r.Op = zookeeper.OpDelete
	case 4, 5:
		r.Op, r.Data = zookeeper.OpSetData, g.data()
	default:
		r.Op = zookeeper.OpCheck
	}
	return r
}

func (g *generator) watches(op zookeeper.OpCode) *zookeeper.WatchLists {
	list := func() []string {
		var paths []string
		for range g.IntN(3) {
			paths = append(paths, g.path())
		}
		return paths
	}
	w := &zookeeper.WatchLists{RelativeZxid: pick[int64](g, 0, 5, 20, 1000), Data: list(), Exist: list(), Child: list()}
	if op == zookeeper.OpSetWatches2 {
		w.Persistent, w.PersistentRecursive = list(), list()
	}
	return w
}
