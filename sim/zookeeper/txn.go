package zookeeper

import (
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// changeKind says what a change did to a znode.
type changeKind uint8

const (
	nodeCreated changeKind = iota
	nodeDeleted
	nodeDataSet
	nodeACLSet
)

// change is one applied change of the transaction at hand, with what undoes it.
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
	// bytes is the change of the amount of data.
	bytes int64
}

// Write tells of one write, also of a failed one. Writes that belong to a
// larger transaction come one by one, in order.
type Write struct {
	Op OpCode
	// Of is the transaction's own operation: OpMulti for what a multi did,
	// OpCloseSession for the ephemerals that went with their session, else Op.
	Of OpCode
	// Path is the real path, with its sequence number once created.
	Path      string
	Data      []byte
	Ephemeral bool
	// Session is who wrote; 0 is the server itself.
	Session int64
	Zxid    int64
	Err     Code
}

// begin takes the zxid of a transaction. Whatever becomes of it, the zxid is
// used up (ZK-4.1). The first one of an epoch has the counter 1 (ZK-4.4).
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

// contentChanges tells the hook that a znode is about to change, below a parent that is nil
// for the root itself.
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
			n.parent.creates--
			n.parent.pzxid = c.parentPzxid
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

// commit makes the transaction known.
func (m *Machine) commit() {
	m.log(0, 0)
	m.drop()
	m.publish()
}

// drop tells the hook of the contents that the transaction took away.
func (m *Machine) drop() {
	if m.cfg.OnDrop == nil {
		return
	}
	for i := range m.changes {
		switch c := &m.changes[i]; c.kind {
		case nodeDeleted:
			m.cfg.OnDrop(c.node.data)
		case nodeDataSet:
			if len(c.data) > 0 && (len(c.node.data) == 0 || &c.data[0] != &c.node.data[0]) {
				m.cfg.OnDrop(c.data)
			}
		}
	}
}

// publish counts quotas and fires the watches of the transaction, change by change
// (ZK-7.3).
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
			// One mark for both tables: who was told through the first is not told
			// through the second.
			mark := m.watches.newMark()
			m.watches.fire(m, &m.watches.data, deleted, n, n.path, mark)
			m.watches.fire(m, &m.watches.child, deleted, n, n.path, mark)
			m.watches.fire(m, &m.watches.child, children, n.parent, n.parent.path, m.watches.newMark())
		case nodeDataSet:
			m.watches.fire(m, &m.watches.data, changed, n, n.path, m.watches.newMark())
		}
	}
}

// observe tells the hook and the counters of a write.
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

// outcome is what applying one operation gave.
type outcome struct {
	code Code
	// node is the znode that was created or changed.
	node *znode
}

// write does one write request: zxid, tree, events, reply.
func (m *Machine) write(c *Conn, req *Request) {
	if req.Op == OpReconfig && req.Malformed {
		// It is read before it gets a zxid, the others after (PrepRequestProcessor).
		m.reply(c, req).Err = marshallingError
		return
	}
	m.begin()
	op := req.Op.entry()
	o := outcome{code: marshallingError}
	if !req.Malformed {
		o = op.apply(m, c, req, false)
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

// check compares a version; alone or in a multi it needs READ
// (PrepRequestProcessor.java:641).
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
// transaction that it can never read again, so nothing is logged and no zxid
// taken (ZK-1.7). One that fails is a write that fails, and takes a zxid.
func (m *Machine) bareCheck(c *Conn, req *Request) {
	code := m.check(c, req, false).code
	if code != CodeOK {
		m.begin()
		m.observe(Write{Op: req.Op, Of: req.Op, Path: req.Path, Session: c.session.id, Err: code})
		m.commit()
	}
	m.reply(c, req).Err = code
}

// createSession reads a timeout that clients do not send (ZK-1.6).
func (m *Machine) createSession(*Conn, *Request, bool) outcome {
	return outcome{code: marshallingError}
}
