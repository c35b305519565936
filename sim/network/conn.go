package network

import (
	"errors"
	"fmt"
	"io"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// A dial fails, or a connection ends, with one of these errors. The texts are those of Linux.
var (
	ErrRefused  = errors.New("connection refused")
	ErrReset    = errors.New("connection reset by peer")
	ErrTimedOut = errors.New("connection timed out")
	ErrHostDown = errors.New("network is down")
	ErrInUse    = errors.New("address already in use")
	ErrUnknown  = errors.New("name or service not known")
)

// Receiver receives what arrives on a connection.
type Receiver interface {
	// Receive is called for each message, in the order of sending.
	Receive(c *Conn, payload any)
	// Closed is called once when the other side or the network has ended the connection. err is
	// io.EOF for an orderly close, otherwise ErrReset, ErrTimedOut or ErrHostDown. Closed is not
	// called after this side's own Close or Reset.
	Closed(c *Conn, err error)
}

// Conn is one end of a connection.
type Conn struct {
	n    *Network
	host *Host
	peer *Conn
	// sleepers holds the sleeping loops that use the connection. Both ends hold the same list.
	sleepers  []*leap.Sleeper
	idlePlace int32 // index of this connection in Network.idle while it has sleepers
	state     connState
	dialer    bool // whether this end has dialed
	out       pipe // sleeping loops often read the fields above and the first fields of out, which so lie together in memory
	node      *vtime.Node
	sockets   *sockets  // sockets of the owning process; nil without a process
	listener  *Listener // the listener that accepted it; nil on the dialing end
	number    uint64    // number of the connection, from which its latency is drawn (see LatencySite)
	port      int32
	receiver  Receiver
	done      func(*Conn, error) // called when the dial succeeds or fails; nil afterwards

	place     int32 // index in sockets
	hostPlace int32 // index in host.conns
}

type connState uint8

const (
	connFree connState = iota // state of the accepting end before the dial has arrived
	connDialing
	connOpen
	connClosed
)

// SetReceiver sets the receiver of this end. Call it inside the accept function of Listen or the
// done function of Dial. A message that arrives without a receiver causes a panic.
func (c *Conn) SetReceiver(r Receiver) { c.receiver = r }

// LocalAddr returns host:port of this end.
func (c *Conn) LocalAddr() string { return joinHostPort(c.host.address(), int(c.port)) }

// RemoteAddr returns host:port of the other end.
func (c *Conn) RemoteAddr() string { return c.peer.LocalAddr() }

// LocalHost returns the host of this end.
func (c *Conn) LocalHost() *Host { return c.host }

// RemoteHost returns the host of the other end.
func (c *Conn) RemoteHost() *Host { return c.peer.host }

// Open reports whether messages can be sent.
func (c *Conn) Open() bool { return c.state == connOpen }

// Send queues a message of sizeBytes bytes for the other end, behind all earlier ones. On a closed
// connection it does nothing. The sender knows of the end: it has closed the connection itself, or
// its Receiver was told.
func (c *Conn) Send(payload any, sizeBytes int) {
	c.n.w.Acts()
	c.SendStep(nil, payload, sizeBytes)
}

// SendStep sends a message whose arrival is a step of the given loop (see vtime.Loop). With a nil
// loop it does what Send does.
func (c *Conn) SendStep(loop *vtime.Loop, payload any, sizeBytes int) {
	if c.sends(payload, sizeBytes) {
		c.out.pushStep(loop, payload, sizeBytes)
	}
}

// sends reports whether a message can be sent. If so, it adds the message to the host's counters.
func (c *Conn) sends(payload any, sizeBytes int) bool {
	if c.state != connOpen {
		return false
	}
	c.WakeSleepers()
	if c.listener != nil && len(c.host.losing) > 0 && c.loseAnswer(payload) {
		return false
	}
	c.host.counters.count(false, sizeBytes)
	return true
}

// Close ends the connection. The other end receives what was sent, then io.EOF. If the dial is
// still in progress, Close cancels it. Closing twice does nothing.
func (c *Conn) Close() {
	was := c.state
	c.leave()
	switch {
	case was == connOpen:
		c.out.push(segmentClose)
	case was == connDialing && c.out.stalled:
		c.out.discard() // the dial was given up, so its lost packet is not sent again
	}
}

// Reset ends the connection like a TCP RST. The other end gets ErrReset, and segments that wait for
// a retransmission are dropped.
func (c *Conn) Reset() {
	open := c.state == connOpen
	c.leave()
	if !open {
		return
	}
	if c.out.stalled {
		c.out.discard()
	}
	c.out.push(segmentReset)
}

// enter registers a new end with its host and process.
func (c *Conn) enter(o Owner, state connState) {
	c.state = state
	c.node = o.node()
	c.sockets = c.n.socketsOf(o.Process)
	c.sockets.add(c)
	c.hostPlace = int32(len(c.host.conns))
	c.host.conns = append(c.host.conns, c)
}

// leave closes this end without informing its user or the other end.
func (c *Conn) leave() {
	if c.state != connOpen && c.state != connDialing {
		return
	}
	c.wake()
	c.state = connClosed
	c.done = nil
	c.sockets.remove(int(c.place))
	conns := c.host.conns
	last := len(conns) - 1
	conns[c.hostPlace] = conns[last]
	conns[c.hostPlace].hostPlace = c.hostPlace
	conns[last] = nil
	c.host.conns = conns[:last]
}

// end closes this end because of an event elsewhere, such as a reset by the peer, and informs this
// end's user of the reason err.
func (c *Conn) end(err error) {
	state, done := c.state, c.done
	c.leave()
	c.tell(state, done, err)
}

// endSoon does what end does, but informs the user in a separate event. Callers use it where a
// callback would run in the middle of their own work. If the process dies before that event, the
// user is not informed.
func (c *Conn) endSoon(err error) {
	state, done := c.state, c.done
	c.leave()
	c.node.After(0, kindNotice, func() {
		if c.sockets == nil || !c.sockets.ended {
			c.tell(state, done, err)
		}
	})
}

// tell informs the user of this end that the connection has ended. For a failed dial it calls done,
// and for an open connection the Receiver.
func (c *Conn) tell(was connState, done func(*Conn, error), err error) {
	switch {
	case was == connDialing:
		done(nil, fmt.Errorf("dial %s: %w", c.RemoteAddr(), err))
	case was == connOpen && c.receiver != nil:
		c.receiver.Closed(c, err)
	}
}

// arrive handles a segment from the peer.
func (c *Conn) arrive(what segmentKind, payload any, sizeBytes int) {
	if what == segmentSyn {
		c.accept()
		return
	}
	if c.state == connClosed {
		// As in TCP, a segment for a closed socket is answered by a reset. A peer that has already
		// closed would ignore the reset, so none is sent to it.
		if c.peer.state != connClosed && what != segmentReset {
			c.out.push(segmentReset)
		}
		return
	}
	switch what {
	case segmentAccepted:
		c.state = connOpen
		done := c.done
		c.done = nil
		done(c, nil)
	case segmentMessage:
		c.host.counters.count(true, sizeBytes)
		if c.receiver == nil {
			panic(fmt.Sprintf("network: a message from %s reached %s, which has no receiver", c.RemoteAddr(), c.LocalAddr()))
		}
		c.receiver.Receive(c, payload)
	case segmentClose:
		c.end(io.EOF)
	case segmentReset:
		if c.state == connDialing {
			c.end(ErrRefused)
		} else {
			c.end(ErrReset)
		}
	}
}

func (c *Conn) abandon()       { c.Close() }
func (c *Conn) setPlace(i int) { c.place = int32(i) }
