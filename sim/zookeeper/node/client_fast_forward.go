package node

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// fastForward is the sleep of the pings of a connection on which nothing happens but what
// both ends can foretell (leap.Sleeper). Their instants follow from the draws of the
// session's source, so none of them is an event.
//
// Such a session does not expire, so the server does not look at it; see
// sim/zookeeper/expiry.go. All else that touches a connection wakes it; see
// sim/network/idle.go.
type fastForward struct {
	t       *idleTimer
	sleeper *leap.Sleeper
	server  *serverConn
	at      *zookeeper.Conn // the machine's side of server
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
func (f *fastForward) begin() bool {
	t := f.t
	server, ok := t.s.conn.PeerReceiver().(*serverConn)
	if !ok || !t.s.open || server.s.machine == nil || t.s.p.Dead() || t.s.host.Network().World().NoLeaps() {
		return false
	}
	c := server.s.machine.Conn(server.id)
	if c == nil {
		return false
	}
	// From one ping at the server to the next; longer ones could come too late.
	apart := t.limit + t.s.conn.MaxLatency() + server.conn.MaxLatency()
	if apart > c.Timeout() || !t.s.conn.Join(f.sleeper) {
		return false
	}
	t.timer.Cancel()
	server.s.machine.SuspendExpiry(c)
	f.server, f.at = server, c
	f.phase, f.next = pingWaits, t.at
	f.sleeper.Sleep()
	return true
}

// Next is the end of the phase.
func (f *fastForward) Next() (time.Duration, int) {
	switch f.phase {
	case pingTravels:
		return f.next, network.PartRequest
	case pingComesBack:
		return f.next, network.PartAnswer
	}
	return f.next, partIdle
}

// Leap makes the steps that come before the bound.
func (f *fastForward) Leap(b vtime.Bound) {
	for at, part := f.Next(); b.Allows(f.t.loop, at, part); at, part = f.Next() {
		f.step()
	}
}

// step ends a phase, and draws as the events would.
func (f *fastForward) step() {
	t := f.t
	client, server := t.s.conn, f.server.conn
	t.loop.Did(f.next)
	switch f.phase {
	case pingWaits:
		if !t.quiet(f.next) {
			f.next = t.at
			return
		}
		if t.outstanding {
			panic("zookeeper: a ping without an answer was leapt over")
		}
		t.ping(f.next)
		f.next = client.SendsAt(f.next, pingBytes)
		f.phase = pingTravels
	case pingTravels:
		server.Takes(pingBytes)
		f.server.s.machine.PingedAt(f.at, f.next.Milliseconds())
		f.next = server.SendsAt(f.next, pongBytes)
		f.phase = pingComesBack
	case pingComesBack:
		client.Takes(pongBytes)
		t.answered(f.next)
		f.next = t.at
		f.phase = pingWaits
	}
}

// woken lets a session expire that could not during the fast-forward of its connection.
func (c *serverConn) woken(at *zookeeper.Conn) {
	if c.s.machine.ResumeExpiry(at) && c.s.proc != nil && !c.s.leaderless {
		c.s.schedule()
	}
}

// Resume makes the ping or answer that is on its way, and all that follows, events again.
func (f *fastForward) Resume() {
	t := f.t
	defer unled(t.s.host)()
	t.s.conn.Leave(f.sleeper)
	f.server.woken(f.at)
	switch f.phase {
	case pingTravels:
		t.s.conn.Resume(t.loop, &t.request, pingBytes, f.next)
	case pingComesBack:
		f.server.conn.Resume(t.loop, pingReply, pongBytes, f.next)
	}
	t.schedule()
}

var _ leap.Leaper = (*fastForward)(nil)
