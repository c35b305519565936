package zookeeper

// Counters count what a server has done since it started.
type Counters struct {
	// Writes counts OnWrite's calls, failed ones included; FailedWrites those.
	Writes, FailedWrites uint64
	// Events counts notifications sent.
	Events                                          uint64
	SessionsOpened, SessionsClosed, SessionsExpired uint64

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

// Requests is the number of requests with the opcode.
func (c *Counters) Requests(op OpCode) uint64 {
	if op < minOpCode || op > maxOpCode {
		return 0
	}
	return c.requests[op-minOpCode]
}

// AllRequests is the number of requests of any kind; connects are not requests.
func (c *Counters) AllRequests() uint64 {
	sum := c.unknown
	for _, n := range c.requests {
		sum += n
	}
	return sum
}

// Counters returns a copy of the counters.
func (m *Machine) Counters() Counters { return m.counters }

// Plus returns the sum of the counts, as of two lives of a server.
func (c Counters) Plus(d Counters) Counters {
	c.Writes += d.Writes
	c.FailedWrites += d.FailedWrites
	c.Events += d.Events
	c.SessionsOpened += d.SessionsOpened
	c.SessionsClosed += d.SessionsClosed
	c.SessionsExpired += d.SessionsExpired
	for i := range c.requests {
		c.requests[i] += d.requests[i]
	}
	c.unknown += d.unknown
	return c
}
