package zookeeper

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/enum"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// OutKind says what an Out contains.
type OutKind uint8

// The kinds of output.
const (
	// OutConnected answers a connect request: Out.Connected. If the request made a session, or asked
	// for one on a connection that has one, Out.Reply names it: Op is OpCreateSession, and Xid that of
	// the request, which is 0 for the first request of a connection.
	OutConnected OutKind = iota + 1
	// OutReply answers a request: Out.Reply.
	OutReply
	// OutEvent notifies a client of a watch that fired: Out.Event.
	OutEvent
	// OutClose closes the connection after all earlier messages are sent.
	OutClose
)

var outNames = []string{OutConnected: "connected", OutReply: "reply", OutEvent: "event", OutClose: "close"}

func (k OutKind) String() string { return enum.Listed(outNames, k) }

// Out is one output of the server on one connection: a message or the close.
type Out struct {
	Conn      ConnID
	Kind      OutKind
	Event     Event
	Connected ConnectResponse
	Reply     Reply
}

// Event is a watch event. Its state on the wire is always SyncConnected (ZK-1.4).
type Event struct {
	Type env.EventType
	Path string
	// Zxid is the zxid in the header. On 3.8 it is -1, and on 3.9 the zxid of the change (ZK-14.1).
	Zxid int64
}

// ConnectResponse answers a connect request (ZK-2.2). If all fields are zero, the request is
// refused (ZK-2.3).
type ConnectResponse struct {
	TimeoutMs int32
	SessionID int64
	Password  [16]byte
	// HasReadOnly says that the response ends with a readOnly byte. ReadOnly is the value of that
	// byte. It is true for a server that only serves reads (ZK-24.7).
	HasReadOnly, ReadOnly bool
}

// Reply answers one request. Op determines which fields are valid. After an error no field is valid
// except Results, if it is not nil (ZK-8.6). Slices belong to the machine, which never changes
// them. Callers must not change them either.
type Reply struct {
	Xid  int32
	Zxid int64
	Err  Code
	Op   OpCode
	// Path is the real path of a create, or the path that sync returns. NullPath means that the
	// path of the sync was null.
	Path     string
	NullPath bool
	// Data is the data of getData; nil is distinct from empty.
	Data []byte
	// Stat is valid for create2, createContainer, createTTL, setData, setACL, exists, getData,
	// getACL and getChildren2.
	Stat Stat
	// Children holds names for getChildren and getChildren2, and paths for getEphemerals.
	Children []string
	// Names replaces Children for a request with Blocks.
	Names *bulk.Names
	ACL   []acl.Entry
	// Count is the result of getAllChildrenNumber.
	Count int32
	// Clients is the result of whoAmI.
	Clients []ClientInfo
	// Results holds the results of the operations of a multi or multiRead.
	Results []Result
}

// Result is the result of one operation of a multi or multiRead (ZK-8.2, ZK-8.3).
type Result struct {
	// Op is the operation; OpError if it failed or was not executed.
	Op       OpCode
	Err      Code
	Path     string
	Data     []byte
	Stat     Stat
	Children []string
}

// ClientInfo is one identity in the answer to whoAmI.
type ClientInfo struct{ Scheme, User string }

// Drain empties the outbox and returns the outputs since its last call, in the order in which they
// are sent. The slice is valid until the next input.
func (m *Machine) Drain() []Out {
	out := m.outbox
	m.outbox = m.outbox[:0]
	if m.roomy++; len(out)*roomyFor >= cap(out) || cap(out) <= roomyFor {
		m.roomy = 0
	} else if m.roomy >= maxRoomy {
		// Release the memory that a burst of outputs has needed.
		m.outbox, m.roomy = nil, 0
	}
	return out
}

// The outbox is released after maxRoomy calls of Drain in a row that each find less than 1/roomyFor
// of its capacity in use.
const (
	roomyFor = 16
	maxRoomy = 256
)

// push appends an empty Out. The pointer is valid until the next push.
func (m *Machine) push(c ConnID, kind OutKind) *Out {
	m.outbox = append(m.outbox, Out{})
	o := &m.outbox[len(m.outbox)-1]
	o.Conn, o.Kind = c, kind
	return o
}

// reply appends a successful reply without a body. Its zxid is that of the last transaction
// (ZK-4.3).
func (m *Machine) reply(c *Conn, req *Request) *Reply {
	r := &m.push(c.id, OutReply).Reply
	r.Xid, r.Zxid, r.Op = req.Xid, m.zxid, req.Op
	return r
}

func (m *Machine) event(c *Conn, typ env.EventType, path string, zxid int64) {
	if m.cfg.Profile == V38 {
		zxid = -1
	}
	m.push(c.id, OutEvent).Event = Event{Type: typ, Path: path, Zxid: zxid}
	m.counters.Events++
}

// String formats the output on one line, for comparisons and golden files.
func (o *Out) String() string {
	switch o.Kind {
	case OutConnected:
		if o.Connected.SessionID == 0 {
			return fmt.Sprintf("%d refused", o.Conn)
		}
		return fmt.Sprintf("%d connected session=%#x timeout=%d", o.Conn, o.Connected.SessionID, o.Connected.TimeoutMs)
	case OutReply:
		return fmt.Sprintf("%d %s", o.Conn, o.Reply.String())
	case OutEvent:
		return fmt.Sprintf("%d event %s %s", o.Conn, o.Event.Type, o.Event.Path)
	}
	return fmt.Sprintf("%d %s", o.Conn, o.Kind)
}

// Word returns the operation's name in the output of the four-letter word cons after this reply
// (FinalRequestProcessor.java). A transaction that fails has none, but for a multi. told is false
// for an operation that leaves cons as it was, because the server answers it before it becomes a
// request (ZooKeeperServer.java, processPacket).
func (r *Reply) Word() (word string, told bool) {
	e := r.Op.entry()
	switch {
	case r.Op == OpAuth || r.Op == OpSASL:
		return "", false
	case r.Err != CodeOK && r.Op != OpMulti && (e.place == asTransaction || r.Op == OpCheck):
		return unknown.word, true
	}
	return e.word, true
}

// String formats the header and the body, without the stat.
func (r *Reply) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s zxid=%d", r.Op, CodeName(r.Err), r.Zxid)
	if r.Err != CodeOK {
		return b.String()
	}
	if r.Path != "" {
		fmt.Fprintf(&b, " %s", r.Path)
	}
	if r.Op.entry().replies(field.Data) {
		fmt.Fprintf(&b, " %s", dataText(r.Data))
	}
	if r.Children != nil {
		fmt.Fprintf(&b, " [%s]", strings.Join(r.Children, " "))
	}
	for _, c := range r.Clients {
		fmt.Fprintf(&b, " %s:%s", c.Scheme, c.User)
	}
	for i := range r.Results {
		fmt.Fprintf(&b, " (%s)", r.Results[i].String())
	}
	return b.String()
}

// String formats the result, without the stat.
func (r *Result) String() string {
	if r.Op == OpError {
		return fmt.Sprintf("error %s", CodeName(r.Err))
	}
	s := r.Op.String()
	if r.Path != "" {
		s += " " + r.Path
	}
	if r.Op.entry().replies(field.Data) {
		s += " " + dataText(r.Data)
	}
	if r.Children != nil {
		s += fmt.Sprintf(" [%s]", strings.Join(r.Children, " "))
	}
	return s
}

func dataText(data []byte) string {
	if data == nil {
		return "null"
	}
	return fmt.Sprintf("%q", data)
}
