package zookeeper

// A follower that has lost its quorum may serve readers (ZK-24.3, ZK-24.7): it answers
// from what it knows, refuses writes, and, where local sessions are allowed, makes
// sessions that nobody else knows and that leave no trace.

// ServeReaders has a follower's machine serve those who ask for no more than reading, in
// local sessions with the server's id. Inputs are those of a machine of its own: Connect,
// Handle, Drop, Tick.
func (m *Machine) ServeReaders(nowMs int64, serverID uint8) {
	m.nowMs = max(m.nowMs, nowMs)
	m.nextSessionID = firstSessionID(m.nowMs, serverID)
	m.readOnly = true
}

// newLocalSession makes a session that takes no zxid.
func (m *Machine) newLocalSession() *session {
	s := &session{id: m.nextSessionID, local: true}
	m.nextSessionID++
	m.sessions[s.id] = s
	m.counters.SessionsOpened++
	return s
}

// refusesWrite answers what a server without a quorum does not do.
func (m *Machine) refusesWrite(c *Conn, req *Request) bool {
	if !m.readOnly || req.Op == OpCloseSession || req.Op.entry().place < atLeader {
		return false
	}
	m.reply(c, req).Err = CodeNotReadOnly
	return true
}
