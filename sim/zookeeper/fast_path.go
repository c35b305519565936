package zookeeper

import "github.com/monosim/monosim/sim/zookeeper/acl"

// This file has shortcuts for simulations of many clients. They do nothing that Handle, Drop and
// Tick could not do. They skip the outbox, look-ups and deadlines where the caller knows that these
// have no effect.

// Look returns the data of a znode that everybody may read. ok is false if the znode is missing or
// not readable by everybody.
func (m *Machine) Look(path string) (data []byte, ok bool) {
	n := m.tree.lookup(path)
	if n == nil {
		return nil, false
	}
	return n.data, n.isOpen()
}

// LookBelow does what Look does for a child of the znode at parent.
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

// ReadAgain handles a well-formed getData as [Machine.Handle] does, but faster. It writes the
// answer to reply and puts nothing into the outbox. It returns false, without effect, if the
// request needs more than an answer. The caller must then use Handle.
//
// reply is overwritten. It is cheapest to pass the reply of an earlier ReadAgain.
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
	m.nowMs = nowMs
	m.expiry.postpone(s, nowMs, deadlineMs)
	m.counters.count(OpGetData)
	if req.Watch {
		n.watched = m.watches.data.addTo(n.watched, m.cfg.Profile, c, req.Path, oneShot)
	}
	if reply.Op != OpGetData {
		*reply = Reply{Op: OpGetData} // clears all other fields of the reused reply
	}
	reply.Xid, reply.Zxid, reply.Err, reply.Data, reply.Stat = req.Xid, m.zxid, CodeOK, n.data, n.stat()
	return true
}

// SuspendExpiry declares that the client of a connection will ping in time until ResumeExpiry. The
// caller need not send these pings; it reports them afterwards by PingedAt. NextExpiryMs ignores
// the session meanwhile. This is for simulations, in which the times of pings follow from the seed.
func (m *Machine) SuspendExpiry(c *Conn) { c.session.foretold = true }

// PingedAt records a ping of a suspended session. atMs may be in the past. Pings must be reported
// in order.
func (m *Machine) PingedAt(c *Conn, atMs int64) {
	m.counters.count(OpPing)
	c.session.deadlineMs = m.expiry.deadline(atMs + c.session.timeoutMs)
}

// Leapt records n read requests of a suspended session. atMs is the time of the last one and may be
// in the past.
func (m *Machine) Leapt(c *Conn, op OpCode, n int, atMs int64) {
	m.counters.add(op, uint64(n))
	c.session.deadlineMs = m.expiry.deadline(atMs + c.session.timeoutMs)
}

// LeaptRead executes a getData of a suspended session that leaves a watch. atMs may be in the past.
// ok is false if the znode is missing or not readable by everybody.
func (m *Machine) LeaptRead(c *Conn, path string, atMs int64) (data []byte, stat Stat, ok bool) {
	n := m.tree.lookup(path)
	if n == nil || !n.isOpen() {
		return nil, Stat{}, false
	}
	m.Leapt(c, OpGetData, 1, atMs)
	n.watched = m.watches.data.addTo(n.watched, m.cfg.Profile, c, path, oneShot)
	return n.data, n.stat(), true
}

// ResumeExpiry ends SuspendExpiry: from now on the connection's session expires if its client stays
// silent for a timeout after its last ping. It reports whether NextExpiryMs may have become
// earlier.
func (m *Machine) ResumeExpiry(c *Conn) bool {
	s := c.session
	s.foretold = false
	if s.filedMs != 0 || s.ended {
		return false
	}
	m.expiry.file(s)
	return true
}
