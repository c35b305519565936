package history

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Operation is an answered request with its answer.
type Operation struct {
	Client int
	// Op is OpCreate, OpSetData, OpDelete or OpGetData.
	Op   zookeeper.OpCode
	Path string
	// Synced is true if a sync was sent right before a read. Call is then the time of the sync.
	Synced bool
	// Expected is the version that a set or delete expects; -1 means any.
	Expected int32
	// Value is the value that was written or read.
	Value string
	// Version is the znode's version in the answer to a set or get.
	Version int32
	Code    zookeeper.Code
	// Zxid is the zxid in the answer. For a write it is the zxid of the write itself. For a read it
	// is the zxid of the last write that the read saw.
	Zxid int64
	// Call and Return are the times of request and answer, counted from the start of the history.
	Call, Return time.Duration
}

// History holds the operations of all clients. The operations of each client are in the
// order in which it did them.
type History []Operation

func (o *Operation) writes() bool { return o.Op != zookeeper.OpGetData }

// String writes the operation on one line: client, request, answer, and both times.
func (o *Operation) String() string {
	s := fmt.Sprintf("client %d at %v..%v: %s %s", o.Client, o.Call, o.Return, o.Op, o.Path)
	if o.Synced {
		s += " after sync"
	}
	if o.Op == zookeeper.OpSetData || o.Op == zookeeper.OpDelete {
		s += fmt.Sprintf(" if version %d", o.Expected)
	}
	if o.Op != zookeeper.OpDelete {
		s += fmt.Sprintf(" %q", o.Value)
	}
	return s + fmt.Sprintf(": %s, version %d, zxid %#x", zookeeper.CodeName(o.Code), o.Version, o.Zxid)
}
