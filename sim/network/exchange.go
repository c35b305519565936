package network

import (
	"math"
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Exchange is a series of requests and answers on a connection, simulated without events. Each
// request is sent at the instant at which the previous answer arrives. Sleeping loops that have
// joined the connection use it. It does not count bytes (see [Exchange.Count]).
type Exchange struct {
	conn *Conn
	loop *vtime.Loop
	// answers says which message is on its way: an answer if true, else a request.
	answers bool
	next    time.Duration // time at which the message on its way arrives
}

// Begin sends the first request at the virtual time at. c is the end of the connection that sends
// it.
func (x *Exchange) Begin(c *Conn, loop *vtime.Loop, at time.Duration) {
	x.conn, x.loop, x.answers = c, loop, false
	x.next = c.out.arrivalOf(at)
}

// Next returns the time at which the next message arrives, and whether it is a request or an answer
// (PartRequest or PartAnswer).
func (x *Exchange) Next() (at time.Duration, part int) {
	if x.answers {
		return x.next, PartAnswer
	}
	return x.next, PartRequest
}

// Answers reports whether the message on its way is an answer, not a request.
func (x *Exchange) Answers() bool { return x.answers }

// Leap advances the exchange up to the bound b. It stops after n answers. It also stops before a
// request that would arrive at the time until or later. It returns the number of requests and
// answers that arrived, and the times of the last ones.
func (x *Exchange) Leap(b vtime.Bound, until time.Duration, n int) (l Leapt) {
	out, back := &x.conn.out, &x.conn.peer.out
	shortest, spread := out.law()
	asking, answering, free := out.ahead(back, spread)
	lastOut, lastBack := out.last, back.last
	lastRequest := min(b.Last(x.loop, PartRequest), until-1)
	lastAnswer := b.Last(x.loop, PartAnswer)
	at, answers, steps, squares := x.next, x.answers, uint64(0), uint64(0)
	asked, answered := uint64(0), uint64(0)
	for {
		if !answers {
			if at > lastRequest {
				break
			}
			l.Served, l.LastServed = l.Served+1, at
			steps, squares = steps+1, squares+uint64(at)*uint64(at)
			latency := time.Duration(answering.Ahead(answered, uint64(spread)))
			if answered++; !free {
				latency = draw(back.latency, spread)
			}
			at = max(at+shortest+latency, lastBack+1)
			lastBack, answers = at, true
		}
		if at > lastAnswer {
			break
		}
		l.Answered, l.LastAnswered, l.ItsRequest = l.Answered+1, at, l.LastServed
		steps, squares = steps+1, squares+uint64(at)*uint64(at)
		if l.Answered == n {
			break
		}
		latency := time.Duration(asking.Ahead(asked, uint64(spread)))
		if asked++; !free {
			latency = draw(out.latency, spread)
		}
		at = max(at+shortest+latency, lastOut+1)
		lastOut, answers = at, false
		if free && shortest > 0 && lastBack < at {
			// From here on each message arrives after all earlier ones, so the order needs no
			// check. As long as the bound is far off, the bound needs no check either. So many
			// pairs are computed at once.
			sure := min(int64(n-l.Answered-1), int64((min(lastRequest, lastAnswer)-at)/(2*(shortest+spread))))
			if sure <= 0 {
				continue
			}
			p := makePairs(sure, at, shortest, spread, asking.After(asked), answering.After(answered))
			asked, answered, steps, squares = asked+uint64(sure), answered+uint64(sure), steps+2*uint64(sure), squares+p.squares
			l.Served, l.Answered = l.Served+int(sure), l.Answered+int(sure)
			l.LastServed, l.ItsRequest, l.LastAnswered = p.request, p.request, p.answer
			at, lastOut, lastBack = p.next, p.next, p.answer
		}
	}
	x.next, x.answers = at, answers
	out.last, back.last = lastOut, lastBack
	if free {
		out.latency.Skip(asked)
		back.latency.Skip(answered)
	}
	x.loop.DidMany(steps, squares)
	return l
}

// pairs sums up a series of requests with their answers.
type pairs struct {
	request, answer time.Duration // times of the last request and its answer
	next            time.Duration // time at which the next request arrives
	squares         uint64        // sum of the squares of all arrival times
}

// makePairs computes n pairs of a request and its answer, the first request arriving at the virtual
// time at. All latencies must be at least 1 ns.
func makePairs(n int64, at, shortest, spread time.Duration, asking, answering vtime.Draws) (p pairs) {
	for i := range uint64(n) {
		p.request = at
		p.answer = at + shortest + time.Duration(answering.Ahead(i, uint64(spread)))
		p.squares += uint64(p.request)*uint64(p.request) + uint64(p.answer)*uint64(p.answer)
		at = p.answer + shortest + time.Duration(asking.Ahead(i, uint64(spread)))
	}
	p.next = at
	return p
}

// ahead returns the next latencies of the requests and answers without consuming them. free reports
// whether they can be used. Otherwise the caller must draw latencies one by one.
func (p *pipe) ahead(back *pipe, spread time.Duration) (asking, answering vtime.Draws, free bool) {
	asking, ok := p.source().Ahead()
	answering, _ = back.source().Ahead()
	return asking, answering, ok && spread > 0
}

// Leapt counts the messages that arrived during one Leap.
type Leapt struct {
	Served, Answered         int // number of requests that arrived at the server, and of answers that arrived at the client
	LastServed, LastAnswered time.Duration
	// ItsRequest is the arrival time of the request that got the last answer; 0 if that request had
	// arrived before the leap.
	ItsRequest time.Duration
}

// Forever is a time for Leap's parameter until. It sets no limit.
const Forever = time.Duration(math.MaxInt64)

// Bytes counts messages and their bytes.
type Bytes struct{ Messages, Bytes int }

// Count adds messages to the counters of both hosts: requests sent (asked) and arrived (served),
// answers sent (answers) and arrived (answered).
func (x *Exchange) Count(asked, served, answers, answered Bytes) {
	client, server := &x.conn.host.counters, &x.conn.peer.host.counters
	client.sent(asked)
	server.received(served)
	server.sent(answers)
	client.received(answered)
}

func (c *Counters) sent(b Bytes) {
	c.MessagesSent += uint64(b.Messages)
	c.BytesSent += uint64(b.Bytes)
}

func (c *Counters) received(b Bytes) {
	c.MessagesReceived += uint64(b.Messages)
	c.BytesReceived += uint64(b.Bytes)
}

// Resume schedules an event for the message that is on its way. The exchange ends, and ordinary
// events follow.
func (x *Exchange) Resume(payload any, sizeBytes int) {
	from := x.conn
	if x.answers {
		from = from.peer
	}
	from.Resume(x.loop, payload, sizeBytes, x.next)
}
