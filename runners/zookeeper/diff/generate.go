package diff

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// clients is how many clients a generated script has.
const clients = 3

// Generate makes a script of about the given number of steps. The same seed gives the same
// script. The script uses few znode names, so that steps affect each other.
func Generate(seed uint64, steps int) Script {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x7a6b))}
	if g.oneIn(4) {
		g.crowd = pick(g, "/a", "/b", "/a/x")
		g.crowdFlags = pick[int32](g, zookeeper.FlagEphemeral, 0)
	}
	s := Script{}
	for c := range clients {
		s = append(s, Step{Client: c, Kind: Connect, TimeoutMs: 30_000})
	}
	for _, path := range []string{"/a", "/a/x", "/b"} {
		if !g.oneIn(3) {
			s = append(s, Step{Client: g.IntN(clients), Kind: Ask, Request: &zookeeper.Request{Op: zookeeper.OpCreate, Path: path, Data: g.data(), ACL: acl.Open()}})
		}
	}
	for range steps {
		s = append(s, g.step())
	}
	if g.crowd != "" {
		// Client 1 watches the crowd while client 0 ends its session. The server deletes the
		// session's ephemerals in the order of the session's own set, not in the order of the
		// parent's children.
		s = append(s, Step{Client: 1, Kind: Ask, Request: &zookeeper.Request{Op: zookeeper.OpAddWatch, Path: g.crowd, Mode: 1}},
			Step{Kind: Ask, Request: &zookeeper.Request{Op: zookeeper.OpCloseSession}})
	}
	return s
}

// withRestart returns the script with a restart of the server inserted. After the restart each
// client attaches to its session again.
func withRestart(s Script, seed uint64) Script {
	g := rand.New(rand.NewPCG(seed, 0x7265))
	between := []Step{{Kind: Restart}}
	for c := range clients {
		between = append(between, Step{Client: c, Kind: Attach, Session: c, TimeoutMs: 30_000})
	}
	return slices.Insert(s, clients+g.IntN(len(s)-clients+1), between...)
}

type generator struct {
	*rand.Rand
	// crowd is the parent of znodes whose names all have the same hash in Java; "" in a script
	// without such znodes. crowdFlags are the flags with which they are created.
	crowd      string
	crowdFlags int32
}

func pick[T any](g *generator, items ...T) T { return items[g.IntN(len(items))] }

// oneIn returns true with the probability 1/n.
func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g *generator) step() Step {
	c := g.IntN(clients)
	if g.crowd != "" && g.oneIn(3) {
		return g.crowdStep()
	}
	switch g.IntN(40) {
	case 0:
		return Step{Client: c, Kind: Connect, TimeoutMs: pick[int32](g, 30_000, 1, 1_000_000, 4_000)}
	case 1:
		return Step{Client: c, Kind: Attach, Session: g.IntN(clients), TimeoutMs: 30_000, Wrong: pick(g, "", "", "", WrongPassword, WrongSession, WrongZxid)}
	case 2:
		return Step{Client: c, Kind: Drop}
	case 3:
		step := pick(g, raws...)
		step.Client = c
		return step
	}
	step := Step{Client: c, Kind: Ask, Request: g.request()}
	if g.oneIn(8) {
		step.Earlier = 1 + g.IntN(4)
	}
	if g.oneIn(12) {
		g.mangle(&step)
	}
	return step
}

// crowdStep draws a step with znodes whose names all have the same hash. The first client makes all
// these steps, so that the znodes also collide in its session's set of ephemerals.
func (g *generator) crowdStep() Step {
	create := func(name string) zookeeper.Request {
		return zookeeper.Request{Op: zookeeper.OpCreate, Path: g.crowd + "/" + name, ACL: acl.Open(), Flags: g.crowdFlags}
	}
	r := zookeeper.Request{Op: pick(g, zookeeper.OpGetChildren, zookeeper.OpGetEphemerals), Path: g.crowd}
	switch g.IntN(9) {
	case 0:
		r = zookeeper.Request{Op: zookeeper.OpMulti}
		for _, i := range g.Perm(1 << crowdPairs)[:8+g.IntN(9)] {
			r.Ops = append(r.Ops, create(crowdName(i)))
		}
	case 1, 2, 3, 4:
		r = create(crowdName(g.IntN(1 << crowdPairs)))
	case 5, 6, 7:
		r = zookeeper.Request{Op: zookeeper.OpDelete, Path: g.crowd + "/" + crowdName(g.IntN(1<<crowdPairs)), Version: -1}
	}
	return Step{Kind: Ask, Request: &r}
}

// crowdPairs is the length of a crowded name in pairs of letters.
const crowdPairs = 5

// crowdName returns the i-th name made of the pairs Aa and BB. These pairs have the same hash in
// Java, so all such names have the same hash too.
func crowdName(i int) string {
	var name strings.Builder
	for pair := range crowdPairs {
		name.WriteString([]string{"Aa", "BB"}[i>>pair&1])
	}
	return name.String()
}

// path draws one of a few paths relative to the script's root. "" is the root itself.
func (g *generator) path() string {
	if g.oneIn(40) {
		return "/" + g.oddText()
	}
	if g.oneIn(25) {
		return pick(g, "=a", "//", "/a/", "/a/..", "/a//b", "/a\x00b", "/\u0001", "/a/./b", "/é模", "/\ud7ff", "/\uf000")
	}
	return pick(g, "/a", "/b", "/a/x", "/a/y", "/b/z", "/a/x/q", "/c", "/a/x", "/a", "/b", "/eph", "")
}

func (g *generator) data() []byte {
	return pick(g, nil, []byte{}, []byte("1"), []byte("2"), []byte("three"), []byte("\x00\xff"))
}

func (g *generator) version() int32 { return pick[int32](g, -1, -1, -1, 0, 1, 2, 5, -2) }

func (g *generator) acl() []acl.Entry {
	open := acl.Open()
	digest := func(credential string) acl.Entry {
		return acl.Entry{Perms: pick(g, acl.All, acl.Read|acl.Create, acl.Admin), Scheme: "digest", ID: acl.DigestID(credential)}
	}
	switch g.IntN(12) {
	case 0:
		return []acl.Entry{{Perms: pick(g, acl.Read, acl.Write, acl.Create, acl.Read|acl.Delete, 0, 63), Scheme: "world", ID: "anyone"}}
	case 1:
		return []acl.Entry{digest("u:p")}
	case 2:
		return []acl.Entry{digest("v:q"), {Perms: acl.Read, Scheme: "world", ID: "anyone"}}
	case 3:
		return []acl.Entry{{Perms: acl.All, Scheme: "auth", ID: ""}}
	case 4:
		return []acl.Entry{{Perms: acl.All, Scheme: "ip", ID: pick(g, "127.0.0.1", "10.0.0.0/8", "127.0.0.0/8", "x", "127.0.0.1/33")}}
	case 5:
		return []acl.Entry{{Perms: acl.All, Scheme: pick(g, "digest", "digest", "digest", "world", g.oddText()), ID: g.oddText() + pick(g, ":", "") + g.oddText()}, open[0]}
	case 6:
		return pick(g, nil, []acl.Entry{}, []acl.Entry{{Perms: 31, Scheme: "nobody", ID: "x"}}, []acl.Entry{{Perms: 31, Scheme: "world", ID: "x"}},
			[]acl.Entry{{Perms: 31, Scheme: "digest", ID: "no colon"}}, []acl.Entry{{Perms: 31, Scheme: "digest", ID: "a:b:c"}}, append(open, open...))
	}
	return open
}

// request draws the request of an Ask step.
func (g *generator) request() *zookeeper.Request {
	r := g.invent(shares, false)
	return &r
}

// invent draws a request. The argument among lists the operations to choose from. inMulti is true
// if the request is part of a multi.
func (g *generator) invent(among []*invention, inMulti bool) zookeeper.Request {
	r := zookeeper.Request{Path: g.path(), Version: g.version()}
	v := pick(g, among...)
	r.Op = v.op
	v.fill(g, &r, inMulti)
	return r
}

// bare leaves the request unchanged, for operations that need at most a path and a version.
func bare(*generator, *zookeeper.Request, bool) {}

func (g *generator) create(r *zookeeper.Request, _ bool) {
	r.Data, r.ACL = g.data(), g.acl()
	r.Flags = pick[int32](g, 0, 0, 0, 1, 1, 2, 3, 3, 4, 99)
	if r.Path == "" {
		r.Path = "/s" // a sequential znode named after the root would become the root's sibling
	}
}

func (g *generator) createContainer(r *zookeeper.Request, inMulti bool) {
	g.create(r, inMulti)
	r.Flags = pick[int32](g, 4, 4, 4, 0, 5)
}

func (g *generator) createTTL(r *zookeeper.Request, inMulti bool) {
	g.create(r, inMulti)
	r.Flags = pick[int32](g, 5, 6, 5, 0)
	r.TTLMs = pick[int64](g, 1_000_000, 0, -1, 1<<40)
	if r.Flags < 5 {
		// The TTL must not be negative here. A negative one with other flags passes a real server's
		// checks and then crashes the server each time the transaction is applied (ZK-1.7).
		r.TTLMs = 1_000_000
	}
}

func (g *generator) watch(r *zookeeper.Request, _ bool) { r.Watch = g.oneIn(2) }

func (g *generator) check(r *zookeeper.Request, inMulti bool) {
	if !inMulti {
		// This version makes the check fail. A check that succeeds outside a multi destroys a real
		// server's log (ZK-1.7).
		r.Version = 9999
	}
}

func (g *generator) multi(r *zookeeper.Request, _ bool) {
	for range g.IntN(5) {
		r.Ops = append(r.Ops, g.invent(nesteds, true))
	}
}

func (g *generator) multiRead(r *zookeeper.Request, _ bool) {
	for range g.IntN(4) {
		r.Ops = append(r.Ops, zookeeper.Request{Op: pick(g, zookeeper.OpGetData, zookeeper.OpGetChildren), Path: g.path()})
	}
}

func (g *generator) auth(r *zookeeper.Request, _ bool) {
	r.Scheme = pick(g, "digest", "digest", "digest", "world", "ip", "nobody")
	r.Data = pick(g, []byte("u:p"), []byte("v:q"), []byte("super:test"), []byte("no colon"), []byte(""), nil)
	if g.oneIn(4) {
		r.Data = []byte(unescaped(g.oddText() + ":" + g.oddText()))
	}
	if g.oneIn(40) {
		r.Scheme = g.oddText()
	}
}

func (g *generator) setWatches(r *zookeeper.Request, _ bool) {
	list := func() []string {
		var paths []string
		for range g.IntN(3) {
			paths = append(paths, g.path())
		}
		return paths
	}
	r.Watches = &zookeeper.WatchLists{
		RelativeZxid: pick[int64](g, 0, 5, 20, 1000), Data: list(), Exist: list(), Child: list(),
		Persistent: list(), PersistentRecursive: list(),
	}
}
