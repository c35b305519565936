package wire

import (
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// role is the present state of a server in an ensemble.
type role uint8

const (
	stopped role = iota
	looking
	leading
	following
	retiring // retiring: removed by a reconfig, it leads until the next leader takes over, but commits nothing
	reading  // reading: without a quorum, it serves read-only clients
)

// member is a server as a part of its ensemble. The ensemble's lock guards it. A standalone server
// has a nil member, on which some methods may be called.
type member struct {
	ensemble *Ensemble
	id       int64
	addr     string // addr is for clients; it has the real port once the server was started
	s        *Server
	role     role
	// cut is true while the server is separated from the others.
	cut bool
	// lag is the delay of messages from the leader.
	lag time.Duration
	// retiredMs is the time at which the clock of a removed leader stands still. So its sessions do
	// not expire before the next leader takes over.
	retiredMs int64
	// lookingSince is when the server lost its leader.
	lookingSince time.Time

	// conns and channel are set for a follower. conns holds its connections. channel holds messages
	// from the leader that have not arrived yet.
	conns   map[zookeeper.ConnID]*followed
	channel []fromLeader
}

// fromLeader is a message from the leader: a transaction, or an answer for a connection. at is
// when it arrives.
type fromLeader struct {
	at          time.Time
	transaction *zookeeper.Transaction
	out         zookeeper.Out
}

// followed is a connection to a follower. Its requests are executed in order. While the leader has
// not answered a forwarded request, later requests wait (ZK-24.4).
type followed struct {
	c       *conn
	leader  *zookeeper.Conn // leader is the leader's half of the connection
	queue   []zookeeper.Request
	waiting bool // waiting is true until the leader answers a forwarded request
}

func (m *member) follows() bool { return m != nil && m.role == following }
func (m *member) retires() bool { return m != nil && m.role == retiring }
func (m *member) leads() bool   { return m != nil && m.role == leading || m.retires() }
func (m *member) reads() bool   { return m != nil && m.role == reading }

// connected reports whether the server runs and is not cut off from the others.
func (m *member) connected() bool { return m.role != stopped && !m.cut }

// self returns the server's entry in the ensemble's configuration. It returns the zero value if the
// server is not listed.
func (m *member) self() (self members.Server) {
	for _, one := range m.ensemble.quorum.Members.Servers() {
		if one.ID == m.id {
			self = one
		}
	}
	return self
}

// mode returns the mode that the four-letter word srvr prints, or "looking" or "stopped".
func (m *member) mode() string {
	switch m.role {
	case leading, retiring:
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

// connect forwards a client's connect request to the leader (ZK-2.4, ZK-2.5).
func (m *member) connect(c *conn, req *zookeeper.ConnectRequest) {
	if req.LastZxidSeen > m.s.machine.Zxid() {
		return // the caller closes the connection, because it is not established
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

// receive queues a client's request. It also tells the leader that the client's session is alive.
func (m *member) receive(id zookeeper.ConnID, req zookeeper.Request) {
	f := m.conns[id]
	if f == nil || !f.leader.Attached() {
		return
	}
	m.heard(id, req.Op)
	f.queue = append(f.queue, req)
	m.work(f)
}

// heard tells the leader that the session of a connection is alive.
func (m *member) heard(id zookeeper.ConnID, op zookeeper.OpCode) {
	if f := m.conns[id]; f != nil && f.leader.Attached() {
		m.ensemble.leader.s.machine.Heard(m.s.clock.NowMs(), f.leader, op)
	}
}

// work executes queued requests up to one that the leader has to answer.
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

// sendOwn sends the output of the follower's own machine.
func (m *member) sendOwn() {
	out := m.s.machine.Drain()
	for i := range out {
		m.send(&out[i])
	}
}

func (m *member) send(out *zookeeper.Out) {
	if c := m.s.conns[out.Conn]; c != nil {
		m.s.send(c, out, false)
	}
	if out.Kind == zookeeper.OutClose && m.role == following {
		m.closed(out.Conn)
	}
}

// enqueue schedules the arrival of a message from the leader.
func (m *member) enqueue(what fromLeader) {
	what.at = time.Now().Add(m.lag)
	m.channel = append(m.channel, what)
}

// arrive applies the leader's messages whose delay is over, and reports whether there were any.
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

// answered sends the leader's answer to its connection, and then executes the requests that waited
// for it.
func (m *member) answered(out *zookeeper.Out) {
	f := m.conns[out.Conn]
	if f == nil {
		return
	}
	if out.Kind == zookeeper.OutConnected && m.s.machine.Conn(out.Conn) == nil {
		m.s.machine.Adopt(f.leader, out.Connected.SessionID)
	}
	f.waiting = false
	m.send(out)
	m.work(f)
}

// closed removes a connection. An unknown id is ignored.
func (m *member) closed(id zookeeper.ConnID) {
	f := m.conns[id]
	if f == nil {
		return
	}
	delete(m.conns, id)
	m.s.machine.Leave(id)
	f.leader.Detach()
}

// quit ends a server's role as leader or follower. It applies the transactions that are still on
// the way, because they are committed, and closes the server's connections.
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

// serverID returns the server's id in the ensemble, which the four-letter word conf prints. It
// returns 0 for a standalone server.
func (m *member) serverID() int64 {
	if m == nil {
		return 0
	}
	return m.id
}

// conf appends the ensemble's part of the answer to the four-letter word conf. It appends nothing
// for a standalone server.
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

func (m *member) mntr(value func(string, any)) {
	switch {
	case m == nil:
	case m.role == leading:
		value("peer_state", "leading - broadcast")
		value("quorum_size", len(m.ensemble.quorum.Members.Voters()))
		value("learners", m.ensemble.count(func(o *member) bool { return o.role == following }))
		value("synced_followers", m.ensemble.count(func(o *member) bool { return o.role == following && !o.self().Observer }))
		value("synced_non_voting_followers", 0)
		value("synced_observers", m.ensemble.count(func(o *member) bool { return o.role == following && o.self().Observer }))
		value("last_proposal_size", -1)
		value("min_proposal_size", -1)
		value("max_proposal_size", -1)
		value("pending_syncs", 0)
		value("leader_uptime", m.s.clock.NowMs()-m.ensemble.ledSinceMs)
	case m.role == following:
		state := "following - broadcast"
		if m.self().Observer {
			state = "observing - broadcast"
			value("observer_master_id", m.ensemble.leader.id)
		}
		value("peer_state", state)
		value("quorum_size", len(m.ensemble.quorum.Members.Voters()))
	}
}

// port returns the port in an address; 0 if it has none.
func port(addr string) (n int) {
	_, text, err := net.SplitHostPort(addr)
	if err == nil {
		fmt.Sscanf(text, "%d", &n)
	}
	return n
}
