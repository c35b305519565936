package datadir

import (
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Transaction is one record of a transaction log.
type Transaction struct {
	// File names the log file. Record is the number of the record in that file, counted from 1.
	// Offset is the offset of the record's first byte.
	File   string
	Record int
	Offset int

	// Session is the session that made the request, or the session that begins or ends.
	Session int64
	Cxid    int32
	Zxid    int64
	TimeMs  int64
	Change
	// Digest is the digest of the tree after the transaction; nil if the server writes no digests
	// to its log.
	Digest *Digest
}

// Change is the effect of a transaction or of one operation in a multi. Op determines which
// other fields are set.
type Change struct {
	Op   zookeeper.OpCode
	Path string
	Data []byte
	ACL  []acl.Entry
	// Ephemeral and TTLMs describe the znode that a create makes. Creates is the parent's internal
	// cversion after the create, -1 in logs of very old servers.
	Ephemeral bool
	TTLMs     int64
	Creates   int32
	// Version is the version of data or ACL after the change. For a check it is the expected
	// version plus one.
	Version int32
	// TimeoutMs is the timeout of a session that begins. Gone lists the ephemerals of a session
	// that ends.
	TimeoutMs int32
	Gone      []string
	// Code is the error code, if Op is an error.
	Code zookeeper.Code
	// Ops are the operations of a multi.
	Ops []Change
}

// Digest is the sum of the digests of all znodes outside /zookeeper (DigestCalculator.java).
type Digest struct {
	Version int32
	Value   int64
}

// digestVersion is the version of the digests that this package computes. Servers use this version
// since 3.6.
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

// read decodes the fields of a change of type op.
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
			return // servers before 3.6 log no paths, and replaying deletes all ephemerals of the session
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
		c.Creates = -1 // a record of a server before 3.4 has no cversion (CreateTxnV0)
		return
	}
	c.Creates = r.int32("the parent's cversion")
	if c.Op == zookeeper.OpCreateTTL {
		c.TTLMs = r.int64("a time to live")
	}
}

// readMulti decodes the operations of a multi. A failed multi has changed nothing, so only
// its errors are kept (DataTree.java processTxn).
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
