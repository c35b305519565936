package zookeeper

import (
	"fmt"

	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// OpCode is the type of a request, by the protocol's numbers (ZK-10.1).
type OpCode int32

// The operations. OpError is the type of a failed record of a multi.
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

// The range of opcodes, for tables indexed by opcode.
const (
	minOpCode = OpCloseSession
	maxOpCode = OpWhoAmI
)

// operation is all there is to know of an opcode but what its functions do. The table
// below has one entry for each, and nothing else in the machine, in sim/zookeeper/wire
// or in runners/zookeeper/diff lists opcodes to tell them apart by one of these aspects.
//
// A new opcode is its constant, its entry, and its function; a field that no other body
// has is a line in package field besides. Entries are written without
// names of fields, so that one without some aspect does not compile. Nor does the
// generator of random scripts (runners/zookeeper/diff/inventions.go) before it says how
// often it asks for the new one. A constant without an entry fails a test.
type operation struct {
	code OpCode
	// name is that of logs and of SPEC.md; word that of the four-letter word cons
	// (FinalRequestProcessor.java), which says NA for what clients do not ask for.
	name, word string
	// request and reply are the fields of the bodies, in the order of the wire. A write
	// that succeeds answers with the path and the stat of its znode where its reply has
	// them.
	request, reply []field.Kind
	// needs are the permissions one of which the client must have: on the parent for
	// what creates and deletes, else on the znode; 0 asks for none.
	needs  acl.Perm
	effect Effect
	nests  nesting
	place  place
	// handle does a request, from what goes before the reply to the reply.
	handle func(*Machine, *Conn, *Request)
	// apply does what handle or a multi wants of the tree, and tells nobody; nil for
	// what takes no zxid and no place in a multi.
	apply func(m *Machine, c *Conn, req *Request, inMulti bool) outcome
}

// place says who does an operation, and when.
type place uint8

const (
	// atConnection is whoever reads the connection, before anything waits in a queue. A
	// body that cannot be read ends the connection (ZooKeeperServer.java:1597).
	atConnection place = iota + 1
	// atServer is the server that the client is connected to, from what it knows.
	atServer
	// atLeader is the leader, without a zxid, but for a check that fails (ZK-1.7).
	atLeader
	// asTransaction is the leader too, and takes a zxid.
	asTransaction
)

// nesting says what an operation may stand in besides by itself.
type nesting uint8

const (
	byItself nesting = iota
	inMulti
	inMultiRead
)

// Effect says what a write does when it succeeds, to whoever follows writes.
type Effect uint8

// The effects. Operations that are no writes have none, nor has a multi but by what it
// holds.
const (
	noEffect Effect = iota
	// EffectSession begins or ends Write.Session.
	EffectSession
	// EffectCreate and EffectDelete make and remove the znode Write.Path.
	EffectCreate
	EffectDelete
	// EffectData and EffectACL replace a part of it.
	EffectData
	EffectACL
)

// operations is the table, by number. An entry's first line has what is said of the
// operation (code, name, word, request, reply), its second what is done (needs, effect,
// nests, place, handle, apply).
var operations = [...]operation{
	{OpCloseSession, "closeSession", "CLOS", nil, nil,
		0, EffectSession, byItself, asTransaction, (*Machine).closeSession, nil},
	{OpCreateSession, "createSession", "NA", nil, nil,
		0, EffectSession, byItself, asTransaction, (*Machine).write, (*Machine).createSession},
	{OpError, "error", "NA", nil, nil,
		0, noEffect, byItself, atServer, (*Machine).refuse, nil},
	{OpNotification, "notification", "NA", nil, nil,
		0, noEffect, byItself, atServer, (*Machine).refuse, nil},
	{OpCreate, "create", "CREA", fields(field.NewPath, field.Data, field.ACL, field.Flags), fields(field.Path),
		acl.Create, EffectCreate, inMulti, asTransaction, (*Machine).write, (*Machine).create},
	{OpDelete, "delete", "DELE", fields(field.Path, field.Version), nil,
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
		acl.Admin, EffectACL, byItself, asTransaction, (*Machine).write, (*Machine).setACL},
	{OpGetChildren, "getChildren", "GETC", fields(field.Path, field.Watch), fields(field.Children),
		acl.Read, noEffect, inMultiRead, atServer, (*Machine).getChildren, nil},
	{OpSync, "sync", "SYNC", fields(field.Path), fields(field.Path),
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
	{OpDeleteContainer, "deleteContainer", "DELE", fields(field.LonePath), nil,
		0, EffectDelete, byItself, asTransaction, (*Machine).write, (*Machine).deleteContainer},
	{OpCreateTTL, "createTTL", "CREA", fields(field.NewPath, field.Data, field.ACL, field.Flags, field.TTL), fields(field.Path, field.Stat),
		acl.Create, EffectCreate, inMulti, asTransaction, (*Machine).write, (*Machine).create},
	{OpMultiRead, "multiRead", "MLTR", fields(field.Ops), fields(field.Results),
		0, noEffect, byItself, atServer, (*Machine).multiRead, nil},
	{OpAuth, "auth", "NA", fields(field.Credential), nil,
		0, noEffect, byItself, atConnection, (*Machine).auth, nil},
	{OpSetWatches, "setWatches", "SETW", fields(field.WatchLists), nil,
		0, noEffect, byItself, atServer, (*Machine).setWatches, nil},
	{OpSASL, "sasl", "NA", fields(field.Token), fields(field.NoToken),
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

// OpCount is how many operations there are.
const OpCount = len(operations)

// byNumber finds the entry of an opcode. It is filled at start, since the functions of the
// table look things up in it.
var byNumber [maxOpCode - minOpCode + 1]*operation

// unknown stands for opcodes that are not in the table.
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

// logNames holds the names in logs of what happened, by number.
var logNames = func() (names [maxOpCode - minOpCode + 1]string) {
	for i := range operations {
		names[operations[i].code-minOpCode] = "zookeeper." + operations[i].name
	}
	return names
}()

// LogName returns what a log of what happened calls the operation: "zookeeper.create".
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

// Word returns how the four-letter word cons calls the operation (ZK-11).
func (op OpCode) Word() string { return op.entry().word }

// RequestFields lists the fields of a request's body, in order. The slice must not be
// changed.
func (op OpCode) RequestFields() []field.Kind { return op.entry().request }

// ReplyFields lists the fields of a reply's body, in order. A reply that is an error has
// no body. The slice must not be changed.
func (op OpCode) ReplyFields() []field.Kind { return op.entry().reply }

// Writes reports whether the operation takes a zxid.
func (op OpCode) Writes() bool { return op.entry().place == asTransaction }

// NeedsLeader reports whether a follower hands a request with the opcode on to its
// leader.
func (op OpCode) NeedsLeader() bool { return op.entry().place >= atLeader }

// Nests reports whether the operation may stand in a multi or in a multiRead.
func (op OpCode) Nests() bool { return op.entry().nests != byItself }

// Effect returns what the operation does when it is a write that succeeds.
func (op OpCode) Effect() Effect { return op.entry().effect }

func (o *operation) takes(f field.Kind) bool { return has(o.request, f) }

func (o *operation) replies(f field.Kind) bool { return has(o.reply, f) }

func has(list []field.Kind, f field.Kind) bool {
	for _, one := range list {
		if one == f {
			return true
		}
	}
	return false
}

// permitted reports whether the connection has what the operation needs on n.
func (m *Machine) permitted(c *Conn, n *znode, op OpCode) bool {
	return m.allowed(c, n.acl, op.entry().needs)
}
