package zookeeper

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// session outlives its connections; it ends by closeSession or expiry.
type session struct {
	id        int64
	timeoutMs int64
	// deadlineMs is the grid instant at which it expires unless touched; filedMs
	// is the bucket that holds it (see expiry.go).
	deadlineMs int64
	filedMs    int64
	ended      bool
	// conn is the connection that is attached; nil between connections.
	conn *Conn
	// ephemerals heads the list of its ephemeral znodes.
	ephemerals *znode
	// foretold says that its pings are told afterwards (see fast_path.go).
	foretold bool
	// local says that only a server without a quorum knows it (see readonly.go).
	local bool
}

// Conn is the machine's own side of an established connection, for callers who keep it
// instead of naming the connection by its id in every call.
type Conn struct {
	id      ConnID
	session *session
	ids     []identity
	// remote says that the connection is to a follower.
	remote bool
	gone   bool // detached
	// watches says in which lists of each table it may have a watch; told is the mark
	// of the last round of events that reached it (see watch.go, watch_table.go).
	watches [tableCount]ownLists
	told    uint64
	// slot is its number among the connections with watches, 0 before its first one.
	slot uint32
}

// Conn returns the machine's side of a connection, nil for one that is not established.
func (m *Machine) Conn(id ConnID) *Conn { return m.conns[id] }

// Timeout returns the session timeout that was agreed upon.
func (c *Conn) Timeout() time.Duration { return time.Duration(c.session.timeoutMs) * time.Millisecond }

func (s *session) own(n *znode) {
	n.ownerPrev, n.ownerNext = nil, s.ephemerals
	if s.ephemerals != nil {
		s.ephemerals.ownerPrev = n
	}
	s.ephemerals = n
}

func (s *session) disown(n *znode) {
	if n.ownerPrev != nil {
		n.ownerPrev.ownerNext = n.ownerNext
	} else {
		s.ephemerals = n.ownerNext
	}
	if n.ownerNext != nil {
		n.ownerNext.ownerPrev = n.ownerPrev
	}
	n.ownerPrev, n.ownerNext = nil, nil
}

// owned lists the session's ephemerals by path. The real server's order is that
// of a hash set.
func (s *session) owned() []*znode {
	var nodes []*znode
	for n := s.ephemerals; n != nil; n = n.ownerNext {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b *znode) int { return strings.Compare(a.path, b.path) })
	return nodes
}

// Connect takes the first request of a connection: it makes a session or
// attaches to one. The response, or a close without one, is in the outbox.
func (m *Machine) Connect(nowMs int64, id ConnID, req *ConnectRequest) {
	m.Tick(nowMs)
	if m.conns[id] != nil {
		panic("zookeeper: connection used twice")
	}
	if req.LastZxidSeen > m.zxid || m.readOnly && !req.ReadOnly {
		// The client has been with a server that knows more (ZK-2.4), or wants to write
		// (ZK-24.7).
		m.push(id, OutClose)
		return
	}
	c := &Conn{id: id}
	if req.RemoteIP != "" {
		c.ids = []identity{{"ip", req.RemoteIP}}
	}
	if m.attach(c, req) {
		m.conns[id] = c
	}
}

// attach gives a connection its session, or refuses it.
func (m *Machine) attach(c *Conn, req *ConnectRequest) bool {
	// ZK-2.6.
	timeoutMs := min(max(int64(req.TimeoutMs), m.cfg.MinSessionTimeoutMs), m.cfg.MaxSessionTimeoutMs)
	s := m.newOrKnownSession(c, req)
	if s == nil {
		refusal := &m.push(c.id, OutConnected).Connected
		refusal.HasReadOnly, refusal.ReadOnly = req.HasReadOnly, m.readOnly
		m.push(c.id, OutClose)
		return false
	}
	s.timeoutMs = max(int64(float64(timeoutMs)*m.cfg.ClientSpeed), 1)
	m.touch(s)
	c.session, s.conn = s, c
	m.push(c.id, OutConnected).Connected = ConnectResponse{
		TimeoutMs: int32(timeoutMs), SessionID: s.id, Password: Password(s.id), HasReadOnly: req.HasReadOnly, ReadOnly: m.readOnly,
	}
	return true
}

// newOrKnownSession finds the session that the request may have; nil is a
// refusal (ZK-2.3).
func (m *Machine) newOrKnownSession(c *Conn, req *ConnectRequest) *session {
	switch {
	case req.SessionID == 0 && m.readOnly:
		return m.newLocalSession()
	case req.SessionID == 0:
		return m.newSession()
	}
	s := m.sessions[req.SessionID]
	if s == nil {
		return nil
	}
	// The older connection goes before the password is looked at (ZK-2.5), unless
	// it is to another server.
	if s.conn != nil && !s.conn.remote && !c.remote {
		m.hangUp(s.conn)
	}
	if password := Password(s.id); !bytes.Equal(req.Password, password[:]) {
		return nil
	}
	return s
}

func (m *Machine) newSession() *session {
	s := &session{id: m.nextSessionID}
	m.nextSessionID++
	m.sessions[s.id] = s
	m.counters.SessionsOpened++
	m.begin()
	m.observe(Write{Op: OpCreateSession, Of: OpCreateSession, Session: s.id})
	m.log(s.id, 0)
	return s
}

// Drop tells that the connection is gone. Its watches vanish, the session lives
// on (ZK-3.3, ZK-3.6).
func (m *Machine) Drop(nowMs int64, id ConnID) {
	m.Tick(nowMs)
	if c := m.conns[id]; c != nil {
		m.detach(c)
	}
}

// hangUp closes the connection from the server's side.
func (m *Machine) hangUp(c *Conn) {
	m.push(c.id, OutClose)
	m.detach(c)
}

func (m *Machine) detach(c *Conn) {
	m.watches.forget(c)
	delete(m.conns, c.id)
	c.gone = true
	if c.session.conn == c {
		c.session.conn = nil
	}
}

// closeSession ends the session: events, then the reply, then the close
// (ZK-2.7).
func (m *Machine) closeSession(c *Conn, req *Request) {
	m.endSession(c.session)
	m.counters.SessionsClosed++
	m.reply(c, req)
	m.hangUp(c)
}

// expire ends a session that was silent for too long. Its connection is closed
// without a message, not even of its own ephemerals (ZK-3.4, ZK-3.5).
func (m *Machine) expire(s *session) {
	if s.conn != nil {
		m.hangUp(s.conn)
	}
	m.endSession(s)
	m.counters.SessionsExpired++
}

// KillSession expires a session now, as if its client had been silent for too
// long. An unknown id does nothing.
func (m *Machine) KillSession(nowMs, id int64) {
	m.Tick(nowMs)
	if s := m.sessions[id]; s != nil {
		m.expire(s)
	}
}

// endSession deletes the session's ephemerals in one transaction.
func (m *Machine) endSession(s *session) {
	if s.local {
		s.ended = true
		delete(m.sessions, s.id)
		return
	}
	m.begin()
	m.observe(Write{Op: OpCloseSession, Of: OpCloseSession, Session: s.id})
	for _, n := range s.owned() {
		m.removeNode(n)
		m.observe(Write{Op: OpDelete, Of: OpCloseSession, Path: n.path, Ephemeral: true, Session: s.id})
	}
	s.ended = true
	delete(m.sessions, s.id)
	if len(m.sessions) == 0 {
		m.expiry.buckets = m.expiry.buckets[:0]
	}
	m.log(0, s.id)
	m.publish()
}

// firstSessionID returns where a server starts to count: its id in the high byte,
// five bytes of its clock, two zeros (ZK-2.8).
func firstSessionID(nowMs int64, serverID uint8) int64 {
	return int64(uint64(nowMs)<<24>>8 | uint64(serverID)<<56)
}

// passwordSecret is ZooKeeperServer.java's superSecret.
const passwordSecret = 0xB3415C00

// Password returns the password of a session: 16 bytes of java.util.Random, a pure
// function of the id (ZK-2.8).
func Password(sessionID int64) [16]byte {
	const (
		multiplier = 0x5DEECE66D
		increment  = 0xB
		mask       = 1<<48 - 1
	)
	seed := (uint64(sessionID^passwordSecret) ^ multiplier) & mask
	var password [16]byte
	for i := 0; i < len(password); i += 4 {
		seed = (seed*multiplier + increment) & mask
		word := uint32(seed >> 16)
		for j := range 4 {
			password[i+j] = byte(word >> (8 * j))
		}
	}
	return password
}
