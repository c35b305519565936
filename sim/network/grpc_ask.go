package network

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// question records a call and its answer (leap.Request). The call was made in one turn of a loop,
// and it changes nothing at its server. Later turns can repeat the call without events.
type question struct {
	invocation
	turns       *leap.Turns
	conn        *Conn // connection of the call
	response    any
	answerBytes int
	on          *leap.Observed
	changes     uint64

	call    *Call // call that is on its way when the loop is woken
	answers bool  // whether the answer is on its way, rather than the request
	next    time.Duration
}

// ask makes a call that changes nothing at its server, in a turn of a loop. If a leap has already
// answered the call, it returns the recorded answer.
func (o *invocation) ask(t *leap.Turns) (any, *env.RPCError) {
	n := o.channel.h.n
	o.channel.p.Check()
	started := n.w.Now()
	a, waiting := t.Recall()
	q, _ := a.(*question)
	var call *Call
	switch {
	case a != nil && (q == nil || !q.is(o)):
		panic("network: a turn calls " + o.method + ", and did not before")
	case waiting:
		call, q.call = q.call, nil
	case q != nil:
		return q.response, nil
	default:
		call = o.begin()
		call.loop = &t.Loop
		o.channel.send(call)
	}
	call.await(0)
	resp, answerBytes, err := call.outcome()
	if err == nil && call.on != nil && len(n.observers) == 0 {
		o.write(t, call)
	} else {
		n.w.Acts()
	}
	n.giveBack(call)
	o.observe(resp, answerBytes, err, started)
	return resp, err
}

// is reports whether the question has the same channel, method and request as the call o.
func (q *question) is(o *invocation) bool {
	return q.channel == o.channel && q.method == o.method && q.request == o.request && q.sizeBytes == o.sizeBytes
}

// write records the question with its answer.
func (o *invocation) write(t *leap.Turns, call *Call) {
	q, ok := t.Spare().(*question)
	if !ok {
		q = &question{turns: t}
	}
	q.invocation, q.conn = *o, o.channel.conn
	q.response, q.answerBytes, q.on, q.changes = call.response, call.answerSize, call.on, call.changes
	t.Record(q, call.on, call.changes)
}

// Thinks returns false, because the program spends no time before a call.
func (q *question) Thinks() bool { return false }

// Join joins the connection.
func (q *question) Join(s *leap.Sleeper) bool {
	return len(q.channel.h.n.observers) == 0 && q.channel.conn == q.conn && q.conn != nil && !q.channel.closed && q.conn.Join(s)
}

// Leave ends the effect of Join.
func (q *question) Leave(s *leap.Sleeper) { q.conn.Leave(s) }

// Begin sends the call.
func (q *question) Begin(at time.Duration) {
	q.answers, q.next = false, q.conn.SendsAt(at, q.sizeBytes)
}

// Complete simulates the call and its answer in one step, without events, if both arrive before end
// (leap.Completer). Otherwise it returns zeros and does nothing.
func (q *question) Complete(at, end time.Duration) (last time.Duration, steps, squares uint64) {
	c, s := q.conn, q.conn.peer
	shortest, spread := c.out.law()
	asking, answering, free := c.out.ahead(&s.out, spread)
	if !free {
		return 0, 0, 0
	}
	request := max(at+shortest+time.Duration(asking.Ahead(0, uint64(spread))), c.out.last+1)
	answer := max(request+shortest+time.Duration(answering.Ahead(0, uint64(spread))), s.out.last+1)
	if answer >= end {
		return 0, 0, 0
	}
	c.out.latency.Skip(1)
	s.out.latency.Skip(1)
	c.out.last, s.out.last = request, answer
	c.host.counters.exchanged(q.sizeBytes, q.answerBytes)
	s.host.counters.exchanged(q.answerBytes, q.sizeBytes)
	c.n.count(q.method)
	return answer, 2, uint64(request)*uint64(request) + uint64(answer)*uint64(answer)
}

// Next returns the time at which the next message arrives, and whether it is the call or its answer
// (PartRequest or PartAnswer).
func (q *question) Next() (time.Duration, int) {
	if q.answers {
		return q.next, PartAnswer
	}
	return q.next, PartRequest
}

// Leap simulates the arrivals of the call and its answer that come before the bound. If the answer
// has arrived, ended is true, and at is the virtual time of its arrival.
func (q *question) Leap(b vtime.Bound) (ended bool, at time.Duration) {
	steps, squares := uint64(0), uint64(0)
	if !q.answers {
		if !b.Allows(&q.turns.Loop, q.next, PartRequest) {
			return false, 0
		}
		steps, squares = 1, uint64(q.next)*uint64(q.next)
		server := q.conn.peer
		server.Takes(q.sizeBytes)
		q.answers, q.next = true, server.SendsAt(q.next, q.answerBytes)
	}
	if !b.Allows(&q.turns.Loop, q.next, PartAnswer) {
		q.turns.DidMany(steps, squares)
		return false, 0
	}
	q.turns.DidMany(steps+1, squares+uint64(q.next)*uint64(q.next))
	q.conn.Takes(q.answerBytes)
	q.channel.h.n.count(q.method)
	return true, q.next
}

// Resume turns the call or answer that is on its way into a message with an event.
func (q *question) Resume() {
	c := q.channel
	call := q.begin()
	call.loop, call.sent, call.task = &q.turns.Loop, true, q.turns.Task()
	q.call = call
	if !q.answers {
		q.conn.Resume(&q.turns.Loop, call, q.sizeBytes, q.next)
		return
	}
	call.answered, call.response, call.answerSize = true, q.response, q.answerBytes
	call.on, call.changes = q.on, q.changes
	c.conn.peer.Resume(&q.turns.Loop, (*Answer)(call), q.answerBytes, q.next)
}

var _ leap.Completer = (*question)(nil)
