package network

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Idler fast-forwards an idle connection: one on which nothing happens but what both
// ends can foretell, such as pings. While it does, no event is scheduled for the
// connection. Whoever uses the connection implements it, and the network calls it.
type Idler interface {
	// Wake ends the fast-forward. It is called before anything changes that the
	// foretelling rests on: a message, a fault, a close. It does all that has become
	// due by now, and sends by Conn.Resume what would be on its way.
	Wake()
	// CatchUp does all that has become due by now and leaves the connection idle. It
	// is called before somebody reads counters.
	CatchUp()
}

// GoIdle hands the connection to idler until its next Wake. It reports false, and has
// no effect, when the connection is not open both ways, when something is on its way,
// or when what is sent could be lost, delayed by a fault, or held up for bandwidth.
func (c *Conn) GoIdle(idler Idler) bool {
	p := c.peer
	n := c.n
	if c.state != connOpen || p.state != connOpen || !c.out.quiet() || !p.out.quiet() ||
		n.latency.LossPerMille > 0 || n.latency.BytesPerSecond > 0 || len(c.host.losing) > 0 || len(p.host.losing) > 0 {
		return false
	}
	c.idler, p.idler = idler, idler
	c.idlePlace, p.idlePlace = len(n.idle), len(n.idle)
	n.idle = append(n.idle, c)
	return true
}

func (p *pipe) quiet() bool {
	return p.count == 0 && !p.troubled && !p.link.cut() && p.link.extra == 0
}

// wake ends the fast-forward of a connection that is idle.
func (c *Conn) wake() {
	s := c.idler
	if s == nil {
		return
	}
	n := c.n
	c.idler, c.peer.idler = nil, nil
	last := len(n.idle) - 1
	moved := n.idle[last]
	n.idle[c.idlePlace] = moved
	moved.idlePlace, moved.peer.idlePlace = c.idlePlace, c.idlePlace
	n.idle[last] = nil
	n.idle = n.idle[:last]
	if n.w.Closing() {
		return // nobody will ask for what it has let wait
	}
	s.Wake()
}

// wakeAll ends every fast-forward, before a fault.
func (n *Network) wakeAll() {
	for len(n.idle) > 0 {
		n.idle[0].wake()
	}
}

// CatchUp brings the counters up to date of connections that are idle.
func (n *Network) CatchUp() {
	for _, c := range n.idle {
		c.idler.CatchUp()
	}
}

// Latency draws how long the next message from this end takes, faults aside. It is for
// an Idler, whose messages are not sent one by one.
func (c *Conn) Latency() time.Duration { return c.out.link.draw(c.out.source()) }

// MaxLatency is an upper bound of what Latency returns.
func (c *Conn) MaxLatency() time.Duration { return c.out.link.maxLatency() }

// Skip counts a message that this end sent, or with arrived one that it received,
// while the connection was idle.
func (c *Conn) Skip(arrived bool, sizeBytes int) { c.host.counters.count(arrived, sizeBytes) }

// Resume sends a message that Skip has counted as sent already; it arrives at the
// virtual time at, which must not be in the past. Only Idler.Wake may call it.
func (c *Conn) Resume(loop *vtime.Loop, payload any, sizeBytes int, at time.Duration) {
	c.out.add(segment{payload: payload, loop: loop, sizeBytes: sizeBytes, what: segmentMessage, at: at})
	c.out.schedule()
}

// PeerReceiver is the Receiver of the other end, nil before that was set.
func (c *Conn) PeerReceiver() Receiver { return c.peer.receiver }
