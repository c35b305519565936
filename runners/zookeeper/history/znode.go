package history

import (
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper"
)

// znode is the modelled state of one znode. The replay by zxid and the search for a linear order
// both use it. The zero value is a missing znode.
type znode struct {
	exists  bool
	version int32
	value   string
}

// after returns the znode after the operation. answered is true if the recorded answer is the right
// one for the znode as it was before the operation.
func (z znode) after(o *Operation) (next znode, answered bool) {
	if code := z.code(o); code != zookeeper.CodeOK {
		return z, o.Code == code
	}
	next = z
	switch o.Op {
	case zookeeper.OpCreate:
		next = znode{exists: true, value: o.Value}
	case zookeeper.OpDelete:
		next = znode{}
	case zookeeper.OpSetData:
		next = znode{exists: true, version: z.version + 1, value: o.Value}
	}
	answered = o.Code == zookeeper.CodeOK
	switch o.Op {
	case zookeeper.OpSetData, zookeeper.OpGetData:
		answered = answered && o.Version == next.version && o.Value == next.value
	}
	return next, answered
}

// code is the answer's.
func (z znode) code(o *Operation) zookeeper.Code {
	switch {
	case o.Op == zookeeper.OpCreate && z.exists:
		return zkerrors.NodeExists
	case o.Op == zookeeper.OpCreate:
		return zookeeper.CodeOK
	case !z.exists:
		return zkerrors.NoNode
	case o.Op != zookeeper.OpGetData && o.Expected != -1 && o.Expected != z.version:
		return zkerrors.BadVersion
	}
	return zookeeper.CodeOK
}
