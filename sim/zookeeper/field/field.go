// Package field names what the bodies of ZooKeeper's requests and replies are made of
// (ZK-1): the words in which the table of opcodes (sim/zookeeper/opcodes.go) says how
// each looks on the wire.
//
// Two things to use first: [Kind], and zookeeper.OpCode's RequestFields and ReplyFields,
// which list the kinds of a body in order. A new kind is a line here, and what reads and
// writes it in sim/zookeeper/wire, where a test walks the table for what has none.
package field

// Kind is one field of a body. Path, Data and ACL are those of a zookeeper.Request or of
// a zookeeper.Reply; of the others, those up to Membership are a request's.
type Kind uint8

// The kinds, named after the fields of Request and Reply that they fill.
const (
	Path Kind = iota
	// NewPath is Path where it names what is yet to be.
	NewPath
	// NullablePath is Path where null is read as the empty string.
	NullablePath
	// LonePath is Path, and anything else is no path but not malformed either.
	LonePath
	Data
	ACL
	Flags
	TTL
	Version
	Watch
	Mode
	Ops
	// WatchLists are the first three lists of Watches, AllWatchLists all five.
	WatchLists
	AllWatchLists
	// Credential is Scheme and Data, after a type that no server looks at.
	Credential
	// Token is Data that must not be null.
	Token
	// Membership is what a reconfig asks for.
	Membership
	Stat
	Children
	// Paths is Children where they are whole paths.
	Paths
	Count
	Clients
	Results
	// NoError is an error code besides that of the header, always 0.
	NoError
	// NoToken is a token that is always null.
	NoToken
	// Kinds is how many kinds there are.
	Kinds
)
