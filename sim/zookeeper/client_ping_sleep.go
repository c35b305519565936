package zookeeper

import (
	"time"

	"github.com/monosim/monosim/sim/network"
)

// pingSleep is a connection on which nothing happens but pings. Their instants
// follow from the draws of the session's source, so none of them is an event: they
// are gone through when somebody wants to know of them, or does something to the
// connection, which then goes on as if they had all been sent.
//
// Such a session does not expire, so the server does not look at it; see
// expiry.go. All else that touches a connection wakes it; see sim/network/sleep.go.
type pingSleep struct {
	t       *idleTimer
	asleep  bool
	server  *serverConn
	session *session
	phase   pingPhase
	next    time.Duration // when the phase ends
}

type pingPhase uint8

const (
	pingWaits   pingPhase = iota // until the next ping is sent
	pingTravels                  // to the server
	pingComesBack
)

// begin falls asleep after a ping was answered, where the network allows it.
func (p *pingSleep) begin() {
	t := p.t
	server, ok := t.s.conn.PeerReceiver().(*serverConn)
	if t.plain || !ok || !t.s.open || server.s.machine == nil {
		return
	}
	c := server.s.machine.conns[server.id]
	if c == nil {
		return
	}
	// From one ping at the server to the next; longer ones could come too late.
	apart := t.limit + t.s.conn.MaxLatency() + server.conn.MaxLatency()
	if apart > time.Duration(c.session.timeoutMs)*time.Millisecond || !t.s.conn.Sleep(p) {
		return
	}
	t.timer.Cancel()
	c.session.sleeper = p
	p.asleep, p.server, p.session = true, server, c.session
	p.phase, p.next = pingWaits, t.at
}

// settle goes through what happens up to an instant.
func (p *pingSleep) settle(until time.Duration) {
	for p.next <= until {
		p.step()
	}
}

// step ends a phase, and draws as the events would.
func (p *pingSleep) step() {
	t := p.t
	client, server := t.s.conn, p.server.conn
	switch p.phase {
	case pingWaits:
		t.ping(p.next)
		client.Skip(false, pingBytes)
		p.next += client.Latency(t.source)
		p.phase = pingTravels
	case pingTravels:
		server.Skip(true, pingBytes)
		p.server.s.machine.pinged(p.session, p.next.Milliseconds())
		server.Skip(false, pongBytes)
		p.next += server.Latency(t.source)
		p.phase = pingComesBack
	case pingComesBack:
		client.Skip(true, pongBytes)
		t.answered(p.next)
		p.next = t.at
		p.phase = pingWaits
	}
}

// pinged is a ping of the past.
func (m *Machine) pinged(s *session, atMs int64) {
	m.counters.count(OpPing)
	s.deadlineMs = m.expiry.deadline(atMs + s.timeoutMs)
}

// woken files a session that was not looked at while it slept.
func (c *serverConn) woken(s *session) {
	if s.filedMs != 0 || s.ended {
		return
	}
	c.s.machine.expiry.file(s)
	if c.s.proc != nil && !c.s.leaderless {
		c.s.schedule()
	}
}

// Settle catches up with the clock.
func (p *pingSleep) Settle() { p.settle(p.t.s.p.Elapsed()) }

// Rouse goes on with events.
func (p *pingSleep) Rouse() {
	p.Settle()
	t := p.t
	p.asleep, p.session.sleeper = false, nil
	p.server.woken(p.session)
	switch p.phase {
	case pingTravels:
		t.s.conn.Resume(t.request, pingBytes, p.next)
	case pingComesBack:
		p.server.conn.Resume(pingReply, pongBytes, p.next)
	}
	t.schedule()
}

var _ network.Sleeper = (*pingSleep)(nil)
