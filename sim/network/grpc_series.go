package network

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// Series is a loop of calls that one task makes without deadlines, each when the one
// before was answered. As long as Usual holds for the answers the loop runs in the
// engine, and the task, which would have nothing to do, is not woken. The messages and
// their times are those of a loop of Channel.Invoke.
type Series struct {
	Calls []SeriesCall
	// Usual reports whether the task has nothing to do about the response of the i-th
	// call but to make the next. It runs in the engine and must not wait.
	Usual func(i int, response any) bool

	at      int // the call that is being made
	started time.Duration
}

// SeriesCall is one call of a Series.
type SeriesCall struct {
	Channel   *Channel
	Method    string
	Request   any
	SizeBytes int
	// Asks says that the call changes nothing at its server: in a task's loop it is a step
	// of that.
	Asks bool
}

// From makes the calls from the i-th on, and returns the index and the outcome of the
// one that it ended with: the first that fails or is not usual, or the last. The
// current task waits meanwhile. It may end with an earlier call; call it again then.
func (s *Series) From(i int) (at int, response any, err *env.RPCError) {
	s.at = i
	c := &s.Calls[i]
	response, err = c.invoke(0, s)
	return s.at, response, err
}

// next takes a response and makes the next call, unless the task is to do so.
func (s *Series) next(call *Call) bool {
	if s.at+1 == len(s.Calls) || call.status != nil || call.answerSize > env.MaxMessageBytes || !call.task.InSeries() {
		return false
	}
	c := &s.Calls[s.at+1]
	if c.Channel.closed || c.Channel.state != channelReady || !s.Usual(s.at, call.response) {
		return false
	}
	s.Calls[s.at].observe(call.response, call.answerSize, nil, s.started)
	s.at++
	task, loop := call.task, call.loop
	*call = Call{}
	c.begin(call, task, s)
	call.loop = loop
	c.Channel.send(call)
	task.Again("")
	return true
}

// begin fills in a call and adds it to its channel.
func (c *SeriesCall) begin(call *Call, task *vtime.Task, s *Series) {
	ch := c.Channel
	call.Method, call.Request, call.size = c.Method, c.Request, c.SizeBytes
	call.channel, call.task, call.place, call.series = ch, task, len(ch.calls), s
	ch.calls = append(ch.calls, call)
	if s != nil {
		s.started = ch.h.n.w.Now()
	}
}
