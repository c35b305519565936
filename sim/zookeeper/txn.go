package zookeeper

import (
	"slices"

	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// changeKind says how a change has affected a znode.
type changeKind uint8

const (
	nodeCreated changeKind = iota
	nodeDeleted
	nodeDataSet
	nodeACLSet
)

// change is a change that the present transaction has made, with the old values that a rollback
// needs.
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
	// creates and counter are two values of the parent's counter before a create: creates is the
	// value in the tree, and counter the value that requests in progress see.
	creates, counter int32
	// bytes is the change of the size of the data, in bytes.
	bytes int64
}

// Write describes one write, also a failed one. The writes of a larger transaction are reported one
// by one, in order.
type Write struct {
	Op OpCode
	// Of is the operation of the whole transaction. It is OpMulti for a write in a multi,
	// OpCloseSession for an ephemeral deleted with its session, and otherwise equal to Op.
	Of OpCode
	// Path is the real path, which after a sequential create includes the sequence number.
	Path      string
	Data      []byte
	Ephemeral bool
	// Session is the id of the writer's session; 0 for the server itself.
	Session int64
	Zxid    int64
	Err     Code
}

// begin starts a transaction and takes a zxid. The zxid is used up even if the transaction fails
// (ZK-4.1). The first zxid of an epoch has counter 1 (ZK-4.4).
func (m *Machine) begin() {
	if m.cfg.OnTransaction != nil {
		m.cfg.OnTransaction()
	}
	m.rememberDigest()
	m.zxid += 1 + m.lostZxids
	m.lostZxids = 0
	if m.zxid>>32 < m.epoch {
		m.zxid = m.epoch<<32 | 1
	}
	clear(m.changes)
	m.changes = m.changes[:0]
	clear(m.kept)
	m.kept = m.kept[:0]
}

// contentChanges calls Config.OnContent before a znode changes. It does nothing for the root, whose
// parent is nil.
func (m *Machine) contentChanges(parent, n *znode) {
	if m.cfg.OnContent != nil && parent != nil {
		m.cfg.OnContent(parent.path, n.path)
	}
}

// rollback undoes the changes of the transaction, the last change first.
func (m *Machine) rollback() {
	for i := len(m.changes) - 1; i >= 0; i-- {
		c := &m.changes[i]
		switch n := c.node; c.kind {
		case nodeCreated:
			m.tree.remove(n)
			n.parent.pzxid, n.parent.creates = c.parentPzxid, c.creates
			m.underWay(n.parent, c.counter)
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
	for _, kept := range slices.Backward(m.kept) {
		if kept.then == nil {
			*kept.set = nil
			continue
		}
		(*kept.set).Restore(kept.then)
	}
}

// keptSet says where a Java set is. then is a copy of it from before the present multi changed it;
// nil if there was no set.
type keptSet struct {
	set  **java.Set
	then *java.Set
}

// keep copies the sets that a create or delete of n changes, for a rollback. It does so only in a
// multi, because no other transaction is rolled back.
func (m *Machine) keep(parent, n *znode) {
	if !m.inMulti {
		return
	}
	m.keepSet(&parent.set, childBuckets)
	if n.session != nil {
		m.keepSet(&n.session.set, usualBuckets)
	}
}

func (m *Machine) keepSet(at **java.Set, buckets uint32) {
	if *at == nil {
		*at = java.NewSet(buckets)
		m.kept = append(m.kept, keptSet{set: at})
	}
	if k := len(m.kept); k == 0 || m.kept[k-1].set != at {
		m.kept = append(m.kept, keptSet{at, (*at).Clone()})
	}
}

// commit ends the transaction. It passes the transaction to followers, updates quotas and fires
// watches.
func (m *Machine) commit() {
	m.log(0, 0)
	m.publish()
}

// publish updates quotas and fires the watches for each change of the transaction in order
// (ZK-7.3).
func (m *Machine) publish() {
	m.countQuotas()
	if m.notes.on {
		m.noteChanges()
	}
	m.digestChanges()
	for i := range m.changes {
		switch n := m.changes[i].node; m.changes[i].kind {
		case nodeCreated:
			m.watches.fire(m, &m.watches.data, created, n, n.path, m.watches.newMark())
			m.watches.fire(m, &m.watches.child, children, n.parent, n.parent.path, m.watches.newMark())
		case nodeDeleted:
			// Both tables use one mark, so a connection that was notified for the first table is
			// not notified again for the second.
			mark := m.watches.newMark()
			m.watches.fire(m, &m.watches.data, deleted, n, n.path, mark)
			m.watches.fire(m, &m.watches.child, deleted, n, n.path, mark)
			m.watches.fire(m, &m.watches.child, children, n.parent, n.parent.path, m.watches.newMark())
		case nodeDataSet:
			m.watches.fire(m, &m.watches.data, changed, n, n.path, m.watches.newMark())
		}
	}
}

// observe counts a write and reports it to Config.OnWrite.
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

// write executes one write request. It takes a zxid, changes the tree, fires watches and replies.
func (m *Machine) write(c *Conn, req *Request) {
	// 3.9 reads the path of a deleteContainer as a buffer, which must not be null.
	unread := req.Malformed || req.Op == OpDeleteContainer && req.NullPath
	switch {
	case req.Op == OpDeleteContainer && m.cfg.Profile == V38:
		unread = false // 3.8 takes the whole frame as the path
	case unread && (req.Op == OpReconfig || m.cfg.Profile == V39):
		// 3.8 decodes the body of a reconfig before it takes a zxid. 3.9 does so for all operations
		// (PrepRequestProcessor).
		m.reply(c, req).Err = marshallingError
		return
	}
	m.begin()
	op := req.Op.entry()
	o := outcome{code: marshallingError}
	if !unread {
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

// check compares the version of a znode with the expected one. It needs READ, alone and in a multi
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

// bareCheck answers a check outside a multi. The leader executes it (ZK-24.9). A real server would
// log a transaction that it could never read again. So here a successful check logs nothing and
// takes no zxid (ZK-1.7). A check that fails or cannot be read is a failed write and takes a zxid.
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

// createSession handles a request for another session on a connection that already has one. The
// answer is another connect response. The requested timeout applies until the session is next
// touched, and again after a restart of the server (ZK-1.6).
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
	c.session.loggedMs = int64(req.TimeoutMs)
	m.touchFor(c.session, c.session.loggedMs)
	out := m.welcome(c)
	out.Reply.Op, out.Reply.Xid = req.Op, req.Xid
}
