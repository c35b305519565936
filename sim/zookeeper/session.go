package zookeeper

import (
	"bytes"
	"time"

	"github.com/monosim/monosim/sim/zookeeper/digestmd5"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// session is a client's session. It may outlive its connections. It ends by closeSession or by
// expiry.
type session struct {
	id        int64
	timeoutMs int64
	// loggedMs is the timeout that the session gets when the server restarts. It was set when the
	// session was created, or by a later createSession. A re-attach does not change it, because it
	// is not logged (SessionTrackerImpl.java, sessionsWithTimeout).
	loggedMs int64
	// deadlineMs is the tick at which the session expires unless it is touched. filedMs is the time
	// of the bucket that holds the session (see expiry.go).
	deadlineMs int64
	filedMs    int64
	ended      bool
	// conn is the attached connection; nil between connections.
	conn *Conn
	// firstOwned and lastOwned are the ends of the linked list of the session's ephemerals, in the
	// order of creation. owns is their number. set is the Java HashSet of their paths; nil until
	// the session creates its first ephemeral.
	firstOwned, lastOwned *znode
	owns                  int32
	set                   *java.Set
	// foretold is true while the session's pings are reported only afterwards (see fast_path.go).
	foretold bool
	// local marks a session that exists only on a server without a quorum (see readonly.go).
	local bool
}

// Conn is the machine's side of an established connection. Callers may keep it instead of passing
// the id in every call.
type Conn struct {
	id      ConnID
	session *session
	ids     []identity
	// toldMs is the session timeout in ms that the client was told. asksReadOnly says whether the
	// connect request had the readOnly byte.
	toldMs       int32
	asksReadOnly bool
	// exchange is the connection's SASL authentication; nil before the first token.
	exchange *digestmd5.Exchange
	// remote marks a connection to a follower.
	remote bool
	gone   bool // whether the connection has ended (see detach)
	// watches says in which lists of each table the connection may have a watch. told is the mark
	// of the last round of events in which the connection was notified (see watch.go,
	// watch_table.go).
	watches [tableCount]ownLists
	told    uint64
	// slot is the connection's number among those with watches; 0 before its first watch.
	slot uint32
}

// Conn returns the machine's side of a connection; nil if the connection is not established.
func (m *Machine) Conn(id ConnID) *Conn { return m.conns[id] }

// Timeout returns the negotiated session timeout.
func (c *Conn) Timeout() time.Duration { return time.Duration(c.session.timeoutMs) * time.Millisecond }

// own appends an ephemeral to the session's list.
func (s *session) own(n *znode) {
	n.ownerPrev, n.ownerNext = s.lastOwned, nil
	s.link(n)
	if s.set == nil {
		s.set = java.NewSet(usualBuckets)
	}
	s.set.Add(pathMember(n), s.members())
}

// disown removes an ephemeral from the session's list. The ephemeral keeps its own links, so that
// relink can undo this.
func (s *session) disown(n *znode) {
	if n.ownerPrev != nil {
		n.ownerPrev.ownerNext = n.ownerNext
	} else {
		s.firstOwned = n.ownerNext
	}
	if n.ownerNext != nil {
		n.ownerNext.ownerPrev = n.ownerPrev
	} else {
		s.lastOwned = n.ownerPrev
	}
	s.owns--
	s.set.Remove(pathMember(n))
}

// relink undoes disown, provided that all later changes were undone before.
func (s *session) relink(n *znode) {
	s.link(n)
	s.set.Back(pathMember(n))
}

// link inserts an ephemeral between the neighbours that its links name.
func (s *session) link(n *znode) {
	if n.ownerPrev != nil {
		n.ownerPrev.ownerNext = n
	} else {
		s.firstOwned = n
	}
	if n.ownerNext != nil {
		n.ownerNext.ownerPrev = n
	} else {
		s.lastOwned = n
	}
	s.owns++
}

// Connect handles the first request of a connection. It creates a session or attaches to an
// existing one. The outbox gets the response, or a close without a response.
func (m *Machine) Connect(nowMs int64, id ConnID, req *ConnectRequest) {
	m.Tick(nowMs)
	if m.conns[id] != nil {
		panic("zookeeper: connection used twice")
	}
	if req.LastZxidSeen > m.zxid || m.readOnly && !req.ReadOnly {
		// The client has seen a later state on another server (ZK-2.4), or it wants to write
		// although this server is read-only (ZK-24.7).
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

// attach attaches a connection to its session. It returns false if it refuses the request.
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
	if req.SessionID == 0 {
		s.loggedMs = s.timeoutMs
	}
	m.touch(s)
	c.session, s.conn = s, c
	c.toldMs, c.asksReadOnly = int32(timeoutMs), req.HasReadOnly
	out := m.welcome(c)
	if req.SessionID == 0 {
		out.Reply.Op = OpCreateSession
	}
	return true
}

// welcome sends the connect response, with the id, password and timeout of the session.
func (m *Machine) welcome(c *Conn) *Out {
	s, out := c.session, m.push(c.id, OutConnected)
	out.Connected = ConnectResponse{
		TimeoutMs: c.toldMs, SessionID: s.id, Password: Password(s.id), HasReadOnly: c.asksReadOnly, ReadOnly: m.readOnly,
	}
	return out
}

// newOrKnownSession returns a new session or the session that the request names. It returns nil if
// the request must be refused (ZK-2.3).
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
	// The session's older connection is closed even before the password is checked (ZK-2.5), unless
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

// Drop informs the machine that a connection has ended. Its watches are removed, and the session
// stays (ZK-3.3, ZK-3.6).
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

// closeSession ends the session. It sends the events, then the reply, and then closes the
// connection (ZK-2.7).
func (m *Machine) closeSession(c *Conn, req *Request) {
	m.endSession(c.session)
	m.counters.SessionsClosed++
	m.reply(c, req)
	m.hangUp(c)
}

// expire ends a session that was silent for too long. It closes the connection without any message,
// not even events about the session's own ephemerals (ZK-3.4, ZK-3.5).
func (m *Machine) expire(s *session) {
	if s.conn != nil {
		m.hangUp(s.conn)
	}
	m.endSession(s)
	m.counters.SessionsExpired++
}

// KillSession expires a session now, as if its client had been silent for too long. It ignores an
// unknown id.
func (m *Machine) KillSession(nowMs, id int64) {
	m.Tick(nowMs)
	if s := m.sessions[id]; s != nil {
		m.expire(s)
	}
}

// endSession deletes the session and its ephemerals in one transaction.
func (m *Machine) endSession(s *session) {
	if s.local {
		s.ended = true
		delete(m.sessions, s.id)
		return
	}
	m.begin()
	m.observe(Write{Op: OpCloseSession, Of: OpCloseSession, Session: s.id})
	for _, n := range s.leaving() {
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

// firstSessionID returns the first session id of a server: the server's id in the high byte, then
// five bytes of its clock, then two zero bytes (ZK-2.8).
func firstSessionID(nowMs int64, serverID uint8) int64 {
	return int64(uint64(nowMs)<<24>>8 | uint64(serverID)<<56)
}

// passwordSecret is ZooKeeperServer.java's superSecret.
const passwordSecret = 0xB3415C00

// Password returns the password of a session: 16 bytes of java.util.Random, seeded by the session
// id alone (ZK-2.8).
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
