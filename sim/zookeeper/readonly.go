package zookeeper

// A follower that has lost its quorum may serve readers (ZK-24.3, ZK-24.7). It answers from its own
// state and refuses writes. If local sessions are allowed, it creates sessions that other servers
// do not know and that leave nothing behind.

// ServeReaders makes a follower's machine serve clients that only want to read. They get local
// sessions whose ids contain serverID. From then on the inputs are Connect, Handle, Drop and Tick.
func (m *Machine) ServeReaders(nowMs int64, serverID uint8) {
	m.nowMs = max(m.nowMs, nowMs)
	m.nextSessionID = firstSessionID(m.nowMs, serverID)
	m.readOnly = true
}

// newLocalSession creates a session without a transaction, so that it takes no zxid.
func (m *Machine) newLocalSession() *session {
	s := &session{id: m.nextSessionID, local: true}
	m.nextSessionID++
	m.sessions[s.id] = s
	m.counters.SessionsOpened++
	return s
}

// refusesWrite answers a request with an error if the request needs a quorum and the server has
// none. It reports whether it has answered.
func (m *Machine) refusesWrite(c *Conn, req *Request) bool {
	if !m.readOnly || req.Op == OpCloseSession || req.Op.entry().place < atLeader {
		return false
	}
	m.reply(c, req).Err = CodeNotReadOnly
	return true
}
