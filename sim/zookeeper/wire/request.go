package wire

import (
	"hash/maphash"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/field"
	"github.com/monosim/monosim/sim/zookeeper/java"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// Decoder decodes the requests of one connection. It caches their paths, so that decoding most
// requests allocates nothing.
type Decoder struct{ names names }

// Request decodes message into req (ZK-1.2). message does not include the frame's length, and req
// does not refer to it. If the body is malformed, it sets req.Malformed, and the machine answers
// with an error. If the header is malformed, it returns an error, and a server closes the
// connection.
//
// Bytes after the body are ignored, as in Java.
func (d *Decoder) Request(message []byte, req *zookeeper.Request) error {
	r := reader{rest: message, names: &d.names}
	*req = zookeeper.Request{Xid: r.int32(), Op: zookeeper.OpCode(r.int32())}
	if err := r.err("request header"); err != nil {
		return err
	}
	r.requestFields(req.Op.RequestFields(), req)
	if r.why != "" {
		*req = zookeeper.Request{Xid: req.Xid, Op: req.Op, Ops: req.Ops}
	}
	req.Malformed = r.why != "" || r.hasNull
	return nil
}

// requestFields reads the fields of a body. Opcodes that are unknown, or that no client sends,
// have no fields.
func (r *reader) requestFields(fields []field.Kind, req *zookeeper.Request) {
	for _, f := range fields {
		switch f {
		case field.Path:
			b := r.notNull()
			req.Path, req.NullPath = r.remembered(b), b == nil
		case field.NewPath:
			b := r.bytes("string")
			req.Path, req.NullPath = r.decoded(b), b == nil
		case field.NullablePath, field.EchoedPath:
			b := r.bytes("string")
			req.Path, req.NullPath = r.remembered(b), b == nil
		case field.Data:
			req.Data = r.buffer()
		case field.ACL:
			req.ACL = r.acl()
		case field.Flags:
			req.Flags = r.int32()
		case field.TTL:
			req.TTLMs = r.int64()
		case field.Timeout:
			req.TimeoutMs = r.int32()
		case field.Version:
			req.Version = r.int32()
		case field.Watch:
			req.Watch = r.bool()
		case field.Mode:
			req.Mode = r.int32()
		case field.Ops:
			req.Ops = r.operations()
		case field.WatchLists, field.AllWatchLists:
			req.Watches = r.watchLists(f == field.AllWatchLists)
		case field.Credential:
			r.int32() // type of the request, which no server checks
			req.Scheme, req.Data = r.decoded(r.bytes("string")), r.buffer()
		case field.Token:
			if req.Data = r.buffer(); req.Data == nil {
				r.fail("null token")
			}
		case field.Membership:
			req.Membership = &members.Change{Joining: r.text(), Leaving: r.text(), New: r.text(), From: r.int64()}
		}
	}
}

func (r *reader) watchLists(all bool) *zookeeper.WatchLists {
	lists := &zookeeper.WatchLists{RelativeZxid: r.int64(), Data: r.strings(), Exist: r.strings(), Child: r.strings()}
	if all {
		lists.Persistent, lists.PersistentRecursive = r.strings(), r.strings()
	}
	return lists
}

// AppendRequest appends a request to b as a frame, including its length. A Malformed request has
// no body.
func AppendRequest(b []byte, req *zookeeper.Request) []byte {
	b, at := beginFrame(b)
	b = appendInt(b, req.Xid)
	b = appendInt(b, int32(req.Op))
	if !req.Malformed {
		b = appendRequestFields(b, req.Op.RequestFields(), req)
	}
	return endFrame(b, at)
}

func appendRequestFields(b []byte, fields []field.Kind, req *zookeeper.Request) []byte {
	for _, f := range fields {
		switch f {
		case field.Path, field.NewPath, field.NullablePath, field.EchoedPath:
			b = appendNullable(b, req.Path, req.NullPath)
		case field.Data, field.Token:
			b = appendBuffer(b, req.Data)
		case field.ACL:
			b = appendACL(b, req.ACL)
		case field.Flags:
			b = appendInt(b, req.Flags)
		case field.TTL:
			b = appendLong(b, req.TTLMs)
		case field.Timeout:
			b = appendInt(b, req.TimeoutMs)
		case field.Version:
			b = appendInt(b, req.Version)
		case field.Watch:
			b = appendBool(b, req.Watch)
		case field.Mode:
			b = appendInt(b, req.Mode)
		case field.Ops:
			b = appendOperations(b, req.Ops)
		case field.WatchLists, field.AllWatchLists:
			b = appendWatchLists(b, req, f == field.AllWatchLists)
		case field.Credential:
			b = appendBuffer(appendString(appendInt(b, 0), req.Scheme), req.Data)
		case field.Membership:
			b = appendMembership(b, req.Membership)
		}
	}
	return b
}

// text reads a string; null becomes nil.
func (r *reader) text() *string {
	b := r.bytes("string")
	if b == nil {
		return nil
	}
	text := r.decoded(b)
	return &text
}

func appendMembership(b []byte, change *members.Change) []byte {
	if change == nil {
		change = &members.Change{From: -1}
	}
	for _, text := range []*string{change.Joining, change.Leaving, change.New} {
		if text == nil {
			b = appendInt(b, null)
		} else {
			b = appendString(b, *text)
		}
	}
	return appendLong(b, change.From)
}

func appendWatchLists(b []byte, req *zookeeper.Request, all bool) []byte {
	lists := req.Watches
	if lists == nil {
		lists = &zookeeper.WatchLists{}
	}
	b = appendLong(b, lists.RelativeZxid)
	b = appendStrings(appendStrings(appendStrings(b, lists.Data), lists.Exist), lists.Child)
	if all {
		b = appendStrings(appendStrings(b, lists.Persistent), lists.PersistentRecursive)
	}
	return b
}

// maxNames and maxNameSize limit the path cache of one connection: its number of entries, and the
// length of a cached path in bytes. They are small, because there may be 100,000 connections.
const (
	maxNames    = 16
	maxNameSize = 256
)

// names caches the paths that a connection used last, so that decoding one again allocates
// nothing. It is a hash table in which a new path replaces an old one with the same hash.
type names struct{ known *[maxNames]string }

var namesSeed = maphash.MakeSeed()

// get returns the text of b, decoded as java.Text does. It takes the string from the cache if the
// cache has it.
func (n *names) get(b []byte) string {
	if len(b) > maxNameSize {
		return java.Text(b)
	}
	if n.known == nil {
		n.known = new([maxNames]string)
	}
	place := &n.known[maphash.Bytes(namesSeed, b)%maxNames]
	if *place == string(b) {
		return *place
	}
	text := java.Text(b)
	if text == string(b) { // only an unchanged text can be found again by its bytes
		*place = text
	}
	return text
}
