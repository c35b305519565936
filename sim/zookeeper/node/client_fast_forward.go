package node

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// fastForward computes the pings of an idle connection without events (a leap.Leaper). The times of
// the pings follow from the session's random source, so both ends can compute them. In the meantime
// the server does not have to check whether the session expires, because it pings in time
// (sim/zookeeper/expiry.go). As soon as anything else happens on the connection, pings are events
// again (sim/network/idle.go).
type fastForward struct {
	t       *idleTimer
	sleeper *leap.Sleeper
	server  *serverConn
	at      *zookeeper.Conn // server's Conn in the machine
	phase   pingPhase
	next    time.Duration // time at which the phase ends
}

type pingPhase uint8

const (
	pingWaits   pingPhase = iota // the next ping is yet to be sent
	pingTravels                  // the ping is on its way to the server
	pingComesBack
)

// begin makes pings have no events from now on. It is called after the answer to a ping, and
// returns false if the network does not allow it.
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
	// This is the longest time between two pings at the server. If it exceeds the session timeout,
	// the session might expire.
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

// Next returns the time at which the present phase ends, and which step of the loop ends it.
func (f *fastForward) Next() (time.Duration, int) {
	switch f.phase {
	case pingTravels:
		return f.next, network.PartRequest
	case pingComesBack:
		return f.next, network.PartAnswer
	}
	return f.next, partIdle
}

// Leap computes the pings and answers before the bound.
func (f *fastForward) Leap(b vtime.Bound) {
	for at, part := f.Next(); b.Allows(f.t.loop, at, part); at, part = f.Next() {
		f.step()
	}
}

// step ends the present phase. It draws the same random numbers as the events would.
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

// woken makes the server check again whether the session expires. It did not while pings had no
// events.
func (c *serverConn) woken(at *zookeeper.Conn) {
	if c.s.machine.ResumeExpiry(at) && c.s.proc != nil && !c.s.leaderless {
		c.s.schedule()
	}
}

// Resume schedules an event for the ping or answer that is on its way. From then on pings have
// events again.
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
