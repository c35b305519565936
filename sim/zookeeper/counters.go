package zookeeper

import "fmt"

// Counters count what a server has done since it started.
type Counters struct {
	// Writes counts OnWrite's calls, failed ones included; FailedWrites those.
	Writes, FailedWrites uint64
	// Events counts notifications sent.
	Events                                          uint64
	SessionsOpened, SessionsClosed, SessionsExpired uint64

	// WatchesSet counts the watches that were left where the connection had none on the path,
	// WatchesFired those that an event used up, WatchesRemoved those that went otherwise: at
	// the client's wish, or with its connection or the server. WatchesHeld is how many there
	// are, as they are counted in the tables.
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

// Unbalanced says how the watches that were set differ from those that fired, were removed
// and are held, "" where they do not: every watch has one end.
func (c Counters) Unbalanced() string {
	ends := c.WatchesFired + c.WatchesRemoved + c.WatchesHeld
	if c.WatchesSet == ends {
		return ""
	}
	return fmt.Sprintf("watches: %d set, want %d: %d fired, %d removed, %d held", c.WatchesSet, ends, c.WatchesFired, c.WatchesRemoved, c.WatchesHeld)
}

// Plus returns the sum of the counts, as of two lives of a server: what the first one held
// went with it.
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
