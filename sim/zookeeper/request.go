package zookeeper

import (
	"cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// Code is an error code of the protocol (ZK-10.2); 0 is success.
type Code = zkerrors.Code

// These codes are not named in package env, because clients of this project never see them.
const (
	CodeOK               Code = 0
	CodeNotReadOnly      Code = -119
	CodeNoWatcher        Code = -121
	CodeReconfigDisabled Code = -123
)

// Short names for codes.
const (
	marshallingError        = zkerrors.MarshallingError
	unimplemented           = zkerrors.Unimplemented
	badArguments            = zkerrors.BadArguments
	noNode                  = zkerrors.NoNode
	noAuth                  = zkerrors.NoAuth
	badVersion              = zkerrors.BadVersion
	noChildrenForEphemerals = zkerrors.NoChildrenForEphemeral
	nodeExists              = zkerrors.NodeExists
	notEmpty                = zkerrors.NotEmpty
	invalidACL              = zkerrors.InvalidACL
	authFailed              = zkerrors.AuthFailed
	sessionExpired          = zkerrors.SessionExpired
)

// quotaExceeded is returned only by servers that enforce quotas (Config.EnforceQuota).
const quotaExceeded Code = -125

// newConfigNoQuorum is returned for a reconfig whose voters do not follow the leader (ZK-24.6).
const newConfigNoQuorum Code = -13

var codeNames = map[Code]string{
	CodeOK: "OK", CodeNotReadOnly: "NotReadOnly", CodeNoWatcher: "NoWatcher", CodeReconfigDisabled: "ReconfigDisabled",
	newConfigNoQuorum: "NewConfigNoQuorum", quotaExceeded: "QuotaExceeded",
}

// CodeName returns the name of a code for logs and comparisons.
func CodeName(c Code) string { return cmp.Or(codeNames[c], c.String()) }

// Stat holds the metadata of a znode, such as its zxids and versions.
type Stat = env.Stat

// These are short names for event types.
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
	flagContainer               int32 = 4
	FlagTTL                     int32 = 5
	flagPersistentSequentialTTL int32 = 6
)

// Modes of addWatch (ZK-7.7).
const (
	ModePersistent          int32 = 0
	ModePersistentRecursive int32 = 1
)

// These are the watch types of checkWatches and removeWatches (ZK-7.9). The last two exist from 3.9
// on.
const (
	watchTypeChildren            int32 = 1
	watchTypeData                int32 = 2
	watchTypeAny                 int32 = 3
	watchTypePersistent          int32 = 4
	watchTypePersistentRecursive int32 = 5
)

// ConnID identifies a connection. The caller chooses it and must never reuse it.
type ConnID uint64

// Request is any request except the first one of a connection. Op determines which fields are used;
// others are ignored. The machine keeps Data and never changes it. Callers must not change it
// either.
type Request struct {
	// Xid is a number chosen by the client, which the reply repeats.
	Xid int32
	Op  OpCode
	// Path is the znode's path, or for getEphemerals a prefix. NullPath means that the path was
	// null; Path is then "".
	Path     string
	NullPath bool
	// Data is the data of a create or set (nil is distinct from empty, ZK-5.7), or the credential
	// of an auth.
	Data []byte
	// Version is the expected version for delete, setData, setACL and check; -1 matches any.
	Version int32
	// Flags determine which kind of znode a create makes.
	Flags int32
	// Watch sets a watch, for exists, getData, getChildren and getChildren2.
	Watch bool
	// Blocks asks for the children's names in Reply.Names instead of Children. It is not sent on
	// the wire.
	Blocks bool
	// Mode is the mode of addWatch, or the type of checkWatches and removeWatches.
	Mode int32
	// TTLMs is the time to live of createTTL in ms. TimeoutMs is the session timeout of
	// createSession.
	TTLMs     int64
	TimeoutMs int32
	// ACL is the access control list of a create or setACL; nil is null. acl.Null stands for a null
	// scheme or ID in it.
	ACL []acl.Entry
	// Scheme is the authentication scheme of an auth request.
	Scheme string
	// Ops holds the operations of a multi or multiRead.
	Ops []Request
	// Membership is the change of a reconfig; nil means no change.
	Membership *members.Change
	// Watches holds the lists of setWatches and setWatches2; nil means empty lists.
	Watches *WatchLists
	// Malformed marks a body that cannot be decoded, or a read that has a null where the server
	// needs a string. The answer is -5. On 3.8 a malformed write still uses up its zxid. In a
	// malformed multi, Ops holds only the operations before the one that cannot be decoded.
	Malformed bool
	// Pipelined means that the request arrived before the previous request was answered, so that
	// both are in progress together (ZK-5.2). It is not sent on the wire.
	Pipelined bool
}

// WatchLists lists the watches that a client had before it reconnected (ZK-7.5, ZK-7.6).
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
	// SessionID is the session to attach to; 0 requests a new session.
	SessionID int64
	// Password is the session's password. It is not used for a new session.
	Password []byte
	// HasReadOnly says whether the request has a readOnly byte. The response then has one too.
	HasReadOnly bool
	// ReadOnly is the value of the readOnly byte: the client accepts a read-only server.
	ReadOnly bool
	// RemoteIP is the address of the client, for ACLs of scheme ip. It is not part of the message.
	RemoteIP string
}
