package zookeeper

import "fmt"

// Counters counts what a server has done since it started.
type Counters struct {
	// Writes counts all calls of OnWrite, and FailedWrites those for failed writes.
	Writes, FailedWrites uint64
	// Events counts the notifications that were sent.
	Events                                          uint64
	SessionsOpened, SessionsClosed, SessionsExpired uint64

	// WatchesSet counts watches set by a connection that had none on the path. WatchesFired counts
	// watches that an event used up. WatchesRemoved counts watches that ended otherwise: at the
	// client's request, or with the connection or server. WatchesHeld is the number of present
	// watches.
	WatchesSet, WatchesFired, WatchesRemoved, WatchesHeld uint64

	requests [maxOpCode - minOpCode + 1]uint64
	unknown  uint64
}

func (c *Counters) count(op OpCode) { c.add(op, 1) }

func (c *Counters) add(op OpCode, n uint64) {
	if op >= minOpCode && op <= maxOpCode {
		c.requests[op-minOpCode] += n
	} else {
		c.unknown += n
	}
}

// Requests returns the number of requests with the opcode.
func (c *Counters) Requests(op OpCode) uint64 {
	if op < minOpCode || op > maxOpCode {
		return 0
	}
	return c.requests[op-minOpCode]
}

// AllRequests returns the number of requests of any kind; connects are not requests.
func (c *Counters) AllRequests() uint64 {
	sum := c.unknown
	for _, n := range c.requests {
		sum += n
	}
	return sum
}

// Counters returns a copy of the counters.
func (m *Machine) Counters() Counters {
	c := m.counters
	for _, t := range []*watchTable{&m.watches.data, &m.watches.child} {
		c.WatchesSet += t.set
		c.WatchesFired += t.fired
		c.WatchesRemoved += t.removed
		//lint:ordered it is a sum
		for _, list := range t.byPath {
			c.WatchesHeld += uint64(list.count())
		}
	}
	return c
}

// Unbalanced checks that every watch has exactly one end. It describes the difference between the
// watches set and the watches fired, removed and held; "" if there is none.
func (c Counters) Unbalanced() string {
	ends := c.WatchesFired + c.WatchesRemoved + c.WatchesHeld
	if c.WatchesSet == ends {
		return ""
	}
	return fmt.Sprintf("watches: %d set, want %d: %d fired, %d removed, %d held", c.WatchesSet, ends, c.WatchesFired, c.WatchesRemoved, c.WatchesHeld)
}

// Plus adds the counters of two runs of a server. Watches that were held at the end of the first
// run count as removed.
func (c Counters) Plus(d Counters) Counters {
	c.Writes += d.Writes
	c.FailedWrites += d.FailedWrites
	c.Events += d.Events
	c.SessionsOpened += d.SessionsOpened
	c.SessionsClosed += d.SessionsClosed
	c.SessionsExpired += d.SessionsExpired
	c.WatchesSet += d.WatchesSet
	c.WatchesFired += d.WatchesFired
	c.WatchesRemoved += d.WatchesRemoved + c.WatchesHeld
	c.WatchesHeld = d.WatchesHeld
	for i := range c.requests {
		c.requests[i] += d.requests[i]
	}
	c.unknown += d.unknown
	return c
}
