package zookeeper

import (
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// A replica is the Machine of a follower. It applies later what the leader has committed, answers
// reads, and keeps the watches of its own connections. Its state may be old, but it includes what
// one of its clients wrote when that client gets the answer. Sessions end only at the leader.
//
// The caller carries messages between the two machines. The leader's machine gets what follower
// connections send ([Machine.ConnectRemote], [Machine.Heard], [Machine.Forward]) and reports what
// it did ([Machine.OnCommit], and Drain for the connections). The replica gets these reports
// ([Machine.Follow], [Machine.Adopt]) and serves the rest ([Machine.Serve]).

// Transaction is the effect of one write at the leader, to be applied by followers.
type Transaction struct {
	zxid    int64
	nowMs   int64
	changes []savedChange
	// opened is the id of the session that the write created, and ended the id of the session that
	// it ended; 0 for none.
	opened, ended int64
}

type savedChange struct {
	kind  changeKind
	node  savedNode
	bytes int64
}

// log passes the present transaction to followers. opened and ended are session ids, as in
// Transaction.
func (m *Machine) log(opened, ended int64) {
	if m.onCommit == nil {
		return
	}
	t := Transaction{zxid: m.zxid, nowMs: m.nowMs, opened: opened, ended: ended}
	for i := range m.changes {
		c := &m.changes[i]
		t.changes = append(t.changes, savedChange{kind: c.kind, node: c.node.save(), bytes: c.bytes})
	}
	m.onCommit(t)
}

// OnCommit sets a function to call for every transaction from now on; nil removes it. fn must pass
// the transaction to Follow of the followers' machines. It must not call the leader's machine.
func (m *Machine) OnCommit(fn func(Transaction)) { m.onCommit = fn }

// Replica makes a follower's machine with m's present znodes and sessions. The follower has no
// connections and calls none of the hooks of Config.
func (m *Machine) Replica() *Machine {
	cfg := m.cfg
	cfg.OnTransaction, cfg.OnContent, cfg.OnWrite = nil, nil, nil
	r := New(cfg, m.nowMs)
	r.load(m.Snapshot())
	return r
}

// Follow applies a transaction of the leader to a follower's machine. Each transaction since
// Replica must be applied exactly once, in the order of OnCommit.
func (m *Machine) Follow(t Transaction) {
	m.rememberDigest()
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
		n.acl = acl.Reread(n.acl)
		n.session = m.sessions[c.node.owner]
		n.creates = 0
		parent := m.tree.nodes[c.node.parentPath]
		m.tree.insert(parent, n)
		parent.countCreate(parent.creates, m.zxid)
	case nodeDeleted:
		m.tree.remove(n)
		n.parent.pzxid = m.zxid
	case nodeDataSet:
		n.data, n.mzxid, n.mtimeMs, n.version = saved.data, saved.mzxid, saved.mtimeMs, saved.version
	case nodeACLSet:
		n.acl, n.aversion = acl.Reread(saved.acl), saved.aversion
	}
	m.changes = append(m.changes, change{kind: c.kind, node: n, bytes: c.bytes})
}

// Serve answers a request that needs no leader, on a follower's machine (see [OpCode.NeedsLeader]).
// It drops a request of an unknown connection.
func (m *Machine) Serve(nowMs int64, id ConnID, req *Request) {
	m.nowMs = max(m.nowMs, nowMs)
	if c := m.conns[id]; c != nil {
		m.do(c, req)
	}
}

// ConnectRemote handles the first request of a connection to a follower, on the leader's machine.
// It returns the leader's side of that connection. If the request is refused, the connection has no
// session.
func (m *Machine) ConnectRemote(nowMs int64, id ConnID, req *ConnectRequest) *Conn {
	m.Tick(nowMs)
	c := &Conn{id: id, remote: true}
	if req.RemoteIP != "" {
		c.ids = []identity{{"ip", req.RemoteIP}}
	}
	m.attach(c, req)
	return c
}

// Heard informs the leader's machine that a follower has received a request with the opcode. This
// keeps the connection's session alive, whichever server answers.
func (m *Machine) Heard(nowMs int64, c *Conn, op OpCode) {
	m.Tick(nowMs)
	m.counters.count(op)
	if !c.session.ended && op.Touches() {
		m.touch(c.session)
	}
}

// Forward executes a request that a follower has forwarded, on the leader's machine. c is the
// leader's side of the connection. at is the follower's side, whose identities determine the
// permissions. The follower may not know yet that the session has ended. Identities travel with the
// request, as text that is written and read once more (ZK-24.11).
func (m *Machine) Forward(c *Conn, req *Request, at *Conn) {
	c.ids = lists.Map(at.ids, func(id identity) identity { return identity{id.scheme, java.Reread(id.id)} })
	if c.session.ended {
		m.reply(c, req).Err = sessionExpired
		return
	}
	m.do(c, req)
}

// Adopt makes the follower's side of a connection that the leader has attached to a session. It
// does nothing if the session was refused or is unknown here.
func (m *Machine) Adopt(leader *Conn, sessionID int64) {
	if s := m.sessions[sessionID]; s != nil {
		s.conn = &Conn{id: leader.id, session: s, ids: leader.ids}
		m.conns[leader.id] = s.conn
	}
}

// ConnOf returns a session's connection to this machine; nil if it has none.
func (m *Machine) ConnOf(sessionID int64) *Conn {
	if s := m.sessions[sessionID]; s != nil {
		return s.conn
	}
	return nil
}

// Leave informs a follower's machine that a connection has ended. Unlike Drop it has no time
// argument, because a follower uses the leader's clock.
func (m *Machine) Leave(id ConnID) {
	if c := m.conns[id]; c != nil {
		m.detach(c)
	}
}

// ID returns the id that the caller gave the connection.
func (c *Conn) ID() ConnID { return c.id }

// Attached reports whether the connection has or had a session. A refused connection never had one.
func (c *Conn) Attached() bool { return c.session != nil }

// Detach informs the leader's side of a connection to a follower that the connection has ended. The
// session stays.
func (c *Conn) Detach() {
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
	}
}
