package recorded

import (
	"bytes"
	"encoding/binary"

	"github.com/monosim/monosim/sim/zookeeper"
)

// A client's side of the protocol, for tests that ask a real server: requests
// are written as ZK-1 and ZK-12 have them and replies read, nothing else.

// juteWriter appends values in the protocol's encoding (ZK-1.1).
type juteWriter struct{ b []byte }

func (w *juteWriter) int(v int32)  { w.b = binary.BigEndian.AppendUint32(w.b, uint32(v)) }
func (w *juteWriter) long(v int64) { w.b = binary.BigEndian.AppendUint64(w.b, uint64(v)) }

func (w *juteWriter) bool(v bool) {
	if v {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

func (w *juteWriter) buffer(v []byte) {
	if v == nil {
		w.int(-1)
		return
	}
	w.int(int32(len(v)))
	w.b = append(w.b, v...)
}

func (w *juteWriter) string(v string) { w.buffer([]byte(v)) }

func (w *juteWriter) strings(list []string) {
	w.int(int32(len(list)))
	for _, s := range list {
		w.string(s)
	}
}

func (w *juteWriter) acl(list []zookeeper.ACL) {
	w.int(int32(len(list)))
	for _, a := range list {
		w.int(int32(a.Perms))
		w.string(a.Scheme)
		w.string(a.ID)
	}
}

// body writes what follows the header of a request.
func (w *juteWriter) body(r *zookeeper.Request) {
	switch r.Op {
	case zookeeper.OpCreate, zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
		w.string(r.Path)
		w.buffer(r.Data)
		w.acl(r.ACL)
		w.int(r.Flags)
		if r.Op == zookeeper.OpCreateTTL {
			w.long(r.TTLMs)
		}
	case zookeeper.OpDelete, zookeeper.OpCheck:
		w.string(r.Path)
		w.int(r.Version)
	case zookeeper.OpSetData:
		w.string(r.Path)
		w.buffer(r.Data)
		w.int(r.Version)
	case zookeeper.OpSetACL:
		w.string(r.Path)
		w.acl(r.ACL)
		w.int(r.Version)
	case zookeeper.OpExists, zookeeper.OpGetData, zookeeper.OpGetChildren, zookeeper.OpGetChildren2:
		w.string(r.Path)
		w.bool(r.Watch)
	case zookeeper.OpGetACL, zookeeper.OpSync, zookeeper.OpGetEphemerals, zookeeper.OpGetAllChildrenNumber, zookeeper.OpDeleteContainer:
		w.string(r.Path)
	case zookeeper.OpAddWatch, zookeeper.OpCheckWatches, zookeeper.OpRemoveWatches:
		w.string(r.Path)
		w.int(r.Mode)
	case zookeeper.OpAuth:
		w.int(0)
		w.string(r.Scheme)
		w.buffer(r.Data)
	case zookeeper.OpSASL:
		w.buffer(r.Data)
	case zookeeper.OpMulti, zookeeper.OpMultiRead:
		for i := range r.Ops {
			w.int(int32(r.Ops[i].Op))
			w.bool(false)
			w.int(-1)
			w.body(&r.Ops[i])
		}
		w.int(-1)
		w.bool(true)
		w.int(-1)
	case zookeeper.OpSetWatches, zookeeper.OpSetWatches2:
		lists := r.Watches
		w.long(lists.RelativeZxid)
		w.strings(lists.Data)
		w.strings(lists.Exist)
		w.strings(lists.Child)
		if r.Op == zookeeper.OpSetWatches2 {
			w.strings(lists.Persistent)
			w.strings(lists.PersistentRecursive)
		}
	case zookeeper.OpReconfig:
		w.string("")
		w.string("")
		w.string("")
		w.long(-1)
	}
}

// juteReader takes values off a frame. Reading beyond the end panics: the real
// server's frames are whole.
type juteReader struct{ b []byte }

func (r *juteReader) take(n int) []byte {
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *juteReader) int() int32  { return int32(binary.BigEndian.Uint32(r.take(4))) }
func (r *juteReader) long() int64 { return int64(binary.BigEndian.Uint64(r.take(8))) }
func (r *juteReader) bool() bool  { return r.take(1)[0] != 0 }

func (r *juteReader) buffer() []byte {
	n := r.int()
	if n < 0 {
		return nil
	}
	return bytes.Clone(append([]byte{}, r.take(int(n))...))
}

func (r *juteReader) string() string { return string(r.buffer()) }

func (r *juteReader) strings() []string {
	list := []string{}
	for range r.int() {
		list = append(list, r.string())
	}
	return list
}

func (r *juteReader) stat() zookeeper.Stat {
	var s zookeeper.Stat
	s.Czxid, s.Mzxid, s.CtimeMs, s.MtimeMs = r.long(), r.long(), r.long(), r.long()
	s.Version, s.Cversion, s.Aversion = r.int(), r.int(), r.int()
	s.EphemeralOwner = r.long()
	s.DataLengthBytes, s.NumChildren = r.int(), r.int()
	s.Pzxid = r.long()
	return s
}

// reply reads the body of a successful reply.
func (r *juteReader) reply(to *zookeeper.Reply) {
	switch to.Op {
	case zookeeper.OpCreate, zookeeper.OpSync:
		to.Path = r.string()
	case zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
		to.Path, to.Stat = r.string(), r.stat()
	case zookeeper.OpSetData, zookeeper.OpSetACL, zookeeper.OpExists:
		to.Stat = r.stat()
	case zookeeper.OpGetData:
		to.Data, to.Stat = r.buffer(), r.stat()
	case zookeeper.OpGetChildren, zookeeper.OpGetEphemerals:
		to.Children = r.strings()
	case zookeeper.OpGetChildren2:
		to.Children, to.Stat = r.strings(), r.stat()
	case zookeeper.OpGetACL:
		for range r.int() {
			to.ACL = append(to.ACL, zookeeper.ACL{Perms: zookeeper.Perm(r.int()), Scheme: r.string(), ID: r.string()})
		}
		to.Stat = r.stat()
	case zookeeper.OpGetAllChildrenNumber:
		to.Count = r.int()
	case zookeeper.OpWhoAmI:
		for range r.int() {
			to.Clients = append(to.Clients, zookeeper.ClientInfo{Scheme: r.string(), User: r.string()})
		}
	case zookeeper.OpMulti, zookeeper.OpMultiRead:
		to.Results = r.results()
	case zookeeper.OpSASL:
		r.buffer()
	case zookeeper.OpAddWatch:
		r.int() // an error code that is always 0
	}
}

func (r *juteReader) results() []zookeeper.Result {
	results := []zookeeper.Result{}
	for {
		x := zookeeper.Result{Op: zookeeper.OpCode(r.int())}
		done := r.bool()
		r.int()
		if done {
			return results
		}
		switch x.Op {
		case zookeeper.OpError:
			x.Err = zookeeper.Code(r.int())
		case zookeeper.OpCreate:
			x.Path = r.string()
		case zookeeper.OpCreate2:
			x.Path, x.Stat = r.string(), r.stat()
		case zookeeper.OpSetData:
			x.Stat = r.stat()
		case zookeeper.OpGetData:
			x.Data, x.Stat = r.buffer(), r.stat()
		case zookeeper.OpGetChildren:
			x.Children = r.strings()
		}
		results = append(results, x)
	}
}
