package zookeeper

import (
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// changeKind tells how a change affected a znode.
type changeKind uint8

const (
	nodeCreated changeKind = iota
	nodeDeleted
	nodeDataSet
	nodeACLSet
)

// change is one applied change of the present transaction, with what is needed to undo it.
type change struct {
	kind changeKind
	node *znode

	data        []byte
	mzxid       int64
	mtimeMs     int64
	version     int32
	acl         []acl.Entry
	aversion    int32
	parentPzxid int64
	// Before a create: the parent's counter as the tree has it and as requests under way see it, and
	// the peaks that decide the sizes of hash tables.
	creates, counter      int32
	parentPeak, ownerPeak int32
	// bytes is the change in the amount of data.
	bytes int64
}

// Write describes one write, even a failed one. Writes of a larger transaction are reported one by
// one, in order.
type Write struct {
	Op OpCode
	// Of is the operation of the whole transaction: OpMulti for a write in a multi, OpCloseSession
	// for ephemerals deleted with their session, otherwise Op.
	Of OpCode
	// Path is the real path, with the sequence number after a create.
	Path      string
	Data      []byte
	Ephemeral bool
	// Session is the writer's session; 0 is the server itself.
	Session int64
	Zxid    int64
	Err     Code
}

// begin takes a zxid for a transaction. The zxid is used up even if the transaction fails (ZK-4.1).
// The first one of an epoch has counter 1 (ZK-4.4).
func (m *Machine) begin() {
	if m.cfg.OnTransaction != nil {
		m.cfg.OnTransaction()
	}
	m.zxid++
	if m.zxid>>32 < m.epoch {
		m.zxid = m.epoch<<32 | 1
	}
	clear(m.changes)
	m.changes = m.changes[:0]
}

// contentChanges calls the hook before a znode changes. parent is nil for the root.
func (m *Machine) contentChanges(parent, n *znode) {
	if m.cfg.OnContent != nil && parent != nil {
		m.cfg.OnContent(parent.path, n.path)
	}
}

// rollback undoes the transaction, last change first.
func (m *Machine) rollback() {
	for i := len(m.changes) - 1; i >= 0; i-- {
		c := &m.changes[i]
		switch n := c.node; c.kind {
		case nodeCreated:
			m.tree.remove(n)
			n.parent.pzxid, n.parent.creates, n.parent.peak = c.parentPzxid, c.creates, c.parentPeak
			m.underWay(n.parent, c.counter)
			if n.session != nil {
				n.session.peak = c.ownerPeak
			}
		case nodeDeleted:
			m.tree.restore(n)
			n.parent.pzxid = c.parentPzxid
		case nodeDataSet:
			n.data, n.mzxid, n.mtimeMs, n.version = c.data, c.mzxid, c.mtimeMs, c.version
		case nodeACLSet:
			n.acl, n.aversion = c.acl, c.aversion
		}
	}
	m.changes = m.changes[:0]
}

// commit reports the transaction to followers and hooks.
func (m *Machine) commit() {
	m.log(0, 0)
	m.publish()
}

// publish updates quotas and fires the watches of the transaction, change by change (ZK-7.3).
func (m *Machine) publish() {
	m.countQuotas()
	if m.notes.on {
		m.noteChanges()
	}
	for i := range m.changes {
		switch n := m.changes[i].node; m.changes[i].kind {
		case nodeCreated:
			m.watches.fire(m, &m.watches.data, created, n, n.path, m.watches.newMark())
			m.watches.fire(m, &m.watches.child, children, n.parent, n.parent.path, m.watches.newMark())
		case nodeDeleted:
			// One mark for both tables: a connection that is notified by the first is not notified
			// again by the second.
			mark := m.watches.newMark()
			m.watches.fire(m, &m.watches.data, deleted, n, n.path, mark)
			m.watches.fire(m, &m.watches.child, deleted, n, n.path, mark)
			m.watches.fire(m, &m.watches.child, children, n.parent, n.parent.path, m.watches.newMark())
		case nodeDataSet:
			m.watches.fire(m, &m.watches.data, changed, n, n.path, m.watches.newMark())
		}
	}
}

// observe reports a write to the hook and the counters.
func (m *Machine) observe(w Write) {
	m.counters.Writes++
	if w.Err != CodeOK {
		m.counters.FailedWrites++
	}
	if m.cfg.OnWrite != nil {
		w.Zxid = m.zxid
		m.cfg.OnWrite(w)
	}
}

// outcome is the result of applying one operation.
type outcome struct {
	code Code
	// node is the created or changed znode.
	node *znode
}

// write carries out one write request: zxid, tree, events, reply.
func (m *Machine) write(c *Conn, req *Request) {
	unread := req.Malformed
	switch {
	case req.Op == OpDeleteContainer && m.cfg.Profile == V38:
		unread = false // it takes the whole frame for the path
	case unread && (req.Op == OpReconfig || m.cfg.Profile == V39 && !req.HasNull):
		// 3.9 decodes a body before it takes a zxid, 3.8 only this one (PrepRequestProcessor).
		m.reply(c, req).Err = marshallingError
		return
	}
	m.begin()
	op := req.Op.entry()
	o := outcome{code: marshallingError}
	switch {
	case !unread:
		o = op.apply(m, c, req, false)
	case req.HasNull && req.Op.Effect() == EffectCreate && !validFlags(req.Flags):
		o.code = badArguments // a create looks at its flags before it needs the string that is null
	}
	w := Write{Op: req.Op, Of: req.Op, Path: req.Path, Data: req.Data, Session: c.session.id, Err: o.code}
	var stat Stat
	if o.node != nil {
		stat = o.node.stat()
		w.Path, w.Ephemeral = o.node.path, o.node.kind == ephemeral
	}
	m.observe(w)
	m.commit()
	r := m.reply(c, req)
	if r.Err = o.code; o.code != CodeOK {
		return
	}
	if op.replies(field.Path) {
		r.Path = o.node.path
	}
	if op.replies(field.Stat) {
		r.Stat = stat
	}
	if op.replies(field.Data) {
		r.Data = o.node.data
	}
}

// check compares a version. Alone or in a multi it needs READ (PrepRequestProcessor.java:641).
func (m *Machine) check(c *Conn, req *Request, _ bool) outcome {
	n, code := m.named(req.Path)
	if n == nil {
		return outcome{code: code}
	}
	if !m.permitted(c, n, req.Op) {
		return outcome{code: noAuth}
	}
	if req.Version != -1 && req.Version != n.version {
		return outcome{code: badVersion}
	}
	return outcome{}
}

// bareCheck answers a check outside a multi (ZK-24.9: at the leader). A real server would log a
// transaction that it can never read again, so here nothing is logged and no zxid is taken
// (ZK-1.7). A check that fails, or that cannot be read, is a failed write and takes a zxid.
func (m *Machine) bareCheck(c *Conn, req *Request) {
	code := marshallingError
	if !req.Malformed {
		code = m.check(c, req, false).code
	}
	if code != CodeOK {
		m.begin()
		m.observe(Write{Op: req.Op, Of: req.Op, Path: req.Path, Session: c.session.id, Err: code})
		m.commit()
	}
	m.reply(c, req).Err = code
}

// createSession asks, on a connection that has a session, for one more. It is answered by another
// connect response, and the session lasts as long as asked until it is heard of again (ZK-1.6).
func (m *Machine) createSession(c *Conn, req *Request) {
	code := CodeOK
	if req.Malformed {
		code = marshallingError
	}
	m.begin()
	m.observe(Write{Op: req.Op, Of: req.Op, Session: c.session.id, Err: code})
	m.commit()
	if code != CodeOK {
		m.reply(c, req).Err = code
		return
	}
	m.touchFor(c.session, max(int64(req.TimeoutMs), 0))
	m.welcome(c)
}
