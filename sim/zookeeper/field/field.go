// Package field names the fields of ZooKeeper's requests and replies (ZK-1). The table of opcodes
// (sim/zookeeper/opcodes.go) lists them for each body, in the order of the wire.
//
// Two things to use first: [Kind], and zookeeper.OpCode's RequestFields and ReplyFields, which
// list the kinds of a body in order. To add a kind, add a constant here, and its reading and
// writing in sim/zookeeper/wire, where a test finds kinds without them.
//
// Unstable: any commit may change it.
package field

// Kind is a field of the body of a request or reply. Path, EchoedPath, Data and ACL occur in both.
// Of the other kinds, those up to Membership occur in requests, and later ones in replies.
type Kind uint8

// A kind is named after the field of Request or Reply that it fills.
const (
	Path Kind = iota
	// NewPath is the Path of a znode that the request creates. It may be null.
	NewPath
	// NullablePath is a Path that may be null.
	NullablePath
	// EchoedPath is a Path that may be null and is returned unchanged in the reply.
	EchoedPath
	Data
	ACL
	Flags
	TTL
	Timeout
	Version
	Watch
	Mode
	Ops
	// WatchLists holds the first three lists of Watches, and AllWatchLists all five.
	WatchLists
	AllWatchLists
	// Credential is a type number, which no server checks, followed by Scheme and Data.
	Credential
	// Token is a SASL token in Data, which must not be null.
	Token
	// Membership is the change that a reconfig requests.
	Membership
	Stat
	Children
	// Paths is the field Children with full paths instead of names.
	Paths
	Count
	Clients
	Results
	// NoError is an error code in the body, in addition to the code in the header. It is always 0.
	NoError
	// Answer is a SASL token in Data, or null.
	Answer
	// Kinds is the number of kinds.
	Kinds
)
