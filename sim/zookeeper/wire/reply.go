package wire

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// syncConnected is the connection state that every event contains (ZK-1.4).
const syncConnected = 3

// AppendReply appends a reply to b as a frame (ZK-1.3). r.Op determines the form of the body. A
// reply with an error has no body, unless it answers sasl or has Results (ZK-8.6).
func AppendReply(b []byte, r *zookeeper.Reply) []byte {
	b, at := beginFrame(b)
	b = appendInt(b, r.Xid)
	b = appendLong(b, r.Zxid)
	b = appendInt(b, int32(r.Err))
	if r.Err == zookeeper.CodeOK || r.Op == zookeeper.OpSASL || r.Results != nil {
		b = appendReplyFields(b, r.Op.ReplyFields(), r)
	}
	return endFrame(b, at)
}

func appendReplyFields(b []byte, fields []field.Kind, r *zookeeper.Reply) []byte {
	for _, f := range fields {
		switch f {
		case field.Path:
			b = appendString(b, r.Path)
		case field.EchoedPath:
			b = appendNullable(b, r.Path, r.NullPath)
		case field.Data, field.Answer:
			b = appendBuffer(b, r.Data)
		case field.ACL:
			b = appendACL(b, r.ACL)
		case field.Stat:
			b = appendStat(b, &r.Stat)
		case field.Children, field.Paths:
			b = appendStrings(b, r.Children)
		case field.Count:
			b = appendInt(b, r.Count)
		case field.Clients:
			b = appendInt(b, int32(len(r.Clients)))
			for _, c := range r.Clients {
				b = appendString(appendString(b, c.Scheme), c.User)
			}
		case field.Results:
			b = appendResults(b, r.Results)
		case field.NoError:
			b = appendInt(b, 0) // an ErrorResponse with code OK (ZK-7.7)
		}
	}
	return b
}

// AppendEvent appends a watch event to b as a frame (ZK-1.4).
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

// ReplyXid returns the xid of a message from a server. message does not include the frame's length.
// The xid says which request the message answers, or that it is a watch event. Errors wrap
// ErrMalformed.
func ReplyXid(message []byte) (int32, error) {
	r := reader{rest: message}
	xid := r.int32()
	return xid, r.err("reply header")
}

// DecodeReply decodes the answer to a request with opcode op. message does not include the frame's
// length, and the result does not refer to it. Errors wrap ErrMalformed.
func DecodeReply(message []byte, op zookeeper.OpCode) (zookeeper.Reply, error) {
	r := reader{rest: message}
	reply := zookeeper.Reply{Op: op, Xid: r.int32(), Zxid: r.int64(), Err: zookeeper.Code(r.int32())}
	if reply.Err == zookeeper.CodeOK {
		r.replyFields(op.ReplyFields(), &reply)
	}
	return reply, r.err("reply")
}

func (r *reader) replyFields(fields []field.Kind, reply *zookeeper.Reply) {
	for _, f := range fields {
		switch f {
		case field.Path:
			reply.Path = r.string()
		case field.EchoedPath:
			b := r.bytes("string")
			reply.Path, reply.NullPath = string(b), b == nil
		case field.Data, field.Answer:
			reply.Data = r.buffer()
		case field.ACL:
			reply.ACL = r.acl()
		case field.Stat:
			reply.Stat = r.stat()
		case field.Children, field.Paths:
			reply.Children = r.strings()
		case field.Count:
			reply.Count = r.int32()
		case field.Clients:
			n, _ := r.count(8)
			reply.Clients = make([]zookeeper.ClientInfo, n)
			for i := range reply.Clients {
				reply.Clients[i] = zookeeper.ClientInfo{Scheme: r.string(), User: r.string()}
			}
		case field.Results:
			reply.Results = r.results()
		case field.NoError:
			r.int32()
		}
	}
}

// DecodeEvent decodes a watch event, whose xid is zookeeper.XidNotification. message does not
// include the frame's length. Errors wrap ErrMalformed.
func DecodeEvent(message []byte) (zookeeper.Event, error) {
	r := reader{rest: message}
	r.int32()
	e := zookeeper.Event{Zxid: r.int64()}
	r.int32()
	e.Type = env.EventType(r.int32())
	r.int32()
	e.Path = r.string()
	return e, r.err("event")
}
