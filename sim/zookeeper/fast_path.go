package zookeeper

import "github.com/monosim/monosim/sim/zookeeper/acl"

// Shortcuts for simulations of many clients. None of them does what Handle, Drop and
// Tick cannot do: they leave out the outbox, the look-ups and the deadlines where the
// caller knows that nothing comes of them.

// Look returns the data of a znode that everybody may read; ok is false for another one, and
// for none.
func (m *Machine) Look(path string) (data []byte, ok bool) {
	n := m.tree.lookup(path)
	if n == nil {
		return nil, false
	}
	return n.data, n.isOpen()
}

// LookBelow is Look of a child.
func (m *Machine) LookBelow(parent, child string) (data []byte, ok bool) {
	path := append(append(append(m.path[:0], parent...), '/'), child...)
	m.path = path
	n := m.tree.nodes[string(path)]
	if n == nil {
		return nil, false
	}
	return n.data, n.isOpen()
}

// isOpen reports whether everybody may read the znode.
func (n *znode) isOpen() bool { return len(n.acl) == 1 && &n.acl[0] == &acl.Everyone[0] }

// ReadAgain is [Machine.Handle] of a well-formed getData, for whoever makes many:
// it answers in place and leaves nothing in the outbox. It reports false, and has no
// effect, when there is more to do than to answer; the request is then
// one for Handle.
//
// reply is overwritten. One that holds the answer to another ReadAgain costs less.
func (m *Machine) ReadAgain(nowMs int64, c *Conn, req *Request, reply *Reply) bool {
	s := c.session
	if c.gone || nowMs < m.nowMs || len(m.outbox) > 0 {
		return false
	}
	if dueMs, ok := m.NextExpiryMs(); ok && dueMs <= nowMs {
		return false
	}
	deadlineMs := m.expiry.deadline(nowMs + s.timeoutMs)
	if s.filedMs == 0 || deadlineMs < s.filedMs {
		return false
	}
	n := m.tree.lookup(req.Path)
	if n == nil || !m.permitted(c, n, OpGetData) {
		return false
	}
	m.nowMs, s.deadlineMs = nowMs, deadlineMs
	m.counters.count(OpGetData)
	if req.Watch {
		n.watched = m.watches.data.addTo(n.watched, m.cfg.Profile, c, req.Path, oneShot)
	}
	if reply.Op != OpGetData {
		*reply = Reply{Op: OpGetData} // else nothing is left of it but what is set here
	}
	reply.Xid, reply.Zxid, reply.Err, reply.Data, reply.Stat = req.Xid, m.zxid, CodeOK, n.data, n.stat()
	return true
}

// SuspendExpiry says that the client of a connection is known to ping in time until
// ResumeExpiry, so that nobody need send the pings or look at the session's deadline:
// they are told afterwards, by PingedAt. It is for simulations, in which the instants
// of the pings follow from a seed; NextExpiryMs then does not wait for the session.
func (m *Machine) SuspendExpiry(c *Conn) { c.session.foretold = true }

// PingedAt is a ping of a suspended session. Its instant may lie in the past; pings
// are told in order.
func (m *Machine) PingedAt(c *Conn, atMs int64) {
	m.counters.count(OpPing)
	c.session.deadlineMs = m.expiry.deadline(atMs + c.session.timeoutMs)
}

// Leapt is n requests that only read, of a suspended session; the last of them was at an
// instant that may lie in the past.
func (m *Machine) Leapt(c *Conn, op OpCode, n int, atMs int64) {
	m.counters.add(op, uint64(n))
	c.session.deadlineMs = m.expiry.deadline(atMs + c.session.timeoutMs)
}

// LeaptRead is a getData of a suspended session that leaves a watch, at an instant that may
// lie in the past. The znode must be there, and everybody may read it: ok is false else.
func (m *Machine) LeaptRead(c *Conn, path string, atMs int64) (data []byte, stat Stat, ok bool) {
	n := m.tree.lookup(path)
	if n == nil || !n.isOpen() {
		return nil, Stat{}, false
	}
	m.Leapt(c, OpGetData, 1, atMs)
	n.watched = m.watches.data.addTo(n.watched, m.cfg.Profile, c, path, oneShot)
	return n.data, n.stat(), true
}

// ResumeExpiry has the session of a connection expire again when it is silent, counted
// from its last ping, after a SuspendExpiry. It reports whether NextExpiryMs may have
// become earlier by it.
func (m *Machine) ResumeExpiry(c *Conn) bool {
	s := c.session
	s.foretold = false
	if s.filedMs != 0 || s.ended {
		return false
	}
	m.expiry.file(s)
	return true
}
