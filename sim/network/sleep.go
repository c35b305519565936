package network

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Sleeper stands for a connection on which nothing happens but what both ends
// could foretell, such as pings. Nothing is scheduled for it until somebody
// touches the connection or its way.
type Sleeper interface {
	// Rouse is called before anything about the connection changes: it catches up
	// with the clock and puts on the way what would be on it now.
	Rouse()
	// Settle catches up with the clock, for somebody who looks at counters.
	Settle()
}

// Sleep hands a quiet connection to a sleeper. It reports false, and has no
// effect, when what is sent on it could be lost, late, or held up, or when
// something is on its way.
func (c *Conn) Sleep(s Sleeper) bool {
	p := c.peer
	n := c.n
	if c.state != connOpen || p.state != connOpen || !c.out.quiet() || !p.out.quiet() ||
		n.law.LossPerMille > 0 || n.law.BytesPerSecond > 0 || len(c.host.losing) > 0 || len(p.host.losing) > 0 {
		return false
	}
	c.sleeper, p.sleeper = s, s
	c.sleepPlace, p.sleepPlace = len(n.sleepers), len(n.sleepers)
	n.sleepers = append(n.sleepers, c)
	return true
}

func (p *pipe) quiet() bool {
	return p.count == 0 && !p.troubled && !p.link.cut() && p.link.extra == 0
}

// rouse ends a sleep.
func (c *Conn) rouse() {
	s := c.sleeper
	if s == nil {
		return
	}
	n := c.n
	c.sleeper, c.peer.sleeper = nil, nil
	last := len(n.sleepers) - 1
	moved := n.sleepers[last]
	n.sleepers[c.sleepPlace] = moved
	moved.sleepPlace, moved.peer.sleepPlace = c.sleepPlace, c.sleepPlace
	n.sleepers[last] = nil
	n.sleepers = n.sleepers[:last]
	if n.w.Closing() {
		return // nobody will ask for what it has let wait
	}
	s.Rouse()
}

// rouseAll ends all sleep, before a fault.
func (n *Network) rouseAll() {
	for len(n.sleepers) > 0 {
		n.sleepers[0].rouse()
	}
}

// Settle brings counters up to date that connections which sleep have let wait.
func (n *Network) Settle() {
	for _, c := range n.sleepers {
		c.sleeper.Settle()
	}
}

// Latency draws what a message takes from this end, from a source of its own.
func (c *Conn) Latency(s *vtime.Source) time.Duration { return c.out.link.draw(s) }

// MaxLatency is the most that Latency draws.
func (c *Conn) MaxLatency() time.Duration { return c.out.link.maxLatency() }

// Skip counts a message that was sent from this end, or that arrived at it, in a
// sleep.
func (c *Conn) Skip(arrived bool, sizeBytes int) { c.host.counters.count(arrived, sizeBytes) }

// Resume puts a message on the way that a sleeper has counted as sent; it arrives
// at an instant that must not be in the past.
func (c *Conn) Resume(payload any, sizeBytes int, at time.Duration) {
	c.out.add(segment{payload: payload, sizeBytes: sizeBytes, what: segmentMessage, at: at})
	c.out.schedule()
}

// PeerReceiver is who receives at the other end; nil before it has been set.
func (c *Conn) PeerReceiver() Receiver { return c.peer.receiver }
