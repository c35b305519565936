package zookeeper

import "slices"

// A replica is the Machine of a follower: it does what the leader has committed,
// later, and answers reads and keeps watches of its own connections. What it
// knows may be old; what one of its clients has written it knows when the client
// is told. Sessions end at the leader only.

// transaction is what one write of the leader did.
type transaction struct {
	zxid    int64
	nowMs   int64
	changes []savedChange
	// opened and ended are the session that it made or ended, 0 for none.
	opened, ended int64
}

type savedChange struct {
	kind  changeKind
	node  savedNode
	bytes int64
}

// log tells followers of the transaction at hand.
func (m *Machine) log(opened, ended int64) {
	if m.onCommit == nil {
		return
	}
	t := transaction{zxid: m.zxid, nowMs: m.nowMs, opened: opened, ended: ended}
	for i := range m.changes {
		c := &m.changes[i]
		t.changes = append(t.changes, savedChange{kind: c.kind, node: c.node.save(), bytes: c.bytes})
	}
	m.onCommit(t)
}

// replica makes a follower's machine that knows all that m does now.
func (m *Machine) replica() *Machine {
	cfg := m.cfg
	cfg.OnWrite = nil
	r := New(cfg, m.nowMs)
	r.load(m.Snapshot())
	return r
}

// follow does a transaction of the leader.
func (m *Machine) follow(t transaction) {
	m.nowMs, m.zxid = max(m.nowMs, t.nowMs), t.zxid
	m.changes = m.changes[:0]
	if t.opened != 0 {
		m.sessions[t.opened] = &session{id: t.opened}
	}
	for i := range t.changes {
		m.redo(&t.changes[i])
	}
	m.publish()
	if s := m.sessions[t.ended]; s != nil {
		s.ended = true
		delete(m.sessions, t.ended)
	}
}

func (m *Machine) redo(c *savedChange) {
	n := m.tree.nodes[c.node.node.path]
	switch saved := &c.node.node; c.kind {
	case nodeCreated:
		made := *saved
		n = &made
		n.session = m.sessions[c.node.owner]
		n.creates = 0
		parent := m.tree.nodes[c.node.parentPath]
		m.tree.insert(parent, n)
		parent.creates++
		parent.pzxid = m.zxid
	case nodeDeleted:
		m.tree.remove(n)
		n.parent.pzxid = m.zxid
	case nodeDataSet:
		n.data, n.mzxid, n.mtimeMs, n.version = saved.data, saved.mzxid, saved.mtimeMs, saved.version
	case nodeACLSet:
		n.acl, n.aversion = saved.acl, saved.aversion
	}
	m.changes = append(m.changes, change{kind: c.kind, node: n, bytes: c.bytes})
}

// serve answers a request that needs no leader.
func (m *Machine) serve(nowMs int64, id ConnID, req *Request) {
	m.nowMs = max(m.nowMs, nowMs)
	if c := m.conns[id]; c != nil {
		m.alone(c, req)
	}
}

// needsLeader says whether a follower hands the request on.
func needsLeader(op OpCode) bool { return writes(op) || op == OpSync }

// remote makes the leader's side of a connection to a follower. Until it is
// attached it has no session.
func remote(id ConnID, remoteIP string) *conn {
	c := &conn{id: id, remote: true}
	if remoteIP != "" {
		c.ids = []identity{{"ip", remoteIP}}
	}
	return c
}

// connectRemote takes the first request of a connection to a follower.
func (m *Machine) connectRemote(nowMs int64, c *conn, req *ConnectRequest) {
	m.Tick(nowMs)
	m.attach(c, req)
}

// heard tells that a follower has heard of a connection's session.
func (m *Machine) heard(nowMs int64, c *conn, op OpCode) {
	m.Tick(nowMs)
	m.counters.count(op)
	if !c.session.ended {
		m.touch(c.session)
	}
}

// forward does a request that a follower handed on. The follower may not know yet
// that the session has ended.
func (m *Machine) forward(c *conn, req *Request, ids []identity) {
	c.ids = slices.Clone(ids)
	if c.session.ended {
		m.reply(c, req).Err = sessionExpired
		return
	}
	if req.Op == OpSync {
		m.sync(c, req)
		return
	}
	m.change(c, req)
}
