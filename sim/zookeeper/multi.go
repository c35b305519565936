package zookeeper

import (
	"slices"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// multi executes all of its operations or none, with one zxid (ZK-8). Later operations see the
// effects of earlier ones. Events are sent after all operations.
func (m *Machine) multi(c *Conn, req *Request) {
	code := marshallingError
	var results []Result
	switch decoded := m.decodes(req); {
	case decoded == refused:
		m.reply(c, req).Err = code
		return
	case decoded == refusedWithZxid, m.cfg.Profile == V39 && hasNullPath(req.Ops):
		m.begin()
	case hasNullPath(req.Ops):
		// 3.8 takes a zxid and fails before it begins the transaction, so the zxid belongs to nothing
		// (ZK-8.6).
		m.lostZxids++
		r := m.reply(c, req)
		r.Err, r.Results = code, []Result{}
		return
	case holds(req.Ops, inMultiRead):
		m.begin()
	default:
		m.begin()
		m.inMulti = true
		results, code = m.applyAll(c, req.Ops)
		m.inMulti = false
	}
	if code != CodeOK {
		m.rollback()
	}
	m.observeMulti(c, req.Ops, results, code)
	m.commit()
	r := m.reply(c, req)
	if code == marshallingError {
		r.Err = code
		return
	}
	// The header says success even if the results say that the multi failed (ZK-8.3).
	r.Results = results
}

// decoding is the result of decoding a multi or multiRead.
type decoding uint8

const (
	decoded decoding = iota
	// refused means that the multi cannot be read and uses no zxid.
	refused
	refusedWithZxid
)

// decodes decodes the operations one after another, as MultiOperationRecord.java does. While
// decoding, 3.9 also checks a create's flags and ACL (ZK-14.8, ZK-14.15). All operations must be
// reads, or all writes.
func (m *Machine) decodes(req *Request) decoding {
	for i := range req.Ops {
		op := &req.Ops[i]
		entry := op.Op.entry()
		if m.cfg.Profile == V39 && entry.effect == EffectCreate && !entry.takes(field.TTL) {
			switch {
			case !validFlags(op.Flags):
				return refusedWithZxid
			case op.ACL == nil:
				return refused
			case ttlFlags(op.Flags):
				return refusedWithZxid
			}
		}
		if entry.nests != req.Ops[0].Op.entry().nests {
			return refusedWithZxid
		}
	}
	if req.Malformed {
		return refusedWithZxid
	}
	return decoded
}

// holds reports whether the operations ops may occur in a compound request of the kind in. It looks
// only at the first operation, because all must be of the same kind. It returns false if ops is
// empty.
func holds(ops []Request, in nesting) bool { return len(ops) > 0 && ops[0].Op.entry().nests == in }

func hasNullPath(ops []Request) bool {
	return slices.ContainsFunc(ops, func(op Request) bool { return op.NullPath })
}

// applyAll applies the operations until one fails. code is the error of that operation.
func (m *Machine) applyAll(c *Conn, ops []Request) (results []Result, code Code) {
	results = make([]Result, len(ops))
	for i := range ops {
		o := ops[i].Op.entry().apply(m, c, &ops[i], true)
		if o.code != CodeOK {
			failAll(results, i, o.code)
			return results, o.code
		}
		results[i] = m.success(&ops[i], o)
	}
	// The transactions of a multi are written into one, and read when that is applied. Until then its
	// later operations see the lists as they were sent.
	for i := range m.changes {
		if c := &m.changes[i]; c.kind == nodeCreated {
			c.node.acl = acl.Reread(c.node.acl)
		}
	}
	return results, CodeOK
}

// failAll turns all results into errors: 0 before the failed operation at index culprit, the code
// for that operation, and RuntimeInconsistency after it (ZK-8.3).
func failAll(results []Result, culprit int, code Code) {
	for i := range results {
		results[i] = Result{Op: OpError}
		switch {
		case i == culprit:
			results[i].Err = code
		case i > culprit:
			results[i].Err = zkerrors.RuntimeInconsistency
		}
	}
}

// success returns the result of an operation that succeeded (ZK-8.2). An operation that made a
// container or a TTL node is answered like create2 (FinalRequestProcessor.java:225). 3.8 reads
// create2 and createContainer as create and answers them as create. 3.9 keeps them apart (ZK-14.7,
// ZOOKEEPER-4026; recordings show both).
func (m *Machine) success(op *Request, o outcome) Result {
	r := Result{Op: op.Op}
	if op.Op.Effect() == EffectCreate {
		apart := m.cfg.Profile == V39 && (op.Op == OpCreate2 || op.Op == OpCreateContainer)
		r.Op, r.Path = OpCreate, o.node.path
		if apart || o.node.kind == container || o.node.kind == ttl {
			r.Op = OpCreate2
		}
	}
	if r.Op.entry().replies(field.Stat) {
		r.Stat = o.node.stat()
	}
	return r
}

// observeMulti reports each operation as a write. A multi without operations, or one that cannot be
// read, is reported as a single write. If the multi failed, all its operations are reported as
// failed, those without an error of their own with RuntimeInconsistency.
func (m *Machine) observeMulti(c *Conn, ops []Request, results []Result, code Code) {
	if len(results) == 0 || code == marshallingError {
		m.observe(Write{Op: OpMulti, Of: OpMulti, Session: c.session.id, Err: code})
		return
	}
	for i := range ops {
		w := Write{Op: ops[i].Op, Of: OpMulti, Path: ops[i].Path, Data: ops[i].Data, Session: c.session.id}
		switch {
		case code == CodeOK:
			if results[i].Path != "" {
				w.Path = results[i].Path
			}
			w.Ephemeral = m.kindOf(&ops[i], true) == ephemeral
		case results[i].Err != CodeOK:
			w.Err = results[i].Err
		default:
			w.Err = zkerrors.RuntimeInconsistency
		}
		m.observe(w)
	}
}
