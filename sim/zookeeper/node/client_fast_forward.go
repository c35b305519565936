package node

import (
	"time"

	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// fastForward is the idle fast-forward of a connection on which nothing happens but
// pings. Their instants follow from the draws of the session's source, so none of them
// is an event: they are gone through when somebody wants to know of them, or does
// something to the connection, which then goes on as if they had all been sent.
//
// Such a session does not expire, so the server does not look at it; see
// sim/zookeeper/expiry.go. All else that touches a connection wakes it; see
// sim/network/idle.go.
type fastForward struct {
	t      *idleTimer
	active bool
	server *serverConn
	at     *zookeeper.Conn // the machine's side of server
	phase  pingPhase
	next   time.Duration // when the phase ends
}

type pingPhase uint8

const (
	pingWaits   pingPhase = iota // until the next ping is sent
	pingTravels                  // to the server
	pingComesBack
)

// begin starts the fast-forward after a ping was answered, where the network allows it.
func (f *fastForward) begin() {
	t := f.t
	server, ok := t.s.conn.PeerReceiver().(*serverConn)
	if !ok || !t.s.open || server.s.machine == nil || t.s.host.Network().World().NoLeaps() {
		return
	}
	c := server.s.machine.Conn(server.id)
	if c == nil {
		return
	}
	// From one ping at the server to the next; longer ones could come too late.
	apart := t.limit + t.s.conn.MaxLatency() + server.conn.MaxLatency()
	if apart > c.Timeout() || !t.s.conn.GoIdle(f) {
		return
	}
	t.timer.Cancel()
	server.s.machine.SuspendExpiry(c)
	f.active, f.server, f.at = true, server, c
	f.phase, f.next = pingWaits, t.at
}

// part is that of the phase among the parts of the loop.
func (f *fastForward) part() int {
	switch f.phase {
	case pingTravels:
		return network.PartRequest
	case pingComesBack:
		return network.PartAnswer
	}
	return partIdle
}

// step ends a phase, and draws as the events would.
func (f *fastForward) step() {
	t := f.t
	client, server := t.s.conn, f.server.conn
	t.loop.Did(f.next)
	switch f.phase {
	case pingWaits:
		if !t.drawn {
			t.drawn = true
			if t.at = t.since + t.draw(); t.at > f.next {
				f.next = t.at
				return
			}
		}
		t.ping(f.next)
		client.Skip(false, pingBytes)
		f.next += client.Latency()
		f.phase = pingTravels
	case pingTravels:
		server.Skip(true, pingBytes)
		f.server.s.machine.PingedAt(f.at, f.next.Milliseconds())
		server.Skip(false, pongBytes)
		f.next += server.Latency()
		f.phase = pingComesBack
	case pingComesBack:
		client.Skip(true, pongBytes)
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

// CatchUp does all that has become due by now and leaves the connection idle.
func (f *fastForward) CatchUp() {
	for f.t.loop.Past(f.next, f.part()) {
		f.step()
	}
}

// Wake does all that has become due by now and ends the fast-forward: the ping or answer
// that is on its way, and all that follows, are events again.
func (f *fastForward) Wake() {
	f.CatchUp()
	t := f.t
	f.active = false
	f.server.woken(f.at)
	switch f.phase {
	case pingTravels:
		t.s.conn.Resume(t.loop, &t.request, pingBytes, f.next)
	case pingComesBack:
		f.server.conn.Resume(t.loop, pingReply, pongBytes, f.next)
	}
	t.schedule()
}

var _ network.Idler = (*fastForward)(nil)
