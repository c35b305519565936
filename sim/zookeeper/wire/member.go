package wire

import (
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// role is what a server of an ensemble does at the moment.
type role uint8

const (
	stopped role = iota
	looking
	leading
	following
	reading // without a quorum, for readers only
)

// member is a server's place in an ensemble: what it has to do with the others. All of it
// is guarded by the ensemble's lock. A nil member is that of a server by itself.
type member struct {
	ensemble *Ensemble
	id       int64
	addr     string // for clients; its port is known once it was started
	s        *Server
	role     role
	// cut says that it does not reach the others, nor they it.
	cut bool
	// lag is how late what comes from the leader is.
	lag time.Duration
	// lookingSince is when it lost its leader.
	lookingSince time.Time

	// Of a follower: its connections, and what is on its way from the leader.
	conns   map[zookeeper.ConnID]*followed
	channel []fromLeader
}

// fromLeader is a transaction or something for one connection.
type fromLeader struct {
	at          time.Time
	transaction *zookeeper.Transaction
	out         zookeeper.Out
}

// followed is a connection to a follower. Its requests are done one after the other: one
// that the leader is asked for holds up those behind it (ZK-24.4).
type followed struct {
	c       *conn
	leader  *zookeeper.Conn // the leader's side of it
	queue   []zookeeper.Request
	waiting bool
}

func (m *member) follows() bool { return m != nil && m.role == following }
func (m *member) leads() bool   { return m != nil && m.role == leading }
func (m *member) reads() bool   { return m != nil && m.role == reading }

// connected reports whether it takes part.
func (m *member) connected() bool { return m.role != stopped && !m.cut }

// observes reports whether it has no vote.
func (m *member) observes() bool {
	for _, one := range m.ensemble.quorum.Members.Servers() {
		if one.ID == m.id {
			return one.Observer
		}
	}
	return false
}

// mode is what srvr calls it, and what it is called while it does not answer.
func (m *member) mode() string {
	switch m.role {
	case leading:
		return "leader"
	case following:
		if m.observes() {
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
		return // it is closed, as one that is not established
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

// receive takes a request; whatever it is, the leader hears that the session lives.
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

// sendOwn sends what its own machine has put out.
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

// hears puts something on the way from the leader.
func (m *member) hears(what fromLeader) {
	what.at = time.Now().Add(m.lag)
	m.channel = append(m.channel, what)
}

// arrive applies what has come from the leader by now, and reports whether there was any.
func (m *member) arrive(now time.Time) (any bool) {
	for len(m.channel) > 0 && !m.channel[0].at.After(now) {
		next := m.channel[0]
		m.channel = m.channel[1:]
		any = true
		if next.transaction != nil {
			m.s.machine.Follow(*next.transaction)
			m.sendOwn()
		} else {
			m.told(&next.out)
		}
	}
	return any
}

// told passes on what the leader has for a connection, and goes on with the requests that
// waited for it.
func (m *member) told(out *zookeeper.Out) {
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

// closed forgets a connection.
func (m *member) closed(id zookeeper.ConnID) {
	f := m.conns[id]
	if f == nil {
		return
	}
	delete(m.conns, id)
	m.s.machine.Leave(id)
	f.leader.Detach()
}

// quit ends what it has to do with a leader: it knows all that was committed, and has no
// connections.
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

// serverID is the number that the word conf tells, 0 for a server by itself.
func (m *member) serverID() int64 {
	if m == nil {
		return 0
	}
	return m.id
}

// conf is what the word tells of an ensemble.
func (m *member) conf(b *strings.Builder) {
	if m == nil {
		return
	}
	self := members.Server{}
	for _, one := range m.ensemble.quorum.Members.Servers() {
		if one.ID == m.id {
			self = one
		}
	}
	kind := 0
	if self.Observer {
		kind = 1
	}
	fmt.Fprintf(b, "initLimit=10\nsyncLimit=5\nelectionAlg=3\nelectionPort=%d\nquorumPort=%d\npeerType=%d\nmembership: \n%s",
		self.ElectionPort, self.PeerPort, kind, m.ensemble.quorum.Members)
}

// mntr is what the word tells of an ensemble.
func (m *member) mntr(value func(string, any)) {
	switch {
	case m == nil:
	case m.role == leading:
		value("peer_state", "leading - broadcast")
		value("quorum_size", len(m.ensemble.quorum.Members.Voters()))
		value("learners", m.ensemble.count(func(o *member) bool { return o.role == following }))
		value("synced_followers", m.ensemble.count(func(o *member) bool { return o.role == following && !o.observes() }))
		value("synced_observers", m.ensemble.count(func(o *member) bool { return o.role == following && o.observes() }))
	case m.role == following:
		value("peer_state", "following - broadcast")
		value("quorum_size", len(m.ensemble.quorum.Members.Voters()))
	}
}

// port is that of an address, 0 for one without.
func port(addr string) (n int) {
	_, text, err := net.SplitHostPort(addr)
	if err == nil {
		fmt.Sscanf(text, "%d", &n)
	}
	return n
}
