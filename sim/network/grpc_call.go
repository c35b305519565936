package network

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// Call is one unary RPC. The client and the server share the object, and it also travels between
// them as the message. A call that ended normally is reused.
type Call struct {
	Method  string
	Request any
	// Deadline is the virtual time at which the client gives up; 0 means none.
	Deadline time.Duration

	// The client's side.
	channel *Channel
	task    *vtime.Task // task that waits for the call, until over
	place   int         // index in channel.calls
	size    int         // size of the request in bytes
	loop    *vtime.Loop // loop that makes the call in each of its turns; nil for none
	sent    bool
	over    bool          // whether the answer or a failure has come, or the task has ended
	failure *env.RPCError // failure of the channel; nil after an answer

	// The server's side.
	server      *serverConn
	serverPlace int // index in server.calls
	answered    bool
	cancelled   bool
	onCancel    func()
	response    any
	status      *env.RPCError
	answerSize  int
	on          *leap.Observed // the state that decides the response; nil if the response may change at any time
	changes     uint64         // version of the state named by on when the call was answered
}

// Answer is the message that carries a call's answer. It is what the function match of
// LoseAnswerWhere gets for such a message.
type Answer Call

// Response returns the server's response; nil if the call failed.
func (a *Answer) Response() any { return a.response }

// Status returns the error with which the server failed the call; nil for success.
func (a *Answer) Status() *env.RPCError { return a.status }

// cancelFrame is the message that cancels a call (HTTP/2's RST_STREAM).
type cancelFrame Call

// cancelBytes is the size in bytes of an HTTP/2 RST_STREAM frame.
const cancelBytes = 13

func (n *Network) takeCall() *Call {
	if last := len(n.freeCalls) - 1; last >= 0 {
		call := n.freeCalls[last]
		n.freeCalls = n.freeCalls[:last]
		return call
	}
	return &Call{}
}

// giveBack makes a finished call available for reuse. It skips a call that a failure of its channel
// ended, because the server or a message on its way may still refer to it.
func (n *Network) giveBack(call *Call) {
	if call.failure != nil {
		return
	}
	*call = Call{}
	n.freeCalls = append(n.freeCalls, call)
}

// From returns the host of the client.
func (call *Call) From() *Host { return call.channel.h }

// Cancelled reports whether nobody waits for the answer, because the client gave up or ended, or
// because the server stopped.
func (call *Call) Cancelled() bool { return call.cancelled }

// OnCancel sets a function to call if the call is cancelled before it is answered.
func (call *Call) OnCancel(fn func()) { call.onCancel = fn }

// Reply answers the call; sizeBytes is the size of the serialized response. Call Reply or
// Fail once, and do not use the call afterwards.
func (call *Call) Reply(resp any, sizeBytes int) {
	call.response, call.answerSize = resp, sizeBytes
	call.answer()
}

// ReplyObserved does what Reply does. It also promises that equal calls get the same response until
// the state that the parameter on observes has changed.
func (call *Call) ReplyObserved(resp any, sizeBytes int, on *leap.Observed) {
	call.on, call.changes = on, on.Version()
	call.Reply(resp, sizeBytes)
}

// Steps reports whether the call is a step of a loop (see vtime.Loop). Steps come before all events
// of the same instant.
func (call *Call) Steps() bool { return call.loop != nil }

// Fail answers the call with an error status.
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
