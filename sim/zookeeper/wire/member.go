package wire

import (
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// role is what a server of an ensemble does now.
type role uint8

const (
	stopped role = iota
	looking
	leading
	following
	reading // it has no quorum and serves read-only clients
)

// member is a server as a part of its ensemble, guarded by the ensemble's lock. Its methods
// answer for a nil member too, which is a server by itself.
type member struct {
	ensemble *Ensemble
	id       int64
	addr     string // for clients; it has the real port once the server was started
	s        *Server
	role     role
	// cut is true when it is separated from the other servers.
	cut bool
	// lag is how late messages from the leader arrive.
	lag time.Duration
	// lookingSince is when the server lost its leader.
	lookingSince time.Time

	// conns and channel are a follower's: its connections, and the messages on their way
	// from the leader.
	conns   map[zookeeper.ConnID]*followed
	channel []fromLeader
}

// fromLeader is a message from the leader: a transaction, or an answer for a connection.
type fromLeader struct {
	at          time.Time
	transaction *zookeeper.Transaction
	out         zookeeper.Out
}

// followed is a connection to a follower. Its requests are done in order: one that is
// forwarded to the leader holds up those behind it (ZK-24.4).
type followed struct {
	c       *conn
	leader  *zookeeper.Conn // the leader's half of the connection
	queue   []zookeeper.Request
	waiting bool // for an answer of the leader
}

func (m *member) follows() bool { return m != nil && m.role == following }
func (m *member) leads() bool   { return m != nil && m.role == leading }
func (m *member) reads() bool   { return m != nil && m.role == reading }

// connected reports whether the server runs and reaches the others.
func (m *member) connected() bool { return m.role != stopped && !m.cut }

// self returns the server's entry in the ensemble's configuration, zero when it has none.
func (m *member) self() (self members.Server) {
	for _, one := range m.ensemble.quorum.Members.Servers() {
		if one.ID == m.id {
			self = one
		}
	}
	return self
}

// mode returns what srvr calls the server, or "looking" or "stopped".
func (m *member) mode() string {
	switch m.role {
	case leading:
		return "leader"
	case following:
		if m.self().Observer {
			return "observer"
		}
		return "follower"
	case reading:
		return "read-only"
	case looking:
		return "looking"
	}
	return "stopped"
}

// connect hands the first request of a connection to the leader (ZK-2.4, ZK-2.5).
func (m *member) connect(c *conn, req *zookeeper.ConnectRequest) {
	if req.LastZxidSeen > m.s.machine.Zxid() {
		return // the caller closes the connection, which is not established
	}
	if older := m.s.machine.ConnOf(req.SessionID); older != nil && m.conns[older.ID()] != nil {
		m.conns[older.ID()].c.hangUp()
		m.closed(older.ID())
	}
	lead := m.ensemble.leader.s
	lead.from = c.remote.Addr()
	at := lead.machine.ConnectRemote(m.s.clock.NowMs(), c.id, req)
	m.conns[c.id] = &followed{c: c, leader: at, waiting: true}
}

// receive queues a request. The leader hears that the session lives, whatever is asked.
func (m *member) receive(id zookeeper.ConnID, req zookeeper.Request) {
	f := m.conns[id]
	if f == nil || !f.leader.Attached() {
		return
	}
	m.heard(id, req.Op)
	f.queue = append(f.queue, req)
	m.work(f)
}

// heard tells the leader that the session of a connection lives.
func (m *member) heard(id zookeeper.ConnID, op zookeeper.OpCode) {
	if f := m.conns[id]; f != nil && f.leader.Attached() {
		m.ensemble.leader.s.machine.Heard(m.s.clock.NowMs(), f.leader, op)
	}
}

// work does the queued requests up to one that has to wait.
func (m *member) work(f *followed) {
	for len(f.queue) > 0 && !f.waiting && m.conns[f.c.id] == f {
		req := f.queue[0]
		f.queue = f.queue[1:]
		if req.Op.NeedsLeader() {
			f.waiting = true
			m.ensemble.leader.s.machine.Forward(f.leader, &req, m.s.machine.Conn(f.c.id))
			return
		}
		m.s.machine.Serve(m.s.clock.NowMs(), f.c.id, &req)
		m.sendOwn()
	}
}

// sendOwn sends what the follower's own machine has put out. It reports whether there was
// anything.
func (m *member) sendOwn() (sent bool) {
	out := m.s.machine.Drain()
	for i := range out {
		m.send(&out[i])
	}
	return len(out) > 0
}

func (m *member) send(out *zookeeper.Out) {
	if c := m.s.conns[out.Conn]; c != nil {
		m.s.send(c, out, false)
	}
	if out.Kind == zookeeper.OutClose && m.role == following {
		m.closed(out.Conn)
	}
}

// enqueue puts a message from the leader on its way.
func (m *member) enqueue(what fromLeader) {
	what.at = time.Now().Add(m.lag)
	m.channel = append(m.channel, what)
}

// arrive applies the messages from the leader that are due, and reports whether there were
// any.
func (m *member) arrive(now time.Time) (any bool) {
	for len(m.channel) > 0 && !m.channel[0].at.After(now) {
		next := m.channel[0]
		m.channel = m.channel[1:]
		any = true
		if next.transaction != nil {
			m.s.machine.Follow(*next.transaction)
			m.sendOwn()
		} else {
			m.answered(&next.out)
		}
	}
	return any
}

// answered passes on the leader's answer for a connection, and then does the requests that
// waited for it.
func (m *member) answered(out *zookeeper.Out) {
	f := m.conns[out.Conn]
	if f == nil {
		return
	}
	if out.Kind == zookeeper.OutConnected {
		m.s.machine.Adopt(f.leader, out.Connected.SessionID)
	}
	f.waiting = false
	m.send(out)
	m.work(f)
}

// closed forgets a connection. An unknown id is ignored.
func (m *member) closed(id zookeeper.ConnID) {
	f := m.conns[id]
	if f == nil {
		return
	}
	delete(m.conns, id)
	m.s.machine.Leave(id)
	f.leader.Detach()
}

// quit ends the server's part under a leader. It applies every transaction still on its
// way, because all of them were committed, and closes its connections.
func (m *member) quit() {
	if m.role == following {
		for _, next := range m.channel {
			if next.transaction != nil {
				m.s.machine.Follow(*next.transaction)
			}
		}
	}
	m.channel, m.conns = nil, map[zookeeper.ConnID]*followed{}
	if m.s.machine != nil {
		m.s.machine.Drain()
		m.s.machine = m.s.machine.Replica()
	}
	for _, c := range m.s.connsByID() {
		c.hangUp()
	}
}

// serverID returns the number that the word conf tells, 0 for a server by itself.
func (m *member) serverID() int64 {
	if m == nil {
		return 0
	}
	return m.id
}

// conf writes what the word conf tells of an ensemble; nothing for a server by itself.
func (m *member) conf(b *strings.Builder) {
	if m == nil {
		return
	}
	self := m.self()
	kind := 0
	if self.Observer {
		kind = 1
	}
	fmt.Fprintf(b, "initLimit=10\nsyncLimit=5\nelectionAlg=3\nelectionPort=%d\nquorumPort=%d\npeerType=%d\nmembership: \n%s",
		self.ElectionPort, self.PeerPort, kind, m.ensemble.quorum.Members)
}

// mntr reports the values that the word mntr has for an ensemble.
func (m *member) mntr(value func(string, any)) {
	switch {
	case m == nil:
	case m.role == leading:
		value("peer_state", "leading - broadcast")
		value("quorum_size", len(m.ensemble.quorum.Members.Voters()))
		value("learners", m.ensemble.count(func(o *member) bool { return o.role == following }))
		value("synced_followers", m.ensemble.count(func(o *member) bool { return o.role == following && !o.self().Observer }))
		value("synced_observers", m.ensemble.count(func(o *member) bool { return o.role == following && o.self().Observer }))
	case m.role == following:
		value("peer_state", "following - broadcast")
		value("quorum_size", len(m.ensemble.quorum.Members.Voters()))
	}
}

// port returns the port of an address, 0 for an address without one.
func port(addr string) (n int) {
	_, text, err := net.SplitHostPort(addr)
	if err == nil {
		fmt.Sscanf(text, "%d", &n)
	}
	return n
}
