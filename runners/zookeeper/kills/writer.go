package kills

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// inFlight is the number of requests that a writer sends before it waits for an answer.
const inFlight = 16

// Writer is a client that writes to znodes that no other client changes, below a root of its own. It
// has many requests under way at once, and knows what is on the server: everything that was
// acknowledged, and of the requests that were under way when the connection broke, none, or some of
// the first.
type Writer struct {
	Root   string
	random *rand.Rand
	conn   diff.Conn
	id     int64 // id of the session
	secret [16]byte
	xid    int32
	zxid   int64
	// known is the state after all answered requests. waiting are the requests that were not answered.
	known   tree
	waiting []write
	// Acknowledged counts the writes that were answered.
	Acknowledged int
}

// tree is what lies below a writer's root.
type tree struct {
	creates, changes int32 // internal and visible cversion of the root
	leaves           map[string]leaf
}

// leaf is a znode below the root.
type leaf struct {
	data              string
	version, aversion int32
	open, ephemeral   bool
}

// write is a request with what becomes of the tree. It returns the error with which it is answered.
type write struct {
	req    zookeeper.Request
	effect func(*tree) zookeeper.Code
}

func (t *tree) clone() tree { return tree{t.creates, t.changes, maps.Clone(t.leaves)} }

// NewWriter returns a writer that has no connection yet. What it writes follows from the seed.
func NewWriter(root string, seed uint64) *Writer {
	return &Writer{Root: root, random: rand.New(rand.NewPCG(seed, 0x6b)), known: tree{leaves: map[string]leaf{}}}
}

// Connect connects to a server, with the session that the writer has if it has one, and checks that
// what is on the server is what may be there. The error is ErrLost if it is not.
func (w *Writer) Connect(addr string) error {
	w.Close()
	conn, err := diff.TCP{Label: addr, Addr: addr}.Dial()
	if err != nil {
		return err
	}
	// Connects without the last zxid that the client has seen. A server that has not reached that
	// zxid would refuse it without an answer (ZK-2.4), which looks like a server that ends.
	hello := zookeeper.ConnectRequest{TimeoutMs: 30_000, SessionID: w.id, Password: w.secret[:]}
	if err := conn.Send(wire.AppendConnectRequest(nil, &hello)); err != nil {
		return err
	}
	message, err := conn.Receive()
	if err != nil {
		conn.Close()
		return err
	}
	answer, err := wire.DecodeConnectResponse(message)
	if err != nil {
		return err
	}
	if answer.SessionID == 0 {
		conn.Close()
		return fmt.Errorf("%w: session %#x", ErrLost, w.id)
	}
	first := w.id == 0
	w.conn, w.id, w.secret = conn, answer.SessionID, answer.Password
	if first {
		create := zookeeper.Request{Op: zookeeper.OpCreate, Path: w.Root, ACL: acl.Open()}
		_, err := w.ask(&create)
		return err
	}
	return w.check()
}

// Close closes the connection. The session stays.
func (w *Writer) Close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// ErrLost says that a server has lost what it had acknowledged, or has what nobody has written.
var ErrLost = errors.New("acknowledged and not there")

// ask sends a request and waits for its answer.
func (w *Writer) ask(req *zookeeper.Request) (zookeeper.Reply, error) {
	w.xid++
	req.Xid = w.xid
	if err := w.conn.Send(wire.AppendRequest(nil, req)); err != nil {
		return zookeeper.Reply{}, err
	}
	return w.answer(req)
}

func (w *Writer) answer(req *zookeeper.Request) (zookeeper.Reply, error) {
	message, err := w.conn.Receive()
	if err != nil {
		return zookeeper.Reply{}, err
	}
	reply, err := wire.DecodeReply(message, req.Op)
	switch {
	case err != nil:
		return reply, err
	case reply.Xid != req.Xid:
		return reply, fmt.Errorf("found the answer to %d, want %d", reply.Xid, req.Xid)
	case reply.Zxid < w.zxid:
		return reply, fmt.Errorf("%w: zxid %#x, found %#x", ErrLost, w.zxid, reply.Zxid)
	}
	w.zxid = reply.Zxid
	return reply, nil
}

// check reads what the server has, and looks for the number of waiting requests that the server
// must have carried out to have that.
func (w *Writer) check() error {
	found, err := w.read()
	if err != nil {
		return err
	}
	expected := w.known.clone()
	for i := 0; ; i++ {
		if reflect.DeepEqual(found, expected) {
			w.known, w.waiting = expected, nil
			return nil
		}
		if i == len(w.waiting) {
			return fmt.Errorf("%w: %s has %s\nwhile %d requests were under way after %s", ErrLost, w.Root, found, len(w.waiting), w.known)
		}
		w.waiting[i].effect(&expected)
	}
}

// read reads the tree from the server, once that has all that was written before.
func (w *Writer) read() (tree, error) {
	t := tree{leaves: map[string]leaf{}}
	if _, err := w.ask(&zookeeper.Request{Op: zookeeper.OpSync, Path: w.Root}); err != nil {
		return t, err
	}
	root, err := w.ask(&zookeeper.Request{Op: zookeeper.OpGetChildren2, Path: w.Root})
	if err != nil {
		return t, err
	}
	t.changes = root.Stat.Cversion
	t.creates = (root.Stat.Cversion + root.Stat.NumChildren) / 2
	for _, name := range root.Children {
		data, err := w.ask(&zookeeper.Request{Op: zookeeper.OpGetData, Path: w.Root + "/" + name})
		if err != nil {
			return t, err
		}
		list, err := w.ask(&zookeeper.Request{Op: zookeeper.OpGetACL, Path: w.Root + "/" + name})
		if err != nil {
			return t, err
		}
		s := data.Stat
		if s.EphemeralOwner != 0 && s.EphemeralOwner != w.id {
			return t, fmt.Errorf("%w: owner %#x of %s, found %#x", ErrLost, w.id, name, s.EphemeralOwner)
		}
		t.leaves[name] = leaf{string(data.Data), s.Version, s.Aversion, acl.IsOpen(list.ACL), s.EphemeralOwner != 0}
	}
	return t, nil
}

func (t tree) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d creates, cversion %d:", t.creates, t.changes)
	for _, name := range slices.Sorted(maps.Keys(t.leaves)) {
		l := t.leaves[name]
		fmt.Fprintf(&b, " %s %.8q %d bytes v=%d/%d open=%t ephemeral=%t,", name, l.data, len(l.data), l.version, l.aversion, l.open, l.ephemeral)
	}
	return b.String()
}

// Write writes until enough says so, or the connection breaks, which is the error. An error that is
// ErrLost is an answer that was not to be.
func (w *Writer) Write(enough func() bool) error {
	ahead := w.known.clone()
	for !enough() || len(w.waiting) > 0 {
		if len(w.waiting) < inFlight && !enough() {
			next := w.draw(&ahead)
			w.xid++
			next.req.Xid = w.xid
			if err := w.conn.Send(wire.AppendRequest(nil, &next.req)); err != nil {
				return err
			}
			next.effect(&ahead)
			w.waiting = append(w.waiting, next)
			continue
		}
		done := &w.waiting[0]
		reply, err := w.answer(&done.req)
		if err != nil {
			return err
		}
		want := done.effect(&w.known)
		if done.req.Op == zookeeper.OpMulti {
			reply.Err = reply.Results[len(reply.Results)-1].Err
		}
		if reply.Err != want {
			return fmt.Errorf("%w: %s %s was answered %s, want %s", ErrLost, done.req.Op, done.req.Path, zookeeper.CodeName(reply.Err), zookeeper.CodeName(want))
		}
		w.waiting = w.waiting[1:]
		w.Acknowledged++
	}
	return nil
}

// names is the number of names of a writer's znodes, besides those of sequential ones.
const names = 12

// draw draws a request. The tree is what it will find.
func (w *Writer) draw(t *tree) write {
	name := fmt.Sprintf("n%d", w.random.IntN(names))
	data := strings.Repeat(fmt.Sprintf("%d ", w.xid), 1+w.random.IntN(300))
	create, set, remove := w.create(name, data), w.set(name, data), w.delete(name)
	switch w.random.IntN(8) {
	case 0, 1:
		return create
	case 2, 3:
		return set
	case 4:
		return remove
	case 5:
		list := [][]acl.Entry{acl.Open(), {{Perms: acl.Read | acl.Admin, Scheme: "world", ID: "anyone"}, {Perms: acl.All, Scheme: "ip", ID: "127.0.0.1"}}}[w.random.IntN(2)]
		req := zookeeper.Request{Op: zookeeper.OpSetACL, Path: w.Root + "/" + name, ACL: list, Version: -1}
		return write{req, changing(name, func(l *leaf) { l.aversion, l.open = l.aversion+1, acl.IsOpen(list) })}
	case 6:
		// A sequential znode is deleted at once, so that there are never many.
		path := fmt.Sprintf("s%010d", t.creates)
		return together(w.create(path, data), w.delete(path), w.set(name, data))
	}
	return together(w.set(fmt.Sprintf("n%d", w.random.IntN(names)), data), create)
}

func (w *Writer) create(name, data string) write {
	req := zookeeper.Request{Op: zookeeper.OpCreate, Path: w.Root + "/" + name, Data: []byte(data), ACL: acl.Open(), Flags: int32(w.random.IntN(2))}
	if rest, ok := strings.CutPrefix(name, "s"); ok && rest != "" {
		req.Path, req.Flags = w.Root+"/s", zookeeper.FlagPersistentSequential
	}
	return write{req, func(t *tree) zookeeper.Code {
		if _, ok := t.leaves[name]; ok {
			return zkerrors.NodeExists
		}
		t.creates, t.changes = t.creates+1, t.changes+1
		t.leaves[name] = leaf{data: data, open: true, ephemeral: req.Flags == zookeeper.FlagEphemeral}
		return zookeeper.CodeOK
	}}
}

func (w *Writer) set(name, data string) write {
	req := zookeeper.Request{Op: zookeeper.OpSetData, Path: w.Root + "/" + name, Data: []byte(data), Version: -1}
	return write{req, changing(name, func(l *leaf) { l.data, l.version = data, l.version+1 })}
}

func (w *Writer) delete(name string) write {
	req := zookeeper.Request{Op: zookeeper.OpDelete, Path: w.Root + "/" + name, Version: -1}
	return write{req, func(t *tree) zookeeper.Code {
		if _, ok := t.leaves[name]; !ok {
			return zkerrors.NoNode
		}
		delete(t.leaves, name)
		t.changes++
		return zookeeper.CodeOK
	}}
}

// changing is the effect of a request that changes a znode.
func changing(name string, change func(*leaf)) func(*tree) zookeeper.Code {
	return func(t *tree) zookeeper.Code {
		l, ok := t.leaves[name]
		if !ok {
			return zkerrors.NoNode
		}
		change(&l)
		t.leaves[name] = l
		return zookeeper.CodeOK
	}
}

// together is a multi of writes, of which all or none have an effect. Its error is that of its last
// operation.
func together(writes ...write) write {
	req := zookeeper.Request{Op: zookeeper.OpMulti}
	for _, one := range writes {
		req.Ops = append(req.Ops, one.req)
	}
	return write{req, func(t *tree) zookeeper.Code {
		after := t.clone()
		for i, one := range writes {
			switch code := one.effect(&after); {
			case code != zookeeper.CodeOK && i == len(writes)-1:
				return code
			case code != zookeeper.CodeOK:
				return zkerrors.RuntimeInconsistency
			}
		}
		*t = after
		return zookeeper.CodeOK
	}}
}
