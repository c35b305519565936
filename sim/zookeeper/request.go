package zookeeper

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
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

var opNames = [maxOpCode - minOpCode + 1]string{
	OpCloseSession - minOpCode:         "closeSession",
	OpCreateSession - minOpCode:        "createSession",
	OpError - minOpCode:                "error",
	OpNotification - minOpCode:         "notification",
	OpCreate - minOpCode:               "create",
	OpDelete - minOpCode:               "delete",
	OpExists - minOpCode:               "exists",
	OpGetData - minOpCode:              "getData",
	OpSetData - minOpCode:              "setData",
	OpGetACL - minOpCode:               "getACL",
	OpSetACL - minOpCode:               "setACL",
	OpGetChildren - minOpCode:          "getChildren",
	OpSync - minOpCode:                 "sync",
	OpPing - minOpCode:                 "ping",
	OpGetChildren2 - minOpCode:         "getChildren2",
	OpCheck - minOpCode:                "check",
	OpMulti - minOpCode:                "multi",
	OpCreate2 - minOpCode:              "create2",
	OpReconfig - minOpCode:             "reconfig",
	OpCheckWatches - minOpCode:         "checkWatches",
	OpRemoveWatches - minOpCode:        "removeWatches",
	OpCreateContainer - minOpCode:      "createContainer",
	OpDeleteContainer - minOpCode:      "deleteContainer",
	OpCreateTTL - minOpCode:            "createTTL",
	OpMultiRead - minOpCode:            "multiRead",
	OpAuth - minOpCode:                 "auth",
	OpSetWatches - minOpCode:           "setWatches",
	OpSASL - minOpCode:                 "sasl",
	OpGetEphemerals - minOpCode:        "getEphemerals",
	OpGetAllChildrenNumber - minOpCode: "getAllChildrenNumber",
	OpSetWatches2 - minOpCode:          "setWatches2",
	OpAddWatch - minOpCode:             "addWatch",
	OpWhoAmI - minOpCode:               "whoAmI",
}

func (op OpCode) String() string {
	if op >= minOpCode && op <= maxOpCode && opNames[op-minOpCode] != "" {
		return opNames[op-minOpCode]
	}
	return fmt.Sprintf("OpCode(%d)", int32(op))
}

// Code is an error code of the protocol (ZK-10.2); 0 is success.
type Code = env.ZooKeeperCode

// The codes that env does not name because clients of this project never see
// them.
const (
	CodeOK               Code = 0
	CodeNotReadOnly      Code = -119
	CodeNoWatcher        Code = -121
	CodeReconfigDisabled Code = -123
	CodeQuotaExceeded    Code = -125
)

// The codes in short form.
const (
	marshallingError        = env.ZKMarshallingError
	unimplemented           = env.ZKUnimplemented
	badArguments            = env.ZKBadArguments
	noNode                  = env.ZKNoNode
	noAuth                  = env.ZKNoAuth
	badVersion              = env.ZKBadVersion
	noChildrenForEphemerals = env.ZKNoChildrenForEphemeral
	nodeExists              = env.ZKNodeExists
	notEmpty                = env.ZKNotEmpty
	invalidACL              = env.ZKInvalidACL
	authFailed              = env.ZKAuthFailed
	sessionExpired          = env.ZKSessionExpired
)

// CodeName names a code for a log or a diff.
func CodeName(c Code) string {
	switch c {
	case CodeOK:
		return "OK"
	case CodeNotReadOnly:
		return "NotReadOnly"
	case CodeNoWatcher:
		return "NoWatcher"
	case CodeReconfigDisabled:
		return "ReconfigDisabled"
	case CodeQuotaExceeded:
		return "QuotaExceeded"
	}
	return c.String()
}

// Stat is the stat of a znode.
type Stat = env.Stat

// EventType is the type of a watch event.
type EventType = env.EventType

// The event types, short.
const (
	created  = env.EventCreated
	deleted  = env.EventDeleted
	changed  = env.EventChanged
	children = env.EventChildrenChanged
)

// Reserved xids (ZK-10.3).
const (
	XidNotification int32 = -1
	XidPing         int32 = -2
	XidAuth         int32 = -4
	XidSetWatches   int32 = -8
)

// Create flags (ZK-5.9).
const (
	FlagPersistent              int32 = 0
	FlagEphemeral               int32 = 1
	FlagPersistentSequential    int32 = 2
	FlagEphemeralSequential     int32 = 3
	FlagContainer               int32 = 4
	FlagTTL                     int32 = 5
	FlagPersistentSequentialTTL int32 = 6
)

// Modes of addWatch (ZK-7.7).
const (
	ModePersistent          int32 = 0
	ModePersistentRecursive int32 = 1
)

// Types of checkWatches and removeWatches (ZK-7.9). The last two exist from 3.9
// on.
const (
	WatchTypeChildren            int32 = 1
	WatchTypeData                int32 = 2
	WatchTypeAny                 int32 = 3
	WatchTypePersistent          int32 = 4
	WatchTypePersistentRecursive int32 = 5
)

// ConnID names a connection. The caller chooses it and never uses one twice.
type ConnID uint64

// Request is any request but the first one of a connection. Which fields count
// depends on Op; the others are ignored. The machine keeps Data and never
// changes it: neither may the caller.
type Request struct {
	// Xid is echoed in the reply.
	Xid int32
	Op  OpCode
	// Path is the znode; for getEphemerals the prefix.
	Path string
	// Data is the data of a create or set (nil is distinct from empty, ZK-5.7)
	// and the credential of an auth.
	Data []byte
	// Version must match for delete, setData, setACL and check; -1 matches any.
	Version int32
	// Flags say what a create makes.
	Flags int32
	// Watch leaves a watch: exists, getData, getChildren, getChildren2.
	Watch bool
	// Mode is the mode of addWatch and the type of checkWatches and removeWatches.
	Mode int32
	// TTLMs is the time to live of createTTL.
	TTLMs int64
	ACL   []ACL
	// Scheme is the scheme of an auth.
	Scheme string
	// Ops are the operations of a multi or multiRead.
	Ops []Request
	// Watches are the lists of setWatches and setWatches2; nil means empty ones.
	Watches *WatchLists
	// Malformed says that the body could not be decoded. The answer is -5, and a
	// write burns its zxid all the same.
	Malformed bool
	// scratch, when set, is where a simulated server leaves the reply.
	scratch *Reply
	// known, when set, is what is known of Path.
	known *knownPath
	// latency, when set, is what the latency of a ping and its answer is drawn from.
	latency *vtime.Source
	// before is when the client gives up on the answer to a ping.
	before time.Duration
}

// WatchLists are what a client watched before it reconnected (ZK-7.5, ZK-7.6).
type WatchLists struct {
	// RelativeZxid is the last zxid that the client has seen.
	RelativeZxid        int64
	Data, Exist, Child  []string
	Persistent          []string
	PersistentRecursive []string
}

// ConnectRequest is the first request of a connection (ZK-2.1).
type ConnectRequest struct {
	LastZxidSeen int64
	TimeoutMs    int32
	// SessionID is the session to attach to; 0 asks for a new one.
	SessionID int64
	// Password is the session's password; a new session needs none.
	Password []byte
	// HasReadOnly says that the request carried the readOnly byte; the response
	// then carries one too.
	HasReadOnly bool
	// ReadOnly is that byte: a read-only server will do.
	ReadOnly bool
	// RemoteIP is where the connection comes from, for ACLs of scheme ip. It is
	// not part of the message.
	RemoteIP string
}
