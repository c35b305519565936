package zookeeper

// A follower that has lost its quorum may serve readers (ZK-24.3, ZK-24.7). It answers from its own
// state and refuses writes. Where local sessions are allowed, it makes sessions that no other
// server knows and that leave no trace.

// ServeReaders makes a follower's machine serve clients that only want to read, in local sessions
// with the server's id. Its inputs are then Connect, Handle, Drop and Tick.
func (m *Machine) ServeReaders(nowMs int64, serverID uint8) {
	m.nowMs = max(m.nowMs, nowMs)
	m.nextSessionID = firstSessionID(m.nowMs, serverID)
	m.readOnly = true
}

// newLocalSession makes a session without taking a zxid.
func (m *Machine) newLocalSession() *session {
	s := &session{id: m.nextSessionID, local: true}
	m.nextSessionID++
	m.sessions[s.id] = s
	m.counters.SessionsOpened++
	return s
}

// refusesWrite rejects requests that a server without a quorum cannot carry out, and reports
// whether it did.
func (m *Machine) refusesWrite(c *Conn, req *Request) bool {
	if !m.readOnly || req.Op == OpCloseSession || req.Op.entry().place < atLeader {
		return false
	}
	m.reply(c, req).Err = CodeNotReadOnly
	return true
}
