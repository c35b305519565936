package session

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// Steps are training steps of which each is as the one before: it finds what that has
// found, reaches the servers that it has reached, and counts.
type Steps struct {
	// Ops is what a step reads at first, and Values what the last one has found.
	Ops    []Op
	Values []any
	// Time is what the rest of it takes; then it adds 1 to Counter.
	Time    time.Duration
	Counter *Variable
}

// coast is such steps of one session, as a beat of two waits.
type coast struct {
	r     *Remote
	steps Steps
	beat  env.Beat
	// server has the counter, and counted is how many steps that has of this session.
	server  *server
	counted int64
	reads   []read
}

// read is what it reads of a server.
type read struct {
	of     *Memory
	reader *reader
}

// The waits of a step.
const (
	partAsk = iota
	partTrain
)

// Coast makes steps for as long as each is as the last one was, which has been made by Run
// and Step. What a step finds otherwise is left to the Run and Step that come next, which
// go on where it is. It makes none where that cannot be told from what the operations read,
// and where a step takes no time.
func (r *Remote) Coast(s Steps) {
	s.Ops, s.Values = slices.Clone(s.Ops), slices.Clone(s.Values)
	c := &coast{r: r, steps: s}
	if r.servers.RoundTrip <= 0 || s.Time <= 0 || r.checked != r.servers.changes || !c.plain() || !c.same() {
		return
	}
	var err error
	c.server, err = r.readyServerOf(s.Counter)
	if err != nil || c.server.memory.counter != "" && c.server.memory.counter != s.Counter.Name {
		return
	}
	if r.loop == nil || r.loop.time != s.Time {
		r.loop = &loop{time: s.Time}
		r.loop.beat = threading.NewBeat(r.e.Tasks, "training.steps", []time.Duration{r.servers.RoundTrip, s.Time}, r.loop.usual)
	}
	c.beat, r.loop.coast = r.loop.beat, c
	c.counted = c.beat.Count(partTrain)
	c.enter()
	defer c.leave()
	if c.beat.Run(partAsk) == partAsk {
		r.passed = passedAsk
		return
	}
	r.passed, r.found = passedStep, c.steps.Values
}

// loop is the beat of a session, which it has for all of its coasts.
type loop struct {
	time  time.Duration // of its steps, without that of asking
	beat  env.Beat
	coast *coast
}

func (l *loop) usual(part int) bool { return l.coast.usual(part) }

// passed is the time that has passed already of the step which goes on.
type passed uint8

const (
	passedNothing passed = iota
	passedAsk            // that of asking
	passedStep           // all, and the reads have been made
)

// plain reports whether the operations only read, and values that can be compared and that
// no step changes.
func (c *coast) plain() bool {
	for i, op := range c.steps.Ops {
		switch c.steps.Values[i].(type) {
		case bool, int64:
		default:
			return false
		}
		if op.Assign != nil || op.Add != 0 || op.Variable.Name == c.steps.Counter.Name {
			return false
		}
	}
	return true
}

// usual reports whether the end of a wait is that of a step as the last one.
func (c *coast) usual(part int) bool {
	return c.r.checked == c.r.servers.changes && (part == partTrain || c.same())
}

// same reports whether the reads would find what they have found.
func (c *coast) same() bool {
	for i := range c.steps.Ops {
		op := &c.steps.Ops[i]
		found, err := c.r.readyServerOf(op.Variable)
		if err != nil {
			return false
		}
		if v, err := found.memory.run(*op); err != nil || v != c.steps.Values[i] {
			return false
		}
	}
	return true
}

// enter has the servers tell of what concerns the steps, until leave.
func (c *coast) enter() {
	s := c.r.servers
	s.coasts = append(s.coasts, c)
	m := &c.server.memory
	m.counter, m.coasts = c.steps.Counter.Name, append(m.coasts, c)
	for i := range c.steps.Ops {
		op := &c.steps.Ops[i]
		if found, _ := c.r.serverOf(op.Variable); found != nil {
			r := found.memory.tell(op.Variable.Name, op.Index, c.beat.Changes)
			c.reads = append(c.reads, read{&found.memory, r})
		}
	}
}

func (c *coast) leave() {
	c.settle()
	s, m := c.r.servers, &c.server.memory
	s.coasts = without(s.coasts, c)
	m.coasts = without(m.coasts, c)
	for _, r := range c.reads {
		r.of.readers = without(r.of.readers, r.reader)
	}
}

// settle adds the steps that were made since it was last looked.
func (c *coast) settle() {
	if n := c.beat.Count(partTrain); n > c.counted {
		more := n - c.counted
		c.counted = n
		_, _ = c.server.memory.addTo(c.steps.Counter, more)
	}
}

// settle counts all steps that were made up to now, before somebody looks at the counter.
func (m *Memory) settle(name string) {
	if len(m.coasts) == 0 || name != m.counter {
		return
	}
	for _, c := range m.coasts {
		c.settle()
	}
}

// disturbs is called before anything else changes than a variable of a server.
func (s *Servers) disturbs() {
	for _, c := range s.coasts {
		c.beat.Changes()
	}
}
