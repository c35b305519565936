package network

import (
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// A client sees these errors when its channel fails (see rpcerrors.NoConnection).
var (
	errNoConnection     = &env.RPCError{Code: rpcerrors.Unavailable, Message: rpcerrors.NoConnection}
	errSocketClosed     = &env.RPCError{Code: rpcerrors.Unavailable, Message: rpcerrors.SocketClosed}
	errConnectionReset  = &env.RPCError{Code: rpcerrors.Unavailable, Message: rpcerrors.ConnectionReset}
	errDeadlineExceeded = &env.RPCError{Code: rpcerrors.DeadlineExceeded, Message: rpcerrors.DeadlineIsOver}
	errChannelClosed    = &env.RPCError{Code: rpcerrors.Canceled, Message: rpcerrors.ChannelClosed}
)

// These are gRPC's parameters for the back-off between connection attempts
// (doc/connection-backoff.md of grpc/grpc).
const (
	backoffInitial    = time.Second
	backoffMax        = 120 * time.Second
	backoffMultiplier = 1.6
	backoffJitter     = 0.2
	minConnectTimeout = 20 * time.Second
	// failFast is the duration of a call that fails without leaving the host. If such a call took
	// no time, a loop of such calls would never advance virtual time.
	failFast = 100 * time.Microsecond
)

var kindBackoff = vtime.NewKind("grpc.connect_timer")

// channelState follows gRPC's connectivity states.
type channelState uint8

const (
	channelIdle channelState = iota
	channelConnecting
	channelReady
	channelFailing // TRANSIENT_FAILURE in gRPC's terms, until the back-off is over
)

// Channel is a process's gRPC channel to one address. It connects on the first call. When a
// connection attempt fails, calls fail at once until the back-off is over; then the channel
// tries again by itself. When a connection breaks, its calls fail, and the next call connects
// again.
type Channel struct {
	p     *vtime.Process
	held  *sockets // sockets of the process p
	h     *Host
	addr  string
	state channelState
	conn  *Conn   // connection that is being made, or is ready
	calls []*Call // calls that were sent or wait for the connection

	backoff    time.Duration // length of the last back-off; 0 after a success
	retryAt    time.Duration // end of the present back-off
	timer      vtime.Timer   // timer for the end of the back-off, or for the time limit of connecting
	refusal    *env.RPCError // error that calls get during the back-off
	closed     bool
	serverName string // name of the host to which the last connection was made
}

// NewChannel makes a channel for tasks of p, whose sockets are on h.
func NewChannel(p *vtime.Process, h *Host, addr string) *Channel {
	return &Channel{p: p, held: h.n.socketsOf(p), h: h, addr: addr, serverName: addr}
}

// Invoke makes a call and suspends the current task until the answer arrives. sizeBytes is the size
// of the serialized request. A timeout of 0 or less means none.
func (c *Channel) Invoke(method string, req any, sizeBytes int, timeout time.Duration) (any, *env.RPCError) {
	o := invocation{channel: c, method: method, request: req, sizeBytes: sizeBytes}
	return o.invoke(timeout)
}

// Ask does what Invoke does, for a call that changes nothing at its server. Such a call in an idle
// loop can be leapt over.
func (c *Channel) Ask(method string, req any, sizeBytes int, timeout time.Duration) (any, *env.RPCError) {
	o := invocation{channel: c, method: method, request: req, sizeBytes: sizeBytes}
	t := leap.TurnsOf(c.p)
	if t == nil || timeout > 0 || c.state != channelReady || c.closed {
		return o.invoke(timeout)
	}
	return o.ask(t)
}

// invocation holds the parameters of a call on the client's side.
type invocation struct {
	channel   *Channel
	method    string
	request   any
	sizeBytes int
}

// invoke makes a call.
func (o *invocation) invoke(timeout time.Duration) (any, *env.RPCError) {
	c := o.channel
	c.p.Check()
	n := c.h.n
	n.w.Acts()
	started := n.w.Now()
	if c.closed || c.state == channelFailing {
		err := c.refusal
		if c.closed {
			err = errChannelClosed
		}
		c.p.Sleep(failFast)
		o.observe(nil, 0, err, started)
		return nil, err
	}
	call := o.begin()
	if timeout > 0 {
		call.Deadline = started + timeout
	}
	switch c.state {
	case channelReady:
		c.send(call)
	case channelIdle:
		c.connect()
	}

	var resp any
	err := errDeadlineExceeded
	answerBytes := 0
	if call.await(timeout) {
		resp, answerBytes, err = call.outcome()
		n.giveBack(call)
	}
	o.observe(resp, answerBytes, err, started)
	return resp, err
}

// begin creates the call and registers it with its channel.
func (o *invocation) begin() *Call {
	c := o.channel
	call := c.h.n.takeCall()
	call.Method, call.Request, call.size = o.method, o.request, o.sizeBytes
	call.channel, call.task, call.place = c, c.p.Current(), len(c.calls)
	c.calls = append(c.calls, call)
	return call
}

// outcome returns the result of a finished call.
func (call *Call) outcome() (resp any, answerBytes int, err *env.RPCError) {
	switch {
	case call.failure != nil:
		return nil, 0, call.failure
	case call.status == nil && call.answerSize > env.MaxMessageBytes:
		return nil, call.answerSize, tooLarge(call.answerSize)
	}
	return call.response, call.answerSize, call.status
}

// await suspends the task until the call is over. It returns false if the timeout passes first. If
// the task is terminated meanwhile, the call is cancelled.
func (call *Call) await(timeout time.Duration) bool {
	defer func() {
		if !call.over {
			call.channel.takeBack(call)
		}
	}()
	if timeout <= 0 {
		timeout = -1
	}
	call.channel.p.ParkFor(timeout, call.Method)
	return call.over
}

// takeBack cancels a call that its task no longer waits for. If the call was sent, it is cancelled
// at the server too.
func (c *Channel) takeBack(call *Call) {
	c.remove(call)
	call.over = true
	if call.sent && !c.p.Dead() {
		c.conn.Send((*cancelFrame)(call), cancelBytes)
	}
}

// Close ends the channel and fails its calls.
func (c *Channel) Close() {
	c.p.Check()
	if c.closed {
		return
	}
	c.closed = true
	c.disconnect()
	c.timer.Cancel()
	c.failAll(errChannelClosed)
}

func (c *Channel) send(call *Call) {
	call.sent = true
	c.conn.SendStep(call.loop, call, call.size)
}

// Receive takes an answer.
func (c *Channel) Receive(_ *Conn, payload any) {
	call := (*Call)(payload.(*Answer))
	if call.over {
		return // the call was cancelled while its answer was on the way
	}
	c.finish(call)
}

// finish ends a call and wakes the task that waits for it.
func (c *Channel) finish(call *Call) {
	c.remove(call)
	call.over = true
	call.task.Wake()
}

// Closed handles the end of an established connection: the present calls fail.
func (c *Channel) Closed(_ *Conn, why error) {
	c.conn = nil
	c.state = channelIdle
	if errors.Is(why, ErrReset) {
		c.failAll(errConnectionReset)
		return
	}
	c.failAll(errSocketClosed)
}

// tooLarge returns the status for a message above the receiver's size limit.
func tooLarge(sizeBytes int) *env.RPCError {
	return &env.RPCError{Code: rpcerrors.ResourceExhausted, Message: fmt.Sprintf(rpcerrors.MessageTooLarge, sizeBytes, env.MaxMessageBytes)}
}

// failAll fails all present calls with err. It detaches the list first, because a task that is
// woken may make a new call at once.
func (c *Channel) failAll(err *env.RPCError) {
	calls := c.calls
	c.calls = nil
	for _, call := range calls {
		call.failure, call.over = err, true
	}
	for _, call := range calls {
		call.task.Wake()
	}
}

func (c *Channel) remove(call *Call) {
	last := len(c.calls) - 1
	c.calls[call.place] = c.calls[last]
	c.calls[call.place].place = call.place
	c.calls[last] = nil
	c.calls = c.calls[:last]
}

// observe tells the network's observers about a finished call.
func (o *invocation) observe(resp any, answerBytes int, err *env.RPCError, started time.Duration) {
	c := o.channel
	n := c.h.n
	n.count(o.method)
	if len(n.observers) == 0 {
		return
	}
	r := RPC{
		From: c.h.name, To: c.serverName, Method: o.method, Request: o.request, RequestBytes: o.sizeBytes,
		Response: resp, ResponseBytes: answerBytes, Err: err, Started: started, Ended: n.w.Now(),
	}
	for _, fn := range n.observers {
		fn(r)
	}
}

// RPC describes one finished call as its client saw it.
type RPC struct {
	// From is the client's host. To is the server's, or the dialed address if there never
	// was a connection.
	From, To                    string
	Method                      string
	Request, Response           any
	RequestBytes, ResponseBytes int
	Err                         *env.RPCError // nil for OK
	Started, Ended              time.Duration // virtual time
}

// OnRPC adds a function to call for each finished call. The function runs in the task that made the
// call, and must not wait. Calls whose task was terminated are left out. While such a function is
// set, no call is leapt over.
func (n *Network) OnRPC(fn func(RPC)) {
	n.wakeAll()
	n.observers = append(n.observers, fn)
}

// OnProbe sets a function to call whenever a probe has found a port open.
func (n *Network) OnProbe(fn func(from, to string)) { n.onProbe = fn }

func (n *Network) probed(from, to string) {
	if n.onProbe != nil {
		n.onProbe(from, to)
	}
}

// CallCount is the number of finished calls of one method.
type CallCount struct {
	Method string
	N      uint64
}

// Calls returns the number of calls by method, in the order of each method's first call. Calls
// whose task was terminated are left out.
func (n *Network) Calls() []CallCount {
	n.w.CatchUp()
	return n.calls
}

func (n *Network) count(method string) {
	for i := range n.calls {
		if n.calls[i].Method == method {
			n.calls[i].N++
			return
		}
	}
	n.calls = append(n.calls, CallCount{method, 1})
}
