package datadir

import (
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Transaction is one record of a log.
type Transaction struct {
	// File is the log, Record its number there, from 1, and Offset its first byte.
	File   string
	Record int
	Offset int

	// Session asked for it, or is what it begins or ends.
	Session int64
	Cxid    int32
	Zxid    int64
	TimeMs  int64
	Change
	// Digest is that of the tree after it; nil in logs of servers that have none.
	Digest *Digest
}

// Change is what a transaction, or one of a multi's operations, does. Op tells which fields it has.
type Change struct {
	Op   zookeeper.OpCode
	Path string
	Data []byte
	ACL  []acl.Entry
	// Ephemeral and TTLMs tell what a create makes. Creates is the internal cversion of the parent
	// afterwards, -1 in logs of very old servers.
	Ephemeral bool
	TTLMs     int64
	Creates   int32
	// Version is the version of data or ACL afterwards. Of a check it is one more than what it wants.
	Version int32
	// TimeoutMs is that of a session that begins, Gone the ephemerals of one that ends.
	TimeoutMs int32
	Gone      []string
	// Code is that of an error.
	Code zookeeper.Code
	// Ops are the operations of a multi.
	Ops []Change
}

// Digest is the sum of the digests of all znodes but those below /zookeeper (DigestCalculator.java).
type Digest struct {
	Version int32
	Value   int64
}

// digestVersion is that of the digests which are computed here, as of servers since 3.6.
const digestVersion = 2

// transaction decodes the bytes of a record (SerializeUtils.java deserializeTxn).
func transaction(b []byte) (t Transaction, err error) {
	r := &reader{all: b}
	t = Transaction{Session: r.int64("a session"), Cxid: r.int32("a cxid"), Zxid: r.int64("a zxid"), TimeMs: r.int64("a time")}
	t.Op = zookeeper.OpCode(r.int32("a type"))
	if r.err != nil {
		return t, r.err
	}
	t.read(r, t.Op)
	if r.err == nil && r.left() >= 12 {
		t.Digest = &Digest{Version: r.int32("the version of a digest"), Value: r.int64("a digest")}
	}
	return t, r.err
}

// read decodes the rest of an operation.
func (c *Change) read(r *reader, op zookeeper.OpCode) {
	c.Op = op
	switch op {
	case zookeeper.OpCreate, zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
		c.readCreate(r)
	case zookeeper.OpDelete, zookeeper.OpDeleteContainer:
		c.Path = r.string("a path")
	case zookeeper.OpSetData, zookeeper.OpReconfig:
		c.Path, c.Data, c.Version = r.string("a path"), r.buffer("data"), r.int32("a version")
	case zookeeper.OpSetACL:
		c.Path, c.ACL, c.Version = r.string("a path"), r.acl(), r.int32("a version")
	case zookeeper.OpCheck:
		c.Path, c.Version = r.string("a path"), r.int32("a version")
	case zookeeper.OpCreateSession:
		c.TimeoutMs = r.int32("a timeout")
	case zookeeper.OpCloseSession:
		if r.left() == 0 {
			return // of a server before 3.6, which deletes what it knows as the session's
		}
		c.Gone = make([]string, r.count("paths", 4))
		for i := range c.Gone {
			c.Gone[i] = r.string("a path")
		}
	case zookeeper.OpError:
		c.Code = zookeeper.Code(r.int32("a code"))
	case zookeeper.OpMulti:
		c.readMulti(r)
	default:
		r.fail("found a transaction of type %d, which no server reads", op)
	}
}

func (c *Change) readCreate(r *reader) {
	c.Path, c.Data, c.ACL = r.string("a path"), r.buffer("data"), r.acl()
	if c.Op == zookeeper.OpCreate || c.Op == zookeeper.OpCreate2 {
		c.Ephemeral = r.bool("whether it is an ephemeral")
	}
	if r.err == nil && r.left() == 0 && c.Op == zookeeper.OpCreate {
		c.Creates = -1 // of a server before 3.4 (CreateTxnV0)
		return
	}
	c.Creates = r.int32("the parent's cversion")
	if c.Op == zookeeper.OpCreateTTL {
		c.TTLMs = r.int64("a time to live")
	}
}

// readMulti decodes the operations of a multi. One that has failed has done nothing, so of it only
// the errors count (DataTree.java processTxn).
func (c *Change) readMulti(r *reader) {
	c.Ops = make([]Change, r.count("operations", 8))
	failed := false
	for i := range c.Ops {
		op := zookeeper.OpCode(r.int32("a type"))
		at := r.at + 4
		one := &reader{all: r.buffer("an operation")}
		if r.err != nil {
			return
		}
		switch op {
		case zookeeper.OpMulti, zookeeper.OpReconfig, zookeeper.OpSetACL, zookeeper.OpCreateSession, zookeeper.OpCloseSession:
			one.fail("found a transaction of type %d in a multi, which no server reads", op)
		default:
			c.Ops[i].read(one, op)
		}
		if one.err != nil {
			r.at = at
			r.fail("operation %d of a multi: %v", i+1, one.err)
			return
		}
		failed = failed || op == zookeeper.OpError
	}
	if failed {
		for i := range c.Ops {
			if op := &c.Ops[i]; op.Op != zookeeper.OpError {
				*op = Change{Op: zookeeper.OpError}
			}
		}
	}
}
