package zookeeper

import "github.com/monosim/monosim/engine/env"

// multi does all of its operations or none, with one zxid (ZK-8). Later
// operations see what earlier ones did; events come when all are done.
func (m *Machine) multi(c *conn, req *Request) {
	m.begin()
	code := marshallingError
	var results []Result
	if !req.Malformed && m.readsMulti(req.Ops) {
		results, code = m.applyAll(c, req.Ops)
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
	// The header says success whatever the records say (ZK-8.3).
	r.Results = results
}

// readsMulti says whether the server can read a multi: not one that holds other
// operations, nor on 3.9 one that creates with flags that do not exist
// (MultiOperationRecord.java).
func (m *Machine) readsMulti(ops []Request) bool {
	for i := range ops {
		switch ops[i].Op {
		case OpCreate, OpCreate2, OpCreateContainer:
			if m.cfg.Profile == V39 && !validFlags(ops[i].Flags) {
				return false
			}
		case OpCreateTTL, OpDelete, OpSetData, OpCheck:
		default:
			return false
		}
	}
	return true
}

// applyAll applies the operations until one fails with code.
func (m *Machine) applyAll(c *conn, ops []Request) (results []Result, code Code) {
	results = make([]Result, len(ops))
	for i := range ops {
		o := m.apply(c, &ops[i], true)
		if o.code != CodeOK {
			failAll(results, i, o.code)
			return results, o.code
		}
		results[i] = m.success(&ops[i], o)
	}
	return results, CodeOK
}

// failAll turns every record into an error: 0 before the culprit, its code, then
// RuntimeInconsistency (ZK-8.3).
func failAll(results []Result, culprit int, code Code) {
	for i := range results {
		results[i] = Result{Op: OpError}
		switch {
		case i == culprit:
			results[i].Err = code
		case i > culprit:
			results[i].Err = env.ZKRuntimeInconsistency
		}
	}
}

// success makes the record of an operation (ZK-8.2). What made a container or a TTL
// node answers as create2 does (FinalRequestProcessor.java:225). 3.8 reads create2
// and createContainer as a create and answers them as one; 3.9 keeps them apart
// (ZOOKEEPER-4026; both were seen).
func (m *Machine) success(op *Request, o outcome) Result {
	switch op.Op {
	case OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL:
		apart := m.cfg.Profile == V39 && (op.Op == OpCreate2 || op.Op == OpCreateContainer)
		if apart || o.node.kind == container || o.node.kind == ttl {
			return Result{Op: OpCreate2, Path: o.node.path, Stat: o.node.stat()}
		}
		return Result{Op: OpCreate, Path: o.node.path}
	case OpSetData:
		return Result{Op: OpSetData, Stat: o.node.stat()}
	}
	return Result{Op: op.Op}
}

// observeMulti tells of each operation, or of the multi alone when it has none
// or could not be read. When it failed, so did all of them, the innocent ones
// with RuntimeInconsistency.
func (m *Machine) observeMulti(c *conn, ops []Request, results []Result, code Code) {
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
			w.Err = env.ZKRuntimeInconsistency
		}
		m.observe(w)
	}
}
