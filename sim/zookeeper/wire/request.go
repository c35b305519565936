package wire

import "github.com/monosim/monosim/sim/zookeeper"

// Decoder reads the requests of one connection. It remembers their paths, so
// that reading the common ones allocates nothing.
type Decoder struct{ names names }

// Request reads a request, its frame's length taken off (ZK-1.2), into req,
// which is overwritten. A body that cannot be read makes it Malformed, which the
// machine answers; an error is a header that cannot be read, after which a
// server closes the connection. Nothing in req refers to message.
//
// What follows the body is ignored, as Java does.
func (d *Decoder) Request(message []byte, req *zookeeper.Request) error {
	r := reader{rest: message, names: &d.names}
	*req = zookeeper.Request{Xid: r.int32(), Op: zookeeper.OpCode(r.int32())}
	if err := r.err("request header"); err != nil {
		return err
	}
	r.requestBody(req)
	if r.why != "" {
		*req = zookeeper.Request{Xid: req.Xid, Op: req.Op, Malformed: true}
	}
	return nil
}

// requestBody reads what the opcode says. Opcodes without a body, those that
// are not known and those that no client sends have none.
func (r *reader) requestBody(req *zookeeper.Request) {
	switch req.Op {
	case zookeeper.OpCreate, zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL,
		zookeeper.OpDelete, zookeeper.OpSetData, zookeeper.OpCheck,
		zookeeper.OpGetData, zookeeper.OpGetChildren:
		r.operation(req)
	case zookeeper.OpExists, zookeeper.OpGetChildren2:
		req.Path, req.Watch = r.name(), r.bool()
	case zookeeper.OpGetACL, zookeeper.OpSync, zookeeper.OpGetAllChildrenNumber:
		req.Path = r.name()
	case zookeeper.OpGetEphemerals:
		req.Path = r.nullable() // null is all of them
	case zookeeper.OpSetACL:
		req.Path, req.ACL, req.Version = r.nullable(), r.acl(), r.int32()
	case zookeeper.OpMulti, zookeeper.OpMultiRead:
		req.Ops = r.operations()
	case zookeeper.OpDeleteContainer:
		r.container(req)
	case zookeeper.OpReconfig:
		r.nullable()
		r.nullable()
		r.nullable()
		r.int64()
	case zookeeper.OpCheckWatches:
		req.Path, req.Mode = r.name(), r.int32()
	case zookeeper.OpRemoveWatches, zookeeper.OpAddWatch:
		req.Path, req.Mode = r.nullable(), r.int32()
	case zookeeper.OpAuth:
		r.int32() // a type, which no server looks at
		req.Scheme, req.Data = r.nullable(), r.buffer()
	case zookeeper.OpSASL:
		if req.Data = r.buffer(); req.Data == nil {
			r.fail("null token")
		}
	case zookeeper.OpSetWatches, zookeeper.OpSetWatches2:
		req.Watches = r.watchLists(req.Op)
	}
}

// container reads the path of a deleteContainer. Only 3.9 reads one; 3.8 takes the
// whole body for it, refuses it as a path, and never calls it malformed.
func (r *reader) container(req *zookeeper.Request) {
	body := reader{rest: r.rest}
	if path := body.string(); body.why == "" {
		req.Path = path
	}
}

// operation reads the body of what may also stand in a multi or multiRead.
func (r *reader) operation(req *zookeeper.Request) {
	switch req.Op {
	case zookeeper.OpCreate, zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
		req.Path, req.Data, req.ACL, req.Flags = r.string(), r.buffer(), r.acl(), r.int32()
		if req.Op == zookeeper.OpCreateTTL {
			req.TTLMs = r.int64()
		}
	case zookeeper.OpDelete:
		req.Path, req.Version = r.name(), r.int32()
	case zookeeper.OpCheck:
		req.Path, req.Version = r.nullableName(), r.int32()
	case zookeeper.OpSetData:
		req.Path, req.Data, req.Version = r.nullableName(), r.buffer(), r.int32()
	case zookeeper.OpGetData, zookeeper.OpGetChildren:
		req.Path, req.Watch = r.name(), r.bool()
	default:
		r.fail("operation that no multi may hold")
	}
}

func (r *reader) watchLists(op zookeeper.OpCode) *zookeeper.WatchLists {
	lists := &zookeeper.WatchLists{RelativeZxid: r.int64(), Data: r.strings(), Exist: r.strings(), Child: r.strings()}
	if op == zookeeper.OpSetWatches2 {
		lists.Persistent, lists.PersistentRecursive = r.strings(), r.strings()
	}
	return lists
}

// AppendRequest appends a frame. A Malformed request has no body.
func AppendRequest(b []byte, req *zookeeper.Request) []byte {
	b, at := beginFrame(b)
	b = appendInt(b, req.Xid)
	b = appendInt(b, int32(req.Op))
	if !req.Malformed {
		b = appendRequestBody(b, req)
	}
	return endFrame(b, at)
}

func appendRequestBody(b []byte, req *zookeeper.Request) []byte {
	switch req.Op {
	case zookeeper.OpExists, zookeeper.OpGetChildren2:
		return appendBool(appendString(b, req.Path), req.Watch)
	case zookeeper.OpGetACL, zookeeper.OpSync, zookeeper.OpGetAllChildrenNumber, zookeeper.OpGetEphemerals, zookeeper.OpDeleteContainer:
		return appendString(b, req.Path)
	case zookeeper.OpSetACL:
		return appendInt(appendACL(appendString(b, req.Path), req.ACL), req.Version)
	case zookeeper.OpMulti, zookeeper.OpMultiRead:
		return appendOperations(b, req.Ops)
	case zookeeper.OpReconfig:
		b = appendInt(appendInt(appendInt(b, null), null), null)
		return appendLong(b, -1)
	case zookeeper.OpCheckWatches, zookeeper.OpRemoveWatches, zookeeper.OpAddWatch:
		return appendInt(appendString(b, req.Path), req.Mode)
	case zookeeper.OpAuth:
		return appendBuffer(appendString(appendInt(b, 0), req.Scheme), req.Data)
	case zookeeper.OpSASL:
		return appendBuffer(b, req.Data)
	case zookeeper.OpSetWatches, zookeeper.OpSetWatches2:
		return appendWatchLists(b, req)
	}
	return appendOperation(b, req)
}

func appendOperation(b []byte, req *zookeeper.Request) []byte {
	switch req.Op {
	case zookeeper.OpCreate, zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
		b = appendBuffer(appendString(b, req.Path), req.Data)
		b = appendInt(appendACL(b, req.ACL), req.Flags)
		if req.Op == zookeeper.OpCreateTTL {
			b = appendLong(b, req.TTLMs)
		}
	case zookeeper.OpDelete, zookeeper.OpCheck:
		b = appendInt(appendString(b, req.Path), req.Version)
	case zookeeper.OpSetData:
		b = appendInt(appendBuffer(appendString(b, req.Path), req.Data), req.Version)
	case zookeeper.OpGetData, zookeeper.OpGetChildren:
		b = appendBool(appendString(b, req.Path), req.Watch)
	}
	return b
}

func appendWatchLists(b []byte, req *zookeeper.Request) []byte {
	lists := req.Watches
	if lists == nil {
		lists = &zookeeper.WatchLists{}
	}
	b = appendLong(b, lists.RelativeZxid)
	b = appendStrings(appendStrings(appendStrings(b, lists.Data), lists.Exist), lists.Child)
	if req.Op == zookeeper.OpSetWatches2 {
		b = appendStrings(appendStrings(b, lists.Persistent), lists.PersistentRecursive)
	}
	return b
}
