package network

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// Call is one unary call. The client and the server share it, and it travels between them
// as the message. A call that ended normally is used again.
type Call struct {
	Method  string
	Request any
	// Deadline is the virtual time at which the client gives up; 0 means none.
	Deadline time.Duration

	// The client's side.
	channel *Channel
	task    *vtime.Task // that waits, until over
	place   int         // in channel.calls
	size    int         // of the request
	loop    *vtime.Loop // the loop that makes the call as a question, nil for none
	sent    bool
	over    bool          // the answer or a failure has come, or the task has ended
	failure *env.RPCError // of the channel; nil after an answer

	// The server's side.
	server      *serverConn
	serverPlace int // in server.calls
	answered    bool
	cancelled   bool
	onCancel    func()
	response    any
	status      *env.RPCError
	answerSize  int
	on          *leap.Observed // what the response depends on, nil if it may change at any time
	changes     uint64         // the count of changes of on at the answer
}

// Answer is the message with a call's answer; LoseAnswerWhere looks at it.
type Answer Call

// Response returns the reply, nil for a failure.
func (a *Answer) Response() any { return a.response }

// Status returns how the call failed on the server, nil when it did not.
func (a *Answer) Status() *env.RPCError { return a.status }

// cancelFrame is the message that cancels a call (HTTP/2's RST_STREAM).
type cancelFrame Call

// The size of HTTP/2 frames that are sent without the caller's payload.
const cancelBytes = 13

func (n *Network) takeCall() *Call {
	if last := len(n.freeCalls) - 1; last >= 0 {
		call := n.freeCalls[last]
		n.freeCalls = n.freeCalls[:last]
		return call
	}
	return &Call{}
}

// giveBack makes a finished call available again. It leaves alone a call that the channel
// has failed, because its server, or a message, may still refer to it.
func (n *Network) giveBack(call *Call) {
	if call.failure != nil {
		return
	}
	*call = Call{}
	n.freeCalls = append(n.freeCalls, call)
}

// From returns the host of the client.
func (call *Call) From() *Host { return call.channel.h }

// Cancelled reports whether nobody waits for the answer: the client gave up or ended, or
// the server stopped.
func (call *Call) Cancelled() bool { return call.cancelled }

// OnCancel sets the function to call when the call is cancelled before it was answered.
func (call *Call) OnCancel(fn func()) { call.onCancel = fn }

// Reply answers the call; sizeBytes is the size of the serialized response. Call Reply or
// Fail once, and do not use the call afterwards.
func (call *Call) Reply(resp any, sizeBytes int) {
	call.response, call.answerSize = resp, sizeBytes
	call.answer()
}

// ReplyObserved does as Reply with a response that equal calls get until on changes.
func (call *Call) ReplyObserved(resp any, sizeBytes int, on *leap.Observed) {
	call.on, call.changes = on, on.Version()
	call.Reply(resp, sizeBytes)
}

// Steps reports whether the call is a step of a loop (see vtime.Loop), which comes before
// all events of its instant.
func (call *Call) Steps() bool { return call.loop != nil }

// Fail answers the call with a status.
func (call *Call) Fail(err *env.RPCError) {
	call.status, call.answerSize = err, len(err.Message)
	call.answer()
}

func (call *Call) answer() {
	if call.answered {
		panic("network: a second answer to " + call.Method)
	}
	call.answered = true
	if call.cancelled {
		return
	}
	call.server.remove(call)
	call.server.conn.SendStep(call.loop, (*Answer)(call), call.answerSize)
}
