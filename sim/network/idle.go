package network

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// A loop that is asleep (vtime.Sleeper) makes the messages of its steps without events. It
// joins each connection that it uses, and is woken before anything happens to one that the
// steps do not foretell: a message of somebody else, a fault, a close.

// Join has the loop woken before anything changes for the connection, until Leave. It
// reports false, and has no effect, when the connection is not open both ways, when a
// message with an event is on its way, or when what is sent could be lost, delayed by a
// fault, or held up for bandwidth.
func (c *Conn) Join(s *vtime.Sleeper) bool {
	p := c.peer
	n := c.n
	switch {
	case slices.Contains(c.sleepers, s):
		return true
	case c.state != connOpen || p.state != connOpen || !c.out.quiet() || !p.out.quiet() ||
		n.latency.LossPerMille > 0 || n.latency.BytesPerSecond > 0 || len(c.host.losing) > 0 || len(p.host.losing) > 0:
		return false
	}
	if len(c.sleepers) == 0 {
		c.idlePlace, p.idlePlace = len(n.idle), len(n.idle)
		n.idle = append(n.idle, c)
	}
	c.share(append(c.sleepers, s))
	return true
}

// Leave ends Join; it does nothing for a loop that has not joined.
func (c *Conn) Leave(s *vtime.Sleeper) {
	i := slices.Index(c.sleepers, s)
	if i < 0 {
		return
	}
	c.share(slices.Delete(c.sleepers, i, i+1))
	if len(c.sleepers) > 0 {
		return
	}
	n := c.n
	last := len(n.idle) - 1
	moved := n.idle[last]
	n.idle[c.idlePlace] = moved
	moved.idlePlace, moved.peer.idlePlace = c.idlePlace, c.idlePlace
	n.idle[last] = nil
	n.idle = n.idle[:last]
}

func (c *Conn) share(s []*vtime.Sleeper) { c.sleepers, c.peer.sleepers = s, s }

func (p *pipe) quiet() bool {
	return p.count == 0 && !p.troubled && !p.link.cut() && p.link.extra == 0
}

// wake wakes the loops that have joined the connection.
func (c *Conn) wake() {
	if c.n.w.Closing() {
		return // nobody will ask for what they have let wait
	}
	for len(c.sleepers) > 0 {
		s := c.sleepers[len(c.sleepers)-1]
		s.Rouse()
		c.Leave(s)
	}
}

// wakeAll wakes all loops that use connections, before a fault.
func (n *Network) wakeAll() {
	for len(n.idle) > 0 && !n.w.Closing() {
		n.idle[0].wake()
	}
}

// SendsAt is when a message comes in that this end sends at an instant without an event.
func (c *Conn) SendsAt(at time.Duration, sizeBytes int) time.Duration {
	c.host.counters.count(false, sizeBytes)
	return c.out.behindLast(at + c.out.link.draw(c.out.source()))
}

// Takes counts a message of SendsAt that has come in at this end.
func (c *Conn) Takes(sizeBytes int) { c.host.counters.count(true, sizeBytes) }

// MaxLatency is an upper bound of how long a message of this end takes, faults aside.
func (c *Conn) MaxLatency() time.Duration { return c.out.link.maxLatency() }

// Resume makes a message of SendsAt, which comes in at the virtual time at, one with an
// event. Only whoever wakes up may call it.
func (c *Conn) Resume(loop *vtime.Loop, payload any, sizeBytes int, at time.Duration) {
	c.out.insert(segment{payload: payload, loop: loop, sizeBytes: sizeBytes, what: segmentMessage, at: at})
}

// PeerReceiver is the Receiver of the other end, nil before that was set.
func (c *Conn) PeerReceiver() Receiver { return c.peer.receiver }
