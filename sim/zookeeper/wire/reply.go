package wire

import "github.com/monosim/monosim/sim/zookeeper"

// syncConnected is the state that every event of a server carries (ZK-1.4).
const syncConnected = 3

// AppendReply appends a frame (ZK-1.3). The body depends on r.Op; after an error
// there is none.
func AppendReply(b []byte, r *zookeeper.Reply) []byte {
	b, at := beginFrame(b)
	b = appendInt(b, r.Xid)
	b = appendLong(b, r.Zxid)
	b = appendInt(b, int32(r.Err))
	if r.Err == zookeeper.CodeOK {
		b = appendReplyBody(b, r)
	}
	return endFrame(b, at)
}

func appendReplyBody(b []byte, r *zookeeper.Reply) []byte {
	switch r.Op {
	case zookeeper.OpCreate, zookeeper.OpSync:
		return appendString(b, r.Path)
	case zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
		return appendStat(appendString(b, r.Path), &r.Stat)
	case zookeeper.OpExists, zookeeper.OpSetData, zookeeper.OpSetACL:
		return appendStat(b, &r.Stat)
	case zookeeper.OpGetData:
		return appendStat(appendBuffer(b, r.Data), &r.Stat)
	case zookeeper.OpGetACL:
		return appendStat(appendACL(b, r.ACL), &r.Stat)
	case zookeeper.OpGetChildren, zookeeper.OpGetEphemerals:
		return appendStrings(b, r.Children)
	case zookeeper.OpGetChildren2:
		return appendStat(appendStrings(b, r.Children), &r.Stat)
	case zookeeper.OpMulti, zookeeper.OpMultiRead:
		return appendResults(b, r.Results)
	case zookeeper.OpGetAllChildrenNumber:
		return appendInt(b, r.Count)
	case zookeeper.OpAddWatch:
		return appendInt(b, 0) // an ErrorResponse that says OK (ZK-7.7)
	case zookeeper.OpSASL:
		return appendInt(b, null) // no token
	case zookeeper.OpWhoAmI:
		b = appendInt(b, int32(len(r.Clients)))
		for _, c := range r.Clients {
			b = appendString(appendString(b, c.Scheme), c.User)
		}
	}
	return b
}

// AppendEvent appends the frame of a watch event (ZK-1.4).
func AppendEvent(b []byte, e *zookeeper.Event) []byte {
	b, at := beginFrame(b)
	b = appendInt(b, zookeeper.XidNotification)
	b = appendLong(b, e.Zxid)
	b = appendInt(b, int32(zookeeper.CodeOK))
	b = appendInt(b, int32(e.Type))
	b = appendInt(b, syncConnected)
	b = appendString(b, e.Path)
	return endFrame(b, at)
}

// ReplyXid is the xid of a message from a server, by which a client knows
// whether it is an event or the answer to which request.
func ReplyXid(message []byte) (int32, error) {
	r := reader{rest: message}
	xid := r.int32()
	return xid, r.err("reply header")
}

// DecodeReply reads the answer to a request with the opcode. Nothing in the
// reply refers to message.
func DecodeReply(message []byte, op zookeeper.OpCode) (zookeeper.Reply, error) {
	r := reader{rest: message}
	reply := zookeeper.Reply{Op: op, Xid: r.int32(), Zxid: r.int64(), Err: zookeeper.Code(r.int32())}
	if reply.Err == zookeeper.CodeOK {
		r.replyBody(&reply)
	}
	return reply, r.err("reply")
}

func (r *reader) replyBody(reply *zookeeper.Reply) {
	switch reply.Op {
	case zookeeper.OpCreate, zookeeper.OpSync:
		reply.Path = r.string()
	case zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
		reply.Path, reply.Stat = r.string(), r.stat()
	case zookeeper.OpExists, zookeeper.OpSetData, zookeeper.OpSetACL:
		reply.Stat = r.stat()
	case zookeeper.OpGetData:
		reply.Data, reply.Stat = r.buffer(), r.stat()
	case zookeeper.OpGetACL:
		reply.ACL, reply.Stat = r.acl(), r.stat()
	case zookeeper.OpGetChildren, zookeeper.OpGetEphemerals:
		reply.Children = r.strings()
	case zookeeper.OpGetChildren2:
		reply.Children, reply.Stat = r.strings(), r.stat()
	case zookeeper.OpMulti, zookeeper.OpMultiRead:
		reply.Results = r.results()
	case zookeeper.OpGetAllChildrenNumber:
		reply.Count = r.int32()
	case zookeeper.OpAddWatch:
		r.int32()
	case zookeeper.OpSASL:
		r.buffer()
	case zookeeper.OpWhoAmI:
		n, _ := r.count(8)
		reply.Clients = make([]zookeeper.ClientInfo, n)
		for i := range reply.Clients {
			reply.Clients[i] = zookeeper.ClientInfo{Scheme: r.string(), User: r.string()}
		}
	}
}

// DecodeEvent reads a watch event, a message with the xid of notifications.
func DecodeEvent(message []byte) (zookeeper.Event, error) {
	r := reader{rest: message}
	r.int32()
	e := zookeeper.Event{Zxid: r.int64()}
	r.int32()
	e.Type = zookeeper.EventType(r.int32())
	r.int32()
	e.Path = r.string()
	return e, r.err("event")
}
