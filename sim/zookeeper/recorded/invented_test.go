package recorded

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: the machine and a real server agree on scripts that nobody thought of.
// Method: rapid invents scripts of three connections on few paths, both play
// them. A bare check is never sent: it would destroy the server (ZK-1.7).

func TestMachineAgreesWithARealServerOnInventedScripts(t *testing.T) { // ZK-22.5
	if *realAddr == "" {
		t.Skip("needs a real server: -zookeeper host:port")
	}
	i := slices.IndexFunc(versions, func(v version) bool { return v.name == *realVersion })
	if i < 0 {
		t.Fatalf("-zookeeper-version %s: want one of %v", *realVersion, versions)
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := invent(rt)
		if diff := cmp.Diff(playReal(rt, s), s.play(newSimulated(versions[i].profile, false))); diff != "" {
			rt.Fatalf("-real server +machine:\n%s", diff)
		}
	})
}

// invention makes one script.
type invention struct {
	t *rapid.T
	s script
	// conns are the connected ones by the session that they are on; next is the
	// number of the next one.
	conns []int
	next  int
}

func invent(t *rapid.T) script {
	in := &invention{t: t, s: script{title: "invented"}}
	in.connect()
	// What is said of the root depends on what the server had before, so nothing
	// happens directly below it.
	for _, path := range []string{"/t", "/t/r"} {
		in.do(0, zookeeper.Request{Op: zookeeper.OpCreate, Path: path, Data: []byte{}, ACL: open})
	}
	in.connect()
	in.connect()
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		in.step()
	}
	return in.s
}

func (in *invention) connect() {
	in.next++
	in.conns = append(in.conns, in.next)
	in.s.steps = append(in.s.steps, step{conn: in.next, connect: &zookeeper.ConnectRequest{TimeoutMs: 10_000}})
}

func (in *invention) do(i int, req zookeeper.Request) {
	in.s.steps = append(in.s.steps, step{conn: in.conns[i], req: req})
}

func pick[T any](t *rapid.T, name string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, name)
}

func (in *invention) path() string {
	return pick(in.t, "path", "/t/r", "/t/r/a", "/t/r/a", "/t/r/b", "/t/r/a/x", "/t/r/a/x", "/t/r/a/y", "/t/r/b/z", "/t/r/a/x/1", "/t/r/a/", "/t/r//a")
}

func (in *invention) acl() []zookeeper.ACL {
	mine := zookeeper.ACL{Perms: zookeeper.PermAll, Scheme: "digest", ID: zookeeper.DigestID("u:p")}
	anyone := zookeeper.ACL{Perms: rapid.Custom(func(t *rapid.T) zookeeper.Perm {
		return zookeeper.Perm(rapid.IntRange(0, 31).Draw(t, "bits"))
	}).Draw(in.t, "permissions"), Scheme: "world", ID: "anyone"}
	return pick(in.t, "acl", open, open, open, open, []zookeeper.ACL{mine}, []zookeeper.ACL{anyone}, []zookeeper.ACL{anyone, mine},
		[]zookeeper.ACL{{Perms: zookeeper.PermAll, Scheme: "auth"}}, nil)
}

// write invents a write that a multi may hold.
func (in *invention) write() zookeeper.Request {
	req := zookeeper.Request{
		Path: in.path(), Version: pick[int32](in.t, "version", -1, -1, -1, 0, 1),
		Op: pick(in.t, "write", zookeeper.OpCreate, zookeeper.OpCreate, zookeeper.OpCreate, zookeeper.OpCreate2, zookeeper.OpDelete, zookeeper.OpDelete,
			zookeeper.OpSetData, zookeeper.OpSetData, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL),
	}
	switch req.Op {
	case zookeeper.OpCreate, zookeeper.OpCreate2:
		req.Data, req.ACL = []byte("x"), in.acl()
		req.Flags = pick[int32](in.t, "flags", 0, 0, 0, 1, 2, 3, 4)
	case zookeeper.OpCreateContainer:
		req.Data, req.ACL, req.Flags = []byte("c"), in.acl(), zookeeper.FlagContainer
	case zookeeper.OpCreateTTL:
		req.Data, req.ACL, req.Flags = []byte("t"), in.acl(), pick(in.t, "ttl flags", zookeeper.FlagTTL, zookeeper.FlagPersistentSequentialTTL)
		req.TTLMs = 3_600_000
	case zookeeper.OpSetData:
		req.Data = pick(in.t, "data", nil, []byte{}, []byte("y"))
	}
	return req
}

func (in *invention) multi() zookeeper.Request {
	req := zookeeper.Request{Op: zookeeper.OpMulti}
	for range rapid.IntRange(0, 4).Draw(in.t, "operations") {
		op := in.write()
		if rapid.IntRange(0, 5).Draw(in.t, "check") == 0 {
			op = zookeeper.Request{Op: zookeeper.OpCheck, Path: op.Path, Version: op.Version}
		}
		req.Ops = append(req.Ops, op)
	}
	return req
}

func (in *invention) paths(name string) []string {
	return rapid.SliceOfN(rapid.Custom(func(*rapid.T) string { return in.path() }), 0, 3).Draw(in.t, name)
}

func (in *invention) other() zookeeper.Request {
	req := zookeeper.Request{Path: in.path(), Op: pick(in.t, "other", zookeeper.OpSetACL, zookeeper.OpGetACL, zookeeper.OpSync, zookeeper.OpAuth, zookeeper.OpWhoAmI,
		zookeeper.OpAddWatch, zookeeper.OpAddWatch, zookeeper.OpCheckWatches, zookeeper.OpRemoveWatches, zookeeper.OpSetWatches, zookeeper.OpSetWatches2,
		zookeeper.OpGetEphemerals, zookeeper.OpGetAllChildrenNumber, zookeeper.OpMultiRead)}
	switch req.Op {
	case zookeeper.OpSetACL:
		req.ACL, req.Version = in.acl(), pick[int32](in.t, "version", -1, -1, 0, 1)
	case zookeeper.OpAuth:
		req.Scheme, req.Data = "digest", []byte(pick(in.t, "user", "u:p", "v:q"))
	case zookeeper.OpAddWatch:
		req.Mode = rapid.Int32Range(0, 2).Draw(in.t, "mode")
	case zookeeper.OpCheckWatches, zookeeper.OpRemoveWatches:
		req.Mode = rapid.Int32Range(0, 4).Draw(in.t, "type")
	case zookeeper.OpSetWatches, zookeeper.OpSetWatches2:
		l := &zookeeper.WatchLists{RelativeZxid: rapid.Int64Range(0, 30).Draw(in.t, "since"), Data: in.paths("data"), Exist: in.paths("exist"), Child: in.paths("child")}
		if req.Watches = l; req.Op == zookeeper.OpSetWatches2 {
			l.Persistent, l.PersistentRecursive = in.paths("persistent"), in.paths("recursive")
		}
	case zookeeper.OpMultiRead:
		for range rapid.IntRange(0, 3).Draw(in.t, "reads") {
			req.Ops = append(req.Ops, zookeeper.Request{Op: pick(in.t, "read", zookeeper.OpGetData, zookeeper.OpGetChildren), Path: in.path()})
		}
	}
	return req
}

func (in *invention) step() {
	i := rapid.IntRange(0, len(in.conns)-1).Draw(in.t, "connection")
	switch n := rapid.IntRange(0, 30).Draw(in.t, "step"); {
	case n == 0:
		in.reattach(i)
	case n == 1:
		in.do(i, zookeeper.Request{Op: zookeeper.OpCloseSession})
		in.conns = append(in.conns[:i:i], in.conns[i+1:]...)
		in.connect()
	case n < 5:
		in.do(i, in.multi())
	case n < 14:
		req := zookeeper.Request{Path: in.path(), Watch: true}
		req.Op = pick(in.t, "read", zookeeper.OpExists, zookeeper.OpGetData, zookeeper.OpGetChildren, zookeeper.OpGetChildren2)
		in.do(i, req)
	case n < 20:
		in.do(i, in.other())
	default:
		in.do(i, in.write())
	}
}

// reattach goes on with the session of a connection on a new one.
func (in *invention) reattach(i int) {
	in.next++
	st := step{conn: in.next, attach: in.conns[i], connect: &zookeeper.ConnectRequest{TimeoutMs: 10_000}}
	in.conns[i] = in.next
	in.s.steps = append(in.s.steps, st)
}
