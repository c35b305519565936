package network

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// A sleeping loop (leap.Sleeper) makes the messages of its steps without events. It joins
// each connection that it uses. The connection wakes the loop before anything that the loop's
// steps do not predict: another message, a fault, a close.

// Join makes the connection wake the loop before anything changes on the connection, until Leave.
// It returns false, without effect, in three cases: the connection is not open both ways; a message
// with an event is on its way and the loop is not Tolerant; messages could be lost, delayed by a
// fault, or held up by limited bandwidth.
func (c *Conn) Join(s *leap.Sleeper) bool {
	p := c.peer
	n := c.n
	switch {
	case slices.Contains(c.sleepers, s):
		return true
	case c.state != connOpen || p.state != connOpen || !c.out.whole() || !p.out.whole() || !s.Tolerant && c.out.count+p.out.count > 0 ||
		n.latency.LossPerMille > 0 || n.latency.BytesPerSecond > 0 || len(c.host.losing) > 0 || len(p.host.losing) > 0:
		return false
	}
	if len(c.sleepers) == 0 {
		c.idlePlace, p.idlePlace = int32(len(n.idle)), int32(len(n.idle))
		n.idle = append(n.idle, c)
	}
	c.share(append(c.sleepers, s))
	return true
}

// Leave ends Join. It does nothing for a loop that has not joined.
func (c *Conn) Leave(s *leap.Sleeper) {
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

func (c *Conn) share(s []*leap.Sleeper) { c.sleepers, c.peer.sleepers = s, s }

func (p *pipe) whole() bool { return p.trouble == nil && !p.link.cut() && p.link.extra == 0 }

// WakeSleepers wakes the loops that have joined the connection, before another message is sent on
// it. Loops that tolerate other messages stay asleep, and only catch up with the steps that are
// already past. Call it before the message gets its number.
func (c *Conn) WakeSleepers() {
	if c.n.w.Closing() {
		return // the world is ending, so nobody needs the steps that loops have put off
	}
	for i := 0; i < len(c.sleepers); i++ {
		if s := c.sleepers[i]; s.Tolerant {
			s.CatchUp()
			continue
		}
		c.wakeOne(c.sleepers[i])
		i = -1
	}
}

// wake wakes the loops that have joined the connection.
func (c *Conn) wake() {
	if c.n.w.Closing() {
		return // the world is ending, so nobody needs the steps that loops have put off
	}
	for len(c.sleepers) > 0 {
		c.wakeOne(c.sleepers[len(c.sleepers)-1])
	}
}

func (c *Conn) wakeOne(s *leap.Sleeper) {
	s.Wake()
	c.Leave(s)
}

// wakeAll wakes all sleeping loops that use connections. Every fault calls it first.
func (n *Network) wakeAll() {
	for len(n.idle) > 0 && !n.w.Closing() {
		n.idle[0].wake()
	}
}

// SendsAt counts a message that this end sends at a virtual time, and returns when it arrives. No
// event is scheduled for it.
func (c *Conn) SendsAt(at time.Duration, sizeBytes int) time.Duration {
	c.host.counters.count(false, sizeBytes)
	return c.out.arrivalOf(at)
}

// arrivalOf draws the latency of a message that is sent at the virtual time at. It returns the
// message's time of arrival.
func (p *pipe) arrivalOf(at time.Duration) time.Duration {
	source := p.latency
	if source == nil {
		source = p.source()
	}
	shortest, spread := p.law()
	at += shortest
	if draws, ok := source.Ahead(); ok && spread > 0 {
		source.Skip(1)
		at += time.Duration(draws.Ahead(0, uint64(spread)))
	} else {
		at += draw(source, spread)
	}
	return p.behindLast(at)
}

// Takes counts a message that SendsAt sent and that has arrived at this end.
func (c *Conn) Takes(sizeBytes int) { c.host.counters.count(true, sizeBytes) }

// MinLatency returns a lower bound of the latency of this end's messages.
func (c *Conn) MinLatency() time.Duration {
	min, _ := c.out.law()
	return min
}

// MaxLatency returns an upper bound of the latency of this end's messages while there are no
// faults.
func (c *Conn) MaxLatency() time.Duration { return c.out.link.maxLatency() }

// Resume schedules an event for the arrival of a message that SendsAt sent. at is the virtual time
// of the arrival. Only a loop that is waking up may call it.
func (c *Conn) Resume(loop *vtime.Loop, payload any, sizeBytes int, at time.Duration) {
	c.out.insert(segment{payload: payload, loop: loop, sizeBytes: sizeBytes, what: segmentMessage, at: at})
}

// PeerReceiver returns the Receiver of the other end; nil before it is set.
func (c *Conn) PeerReceiver() Receiver { return c.peer.receiver }
