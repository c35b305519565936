package session

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// Steps describes training steps that all do what the last one did: each reads the same values,
// reaches the same servers and adds 1 to Counter.
type Steps struct {
	// Ops holds the reads at the start of a step, and Values the results of these reads in the last
	// step.
	Ops    []Op
	Values []any
	// Time is how long a step takes after its reads. At its end the step adds 1 to Counter.
	Time    time.Duration
	Counter *Variable
}

// coast counts repeated steps of one session without running each of them. Its beat has two waits
// for each step, partAsk and partTrain.
type coast struct {
	r     *Remote
	steps Steps
	beat  env.Beat
	// server holds the counter variable. counted is how many of the beat's steps have been added to
	// the counter so far.
	server  *server
	counted int64
	reads   []read
}

// read is a subscription to changes of one variable that a step reads.
type read struct {
	of     *Memory
	reader *reader
}

// A step has two waits: partAsk for the answers to its reads, and partTrain for the training.
const (
	partAsk = iota
	partTrain
)

// Coast counts steps as long as each would do what the last step that Run and Step made did. It
// stops in the middle of the first step that differs, and the next calls of Run and Step finish
// that step. It counts no steps if steps take no time, or if it might miss a change because an
// operation assigns or a value cannot be compared.
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

// loop holds the beat of a session. All calls of Coast use this beat, one after the other.
type loop struct {
	time  time.Duration // time of a step's training, without its reads
	beat  env.Beat
	coast *coast
}

func (l *loop) usual(part int) bool { return l.coast.usual(part) }

// passed says for which part of the current step Coast has already waited.
type passed uint8

const (
	passedNothing passed = iota
	passedAsk            // it has waited for the answers to the reads
	passedStep           // it has waited for both parts, and knows the values of the reads
)

// plain reports whether it can be told in advance what a repeated step does: all operations only
// read, they read a bool or an int64, and none reads the counter, which steps change.
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

// usual reports whether a wait ended as in the last step: the same servers are reached, and the
// reads find the same values.
func (c *coast) usual(part int) bool {
	return c.r.checked == c.r.servers.changes && (part == partTrain || c.same())
}

// same reports whether the reads would now find the same values as in the last step.
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

// enter subscribes to every change that may make a step differ from the last. leave ends the
// subscriptions.
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

// settle adds to the counter the steps that were counted since the last call.
func (c *coast) settle() {
	if n := c.beat.Count(partTrain); n > c.counted {
		more := n - c.counted
		c.counted = n
		if sum, err := c.server.memory.addTo(c.steps.Counter, more); err == nil {
			c.r.stepped(more, sum, time.Duration(more)*(c.steps.Time+c.r.servers.RoundTrip))
		}
	}
}

// settle adds counted steps to the counter before a variable is read, if that variable is the
// counter.
func (m *Memory) settle(name string) {
	if len(m.coasts) == 0 || name != m.counter {
		return
	}
	for _, c := range m.coasts {
		c.settle()
	}
}

// Settle adds the counted steps of all sessions to their counters.
func (s *Servers) Settle() {
	for _, c := range s.coasts {
		c.settle()
	}
}

// disturbs makes all sessions that count steps check them again. It is called before a change other
// than an assignment, such as the start or end of a server.
func (s *Servers) disturbs() {
	for _, c := range s.coasts {
		c.beat.Changes()
	}
}
