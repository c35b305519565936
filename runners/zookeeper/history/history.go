package history

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Operation is a request that was answered.
type Operation struct {
	Client int
	// Op is OpCreate, OpSetData, OpDelete or OpGetData.
	Op   zookeeper.OpCode
	Path string
	// Synced says that a sync was sent right before a read. Call is then the sync's.
	Synced bool
	// Expected is the version that a set or delete wants; -1 is any.
	Expected int32
	// Value is what was written or read.
	Value string
	// Version is the znode's that a set or get was told.
	Version int32
	Code    zookeeper.Code
	// Zxid is the answer's: a write's own, and the last one that a read saw.
	Zxid int64
	// Call and Return are when it was sent and answered, since the history began.
	Call, Return time.Duration
}

// History is what all clients did, each client's operations in their order.
type History []Operation

func (o *Operation) writes() bool { return o.Op != zookeeper.OpGetData }

// String is the operation on one line: who, what, the answer, and from when to when.
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
