// Package field names the fields of ZooKeeper's requests and replies (ZK-1). The table of opcodes
// (sim/zookeeper/opcodes.go) lists them for each body, in the order of the wire.
//
// Two things to use first: [Kind], and zookeeper.OpCode's RequestFields and ReplyFields, which
// list the kinds of a body in order. To add a kind, add a constant here, and its reading and
// writing in sim/zookeeper/wire, where a test finds kinds without them.
//
// Unstable: any commit may change it.
package field

// Kind is one field of a body. Path, EchoedPath, Data and ACL occur in requests and replies. Of the others,
// those up to Membership occur in requests.
type Kind uint8

// These are the kinds, named after the fields of Request and Reply that they fill.
const (
	Path Kind = iota
	// NewPath is the Path of a znode to be created.
	NewPath
	// NullablePath is a Path where null means the empty string.
	NullablePath
	// EchoedPath is a Path that may be null, and comes back as it is.
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
	// WatchLists is the first three lists of Watches, AllWatchLists all five.
	WatchLists
	AllWatchLists
	// Credential is a type that no server checks, then Scheme and Data.
	Credential
	// Token is Data that must not be null.
	Token
	// Membership is the change that a reconfig requests.
	Membership
	Stat
	Children
	// Paths is Children with whole paths instead of names.
	Paths
	Count
	Clients
	Results
	// NoError is an error code in the body, always 0, besides that of the header.
	NoError
	// Answer is Data that is a token, or null.
	Answer
	// Kinds is the number of kinds.
	Kinds
)
