package zookeeper

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// OpCode is the type of a request, with the numbers of ZooKeeper's protocol (ZK-10.1).
type OpCode int32

// These are the operations. OpError is the type of a failed result in a multi.
const (
	OpCloseSession         OpCode = -11
	OpCreateSession        OpCode = -10
	OpError                OpCode = -1
	OpNotification         OpCode = 0
	OpCreate               OpCode = 1
	OpDelete               OpCode = 2
	OpExists               OpCode = 3
	OpGetData              OpCode = 4
	OpSetData              OpCode = 5
	OpGetACL               OpCode = 6
	OpSetACL               OpCode = 7
	OpGetChildren          OpCode = 8
	OpSync                 OpCode = 9
	OpPing                 OpCode = 11
	OpGetChildren2         OpCode = 12
	OpCheck                OpCode = 13
	OpMulti                OpCode = 14
	OpCreate2              OpCode = 15
	OpReconfig             OpCode = 16
	OpCheckWatches         OpCode = 17
	OpRemoveWatches        OpCode = 18
	OpCreateContainer      OpCode = 19
	OpDeleteContainer      OpCode = 20
	OpCreateTTL            OpCode = 21
	OpMultiRead            OpCode = 22
	OpAuth                 OpCode = 100
	OpSetWatches           OpCode = 101
	OpSASL                 OpCode = 102
	OpGetEphemerals        OpCode = 103
	OpGetAllChildrenNumber OpCode = 104
	OpSetWatches2          OpCode = 105
	OpAddWatch             OpCode = 106
	OpWhoAmI               OpCode = 107
)

// minOpCode and maxOpCode are the range of opcodes, for tables that are indexed by opcode.
const (
	minOpCode = OpCloseSession
	maxOpCode = OpWhoAmI
)

// operation describes an opcode completely, except what its functions do. The table below has one
// entry for each. No other code in the machine, in sim/zookeeper/wire or in runners/zookeeper/diff
// lists opcodes by one of these properties.
//
// A new opcode needs its constant, its entry and its function. A field that no other body has needs
// a line in package field, too. Entries have no field names, so an entry that lacks a property does
// not compile. The generator of random scripts (runners/zookeeper/diff/inventions.go) does not
// compile before it says how often to use the new opcode. A constant without an entry fails a test.
type operation struct {
	code OpCode
	// name is the operation's name in logs and in SPEC.md. word is its name in the output of the
	// four-letter word cons (FinalRequestProcessor.java); NA for operations that clients cannot
	// request.
	name, word string
	// request and reply list the fields of the bodies in wire order. If the reply has a path or
	// stat field, a successful write fills it from its znode.
	request, reply []field.Kind
	// needs lists permissions of which the client must have at least one; 0 needs none. For creates
	// and deletes they apply to the parent, otherwise to the znode.
	needs  acl.Perm
	effect Effect
	nests  nesting
	place  place
	// handle does everything that a request needs, including the reply.
	handle func(*Machine, *Conn, *Request)
	// apply changes the tree, for handle or a multi, and sends no notifications. It is nil for
	// operations that take no zxid and cannot be in a multi.
	apply func(m *Machine, c *Conn, req *Request, inMulti bool) outcome
}

// place says which server executes an operation, and when.
type place uint8

const (
	// atConnection is the code that reads the connection. It executes the operation before any
	// queue. A body that cannot be read closes the connection (ZooKeeperServer.java:1597).
	atConnection place = iota + 1
	// atServer is the server to which the client is connected. It uses its own state.
	atServer
	// atLeader is the leader, which uses no zxid, except for a check that fails (ZK-1.7).
	atLeader
	// asTransaction is the leader, which uses a zxid.
	asTransaction
)

// nesting says in which compound operations an operation may occur.
type nesting uint8

const (
	byItself nesting = iota
	inMulti
	inMultiRead
)

// Effect is what a successful write does, for code that follows writes.
type Effect uint8

// These are the effects. Reads have none. A multi has only the effects of its operations.
const (
	noEffect Effect = iota
	// EffectSession begins or ends the session Write.Session.
	EffectSession
	// EffectCreate creates and EffectDelete deletes the znode Write.Path.
	EffectCreate
	EffectDelete
	// EffectData replaces the data of the znode Write.Path, and effectACL its ACL.
	EffectData
	effectACL
)

// operations is the table of all operations, by number. The first line of an entry identifies the
// operation (code, name, word, request, reply). The second line says what it does (needs, effect,
// nests, place, handle, apply).
var operations = [...]operation{
	{OpCloseSession, "closeSession", "CLOS", nil, nil,
		0, EffectSession, byItself, asTransaction, (*Machine).closeSession, nil},
	{OpCreateSession, "createSession", "NA", fields(field.Timeout), nil,
		0, EffectSession, byItself, asTransaction, (*Machine).createSession, nil},
	{OpError, "error", "NA", nil, nil,
		0, noEffect, byItself, atServer, (*Machine).refuse, nil},
	{OpNotification, "notification", "NA", nil, nil,
		0, noEffect, byItself, atServer, (*Machine).refuse, nil},
	{OpCreate, "create", "CREA", fields(field.NewPath, field.Data, field.ACL, field.Flags), fields(field.Path),
		acl.Create, EffectCreate, inMulti, asTransaction, (*Machine).write, (*Machine).create},
	{OpDelete, "delete", "DELE", fields(field.NullablePath, field.Version), nil,
		acl.Delete, EffectDelete, inMulti, asTransaction, (*Machine).write, (*Machine).delete},
	{OpExists, "exists", "EXIS", fields(field.Path, field.Watch), fields(field.Stat),
		acl.Read, noEffect, byItself, atServer, (*Machine).exists, nil},
	{OpGetData, "getData", "GETD", fields(field.Path, field.Watch), fields(field.Data, field.Stat),
		acl.Read, noEffect, inMultiRead, atServer, (*Machine).getData, nil},
	{OpSetData, "setData", "SETD", fields(field.NullablePath, field.Data, field.Version), fields(field.Stat),
		acl.Write, EffectData, inMulti, asTransaction, (*Machine).write, (*Machine).setData},
	{OpGetACL, "getACL", "GETA", fields(field.Path), fields(field.ACL, field.Stat),
		acl.Read | acl.Admin, noEffect, byItself, atServer, (*Machine).getACL, nil},
	{OpSetACL, "setACL", "SETA", fields(field.NullablePath, field.ACL, field.Version), fields(field.Stat),
		acl.Admin, effectACL, byItself, asTransaction, (*Machine).write, (*Machine).setACL},
	{OpGetChildren, "getChildren", "GETC", fields(field.Path, field.Watch), fields(field.Children),
		acl.Read, noEffect, inMultiRead, atServer, (*Machine).getChildren, nil},
	{OpSync, "sync", "SYNC", fields(field.EchoedPath), fields(field.EchoedPath),
		0, noEffect, byItself, atLeader, (*Machine).sync, nil},
	{OpPing, "ping", "PING", nil, nil,
		0, noEffect, byItself, atConnection, (*Machine).ping, nil},
	{OpGetChildren2, "getChildren2", "GETC", fields(field.Path, field.Watch), fields(field.Children, field.Stat),
		acl.Read, noEffect, byItself, atServer, (*Machine).getChildren, nil},
	{OpCheck, "check", "CHEC", fields(field.NullablePath, field.Version), nil,
		acl.Read, noEffect, inMulti, atLeader, (*Machine).bareCheck, (*Machine).check},
	{OpMulti, "multi", "MULT", fields(field.Ops), fields(field.Results),
		0, noEffect, byItself, asTransaction, (*Machine).multi, nil},
	{OpCreate2, "create2", "CREA", fields(field.NewPath, field.Data, field.ACL, field.Flags), fields(field.Path, field.Stat),
		acl.Create, EffectCreate, inMulti, asTransaction, (*Machine).write, (*Machine).create},
	{OpReconfig, "reconfig", "RECO", fields(field.Membership), fields(field.Data, field.Stat),
		0, EffectData, byItself, asTransaction, (*Machine).write, (*Machine).reconfig},
	{OpCheckWatches, "checkWatches", "CHKW", fields(field.Path, field.Mode), nil,
		0, noEffect, byItself, atServer, (*Machine).checkWatches, nil},
	{OpRemoveWatches, "removeWatches", "REMW", fields(field.NullablePath, field.Mode), nil,
		0, noEffect, byItself, atServer, (*Machine).removeWatches, nil},
	{OpCreateContainer, "createContainer", "CREA", fields(field.NewPath, field.Data, field.ACL, field.Flags), fields(field.Path, field.Stat),
		acl.Create, EffectCreate, inMulti, asTransaction, (*Machine).write, (*Machine).create},
	{OpDeleteContainer, "deleteContainer", "DELE", fields(field.NewPath), nil,
		0, EffectDelete, byItself, asTransaction, (*Machine).write, (*Machine).deleteContainer},
	{OpCreateTTL, "createTTL", "CREA", fields(field.NewPath, field.Data, field.ACL, field.Flags, field.TTL), fields(field.Path, field.Stat),
		acl.Create, EffectCreate, inMulti, asTransaction, (*Machine).write, (*Machine).create},
	{OpMultiRead, "multiRead", "MLTR", fields(field.Ops), fields(field.Results),
		0, noEffect, byItself, atServer, (*Machine).multiRead, nil},
	{OpAuth, "auth", "NA", fields(field.Credential), nil,
		0, noEffect, byItself, atConnection, (*Machine).auth, nil},
	{OpSetWatches, "setWatches", "SETW", fields(field.WatchLists), nil,
		0, noEffect, byItself, atServer, (*Machine).setWatches, nil},
	{OpSASL, "sasl", "NA", fields(field.Token), fields(field.Answer),
		0, noEffect, byItself, atConnection, (*Machine).sasl, nil},
	{OpGetEphemerals, "getEphemerals", "GETE", fields(field.NullablePath), fields(field.Paths),
		0, noEffect, byItself, atServer, (*Machine).getEphemerals, nil},
	{OpGetAllChildrenNumber, "getAllChildrenNumber", "GETACN", fields(field.Path), fields(field.Count),
		acl.Read, noEffect, byItself, atServer, (*Machine).getAllChildrenNumber, nil},
	{OpSetWatches2, "setWatches2", "STW2", fields(field.AllWatchLists), nil,
		0, noEffect, byItself, atServer, (*Machine).setWatches, nil},
	{OpAddWatch, "addWatch", "ADDW", fields(field.NullablePath, field.Mode), fields(field.NoError),
		0, noEffect, byItself, atServer, (*Machine).addWatch, nil},
	{OpWhoAmI, "whoAmI", "HOMI", nil, fields(field.Clients),
		0, noEffect, byItself, atServer, (*Machine).whoAmI, nil},
}

func fields(list ...field.Kind) []field.Kind { return list }

// OpCount is the number of operations.
const OpCount = len(operations)

// byNumber maps opcodes to their entries. It is filled by init, because functions in the table use
// byNumber, so an initializer that reads the table would be a cycle.
var byNumber [maxOpCode - minOpCode + 1]*operation

// unknown is the entry for opcodes that are not in the table.
var unknown operation

func init() {
	unknown = operation{word: "NA", place: atServer, handle: (*Machine).refuse}
	for i := range byNumber {
		byNumber[i] = &unknown
	}
	for i := range operations {
		byNumber[operations[i].code-minOpCode] = &operations[i]
	}
}

func (op OpCode) entry() *operation {
	if i := uint32(op - minOpCode); i < uint32(len(byNumber)) {
		return byNumber[i]
	}
	return &unknown
}

// OpCodes lists all operations by number.
func OpCodes() []OpCode {
	codes := make([]OpCode, OpCount)
	for i := range operations {
		codes[i] = operations[i].code
	}
	return codes
}

// logNames holds the operations' names in logs, by number.
var logNames = func() (names [maxOpCode - minOpCode + 1]string) {
	for i := range operations {
		names[operations[i].code-minOpCode] = "zookeeper." + operations[i].name
	}
	return names
}()

// LogName returns the operation's name in logs, such as "zookeeper.create".
func (op OpCode) LogName() string {
	if i := uint32(op - minOpCode); i < uint32(len(logNames)) && logNames[i] != "" {
		return logNames[i]
	}
	return "zookeeper." + op.String()
}

func (op OpCode) String() string {
	if name := op.entry().name; name != "" {
		return name
	}
	return fmt.Sprintf("OpCode(%d)", int32(op))
}

// RequestFields lists the fields of a request's body, in order. The caller must not change the
// slice.
func (op OpCode) RequestFields() []field.Kind { return op.entry().request }

// ReplyFields lists the fields of a reply's body, in order. A reply with an error has no body. The
// caller must not change the slice.
func (op OpCode) ReplyFields() []field.Kind { return op.entry().reply }

// Writes reports whether the operation is a transaction, which takes a zxid.
func (op OpCode) Writes() bool { return op.entry().place == asTransaction }

// Reads reports whether the operation reads a znode or its children at the client's own server, and
// does nothing else.
func (op OpCode) Reads() bool {
	e := op.entry()
	return e.place == atServer && e.needs&acl.Read != 0
}

// Touches reports whether a request with this opcode keeps its session alive. Authentication does
// not (ZK-3.2, ZooKeeperServer.java processPacket).
func (op OpCode) Touches() bool { return op != OpAuth && op != OpSASL }

// NeedsLeader reports whether a follower forwards a request with this opcode to its leader.
func (op OpCode) NeedsLeader() bool { return op.entry().place >= atLeader }

// Nests reports whether the operation may occur in a multi or in a multiRead.
func (op OpCode) Nests() bool { return op.entry().nests != byItself }

// Effect returns what the operation does if it succeeds. Reads have no effect.
func (op OpCode) Effect() Effect { return op.entry().effect }

func (o *operation) takes(f field.Kind) bool { return has(o.request, f) }

func (o *operation) replies(f field.Kind) bool { return has(o.reply, f) }

func has(list []field.Kind, f field.Kind) bool {
	return slices.ContainsFunc(list, func(one field.Kind) bool { return one == f })
}

// permitted reports whether the connection has the permission on n that the operation needs.
func (m *Machine) permitted(c *Conn, n *znode, op OpCode) bool {
	return m.allowed(c, n.acl, op.entry().needs)
}
