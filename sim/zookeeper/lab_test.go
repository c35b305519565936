package zookeeper

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// lab drives one machine by hand. It sets the clock, makes connections and reads the output.
type lab struct {
	t      *testing.T
	m      *Machine
	nowMs  int64
	conns  ConnID
	writes []Write
}

func newLab(t *testing.T, cfg Config) *lab {
	l := &lab{t: t}
	cfg.OnWrite = func(w Write) { l.writes = append(l.writes, w) }
	l.m = New(cfg, 0)
	return l
}

// dial connects with the request. It returns the connection and the server's output.
func (l *lab) dial(req ConnectRequest) (ConnID, []string) {
	l.conns++
	l.m.Connect(l.nowMs, l.conns, &req)
	return l.conns, l.said()
}

// connect makes a session with a timeout of 10 s.
func (l *lab) connect() ConnID {
	id, _ := l.dial(ConnectRequest{TimeoutMs: 10_000, RemoteIP: "127.0.0.1"})
	return id
}

// do sends a request and returns the server's whole output.
func (l *lab) do(c ConnID, req Request) []string {
	l.m.Handle(l.nowMs, c, &req)
	return l.said()
}

func (l *lab) said() []string {
	out := l.m.Drain()
	said := make([]string, len(out))
	for i := range out {
		said[i] = out[i].String()
	}
	return said
}

// reply sends a request and returns its reply.
func (l *lab) reply(c ConnID, req Request) Reply {
	l.t.Helper()
	l.m.Handle(l.nowMs, c, &req)
	for _, o := range l.m.Drain() {
		if o.Kind == OutReply {
			return o.Reply
		}
	}
	l.t.Fatalf("%s %s: no reply", req.Op, req.Path)
	return Reply{}
}

// must sends a request and returns its reply. It fails the test if the reply is an error.
func (l *lab) must(c ConnID, req Request) Reply {
	l.t.Helper()
	r := l.reply(c, req)
	if r.Err != CodeOK {
		l.t.Fatalf("%s %s: got %s, want OK", req.Op, req.Path, CodeName(r.Err))
	}
	return r
}

// advance lets time pass and returns what the server sent without a request.
func (l *lab) advance(ms int64) []string {
	l.nowMs += ms
	l.m.Tick(l.nowMs)
	return l.said()
}

func (l *lab) stat(path string) Stat {
	l.t.Helper()
	n, ok := l.m.Lookup(path)
	if !ok {
		l.t.Fatalf("no znode %s", path)
	}
	return n.Stat
}

func expect[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func mk(path string) Request { return mkFlags(path, FlagPersistent) }

func mkFlags(path string, flags int32) Request {
	return Request{Op: OpCreate, Path: path, Data: []byte{}, Flags: flags, ACL: acl.Everyone}
}

func set(path, data string) Request {
	return Request{Op: OpSetData, Path: path, Data: []byte(data), Version: -1}
}

func del(path string) Request { return Request{Op: OpDelete, Path: path, Version: -1} }

func watchOn(op OpCode, path string) Request { return Request{Op: op, Path: path, Watch: true} }

func multi(ops ...Request) Request { return Request{Op: OpMulti, Ops: ops} }
