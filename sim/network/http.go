package network

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/httperrors"
	"github.com/monosim/monosim/engine/vtime"
)

// HTTPCall is a request that arrived at a plain HTTP server.
type HTTPCall struct {
	Method, Target string
	Body           []byte
	// From is the host of the client.
	From *Host

	conn *Conn
}

// httpAnswer is the message with an answer. If body is shorter than length, the reader knows that
// the answer was cut off.
type httpAnswer struct {
	status int
	body   []byte
	length int
}

// httpHeaderBytes is the approximate size in bytes of a request or answer without its body.
const httpHeaderBytes = 128

// Answer sends a complete answer.
func (call *HTTPCall) Answer(status int, body []byte) {
	call.conn.Send(&httpAnswer{status, body, len(body)}, httpHeaderBytes+len(body))
}

// Cut sends an answer whose body is shorter than its announced length, and closes the connection.
func (call *HTTPCall) Cut(status int, body []byte, length int) {
	call.conn.Send(&httpAnswer{status, body, length}, httpHeaderBytes+len(body))
	call.conn.Close()
}

// HangUp ends the connection without an answer.
func (call *HTTPCall) HangUp() { call.conn.Close() }

// HTTPServer listens for plain HTTP.
type HTTPServer struct {
	listener *Listener
	handler  func(*HTTPCall)
	conns    []*Conn
}

// ServeHTTP listens on a port; 0 picks a free one. The handler runs in the engine, not in a task.
// It answers a request by Answer or Cut, at once or later.
func (h *Host) ServeHTTP(o Owner, port int, handler func(*HTTPCall)) (*HTTPServer, error) {
	s := &HTTPServer{handler: handler}
	l, err := h.Listen(o, port, s.accept)
	if err != nil {
		return nil, err
	}
	s.listener = l
	return s, nil
}

// Port returns the port that it listens on.
func (s *HTTPServer) Port() int { return s.listener.port }

// Stop refuses new connections and closes the open ones.
func (s *HTTPServer) Stop() {
	s.listener.Close()
	for _, c := range s.conns {
		c.Close()
	}
	s.conns = nil
}

func (s *HTTPServer) accept(c *Conn) {
	s.conns = append(s.conns, c)
	c.SetReceiver(s)
}

// Receive takes a request.
func (s *HTTPServer) Receive(c *Conn, payload any) {
	call := payload.(*HTTPCall)
	call.conn = c
	s.handler(call)
}

// Closed forgets the connection.
func (s *HTTPServer) Closed(c *Conn, _ error) {
	for i, other := range s.conns {
		if other == c {
			s.conns = append(s.conns[:i], s.conns[i+1:]...)
			return
		}
	}
}

// httpConn is the client's side of a plain HTTP connection.
type httpConn struct {
	h       *Host
	p       *vtime.Process
	addr    string
	timeout time.Duration // negative for none

	conn    *Conn
	ended   error // why the connection has ended; nil while it is open
	answers []*httpAnswer
	reading *httpAnswer // answer whose body is still to be read
	waiting *vtime.Task
}

// DialHTTP prepares a connection, which the first request makes. Simulated hosts have no Unix
// sockets. An addr that begins with a slash is therefore a missing file.
func (e *hostEnv) DialHTTP(addr string, timeout time.Duration) env.HTTPConn {
	if timeout <= 0 {
		timeout = -1
	}
	return &httpConn{h: e.h, p: e.p, addr: addr, timeout: timeout}
}

// connect dials and waits.
func (c *httpConn) connect() error {
	if strings.HasPrefix(c.addr, "/") {
		return httperrors.Wrap(httperrors.NoSuchFile, "connect %s", c.addr)
	}
	var result error
	over, task := false, c.p.Current()
	dialed := c.h.dial(OwnedBy(c.p), c.addr, func(conn *Conn, err error) {
		over, result = true, err
		if conn != nil {
			c.conn, c.ended = conn, nil
			conn.SetReceiver(c)
		}
		task.Wake()
	})
	defer func() {
		if !over {
			dialed.Close()
		}
	}()
	if !c.p.ParkFor(c.timeout, "connection to "+c.addr) {
		return httperrors.Wrap(httperrors.TimedOut, "connect %s", c.addr)
	}
	if result != nil {
		return httperrors.Wrap(httpKind(result), "connect %s", c.addr)
	}
	return nil
}

// httpKind converts an error of a connection to the matching error of package httperrors.
func httpKind(err error) error {
	switch {
	case errors.Is(err, ErrRefused):
		return httperrors.Refused
	case errors.Is(err, ErrUnknown):
		return httperrors.NoSuchName
	case errors.Is(err, ErrTimedOut):
		return httperrors.TimedOut
	case errors.Is(err, ErrHostDown):
		return httperrors.Unreachable
	case errors.Is(err, io.EOF):
		return httperrors.Disconnected
	default:
		return httperrors.Reset
	}
}

// Request sends a request. If the other side has closed the connection, the request is lost, and
// Status reports the error.
func (c *httpConn) Request(method, target string, body []byte) error {
	c.p.Check()
	if c.conn == nil {
		if err := c.connect(); err != nil {
			return err
		}
	}
	if c.conn.Open() {
		c.conn.Send(&HTTPCall{Method: method, Target: target, Body: body, From: c.h}, httpHeaderBytes+len(target)+len(body))
	}
	return nil
}

// Status waits for the next answer.
func (c *httpConn) Status() (int, error) {
	c.p.Check()
	if len(c.answers) == 0 && c.ended == nil && c.conn != nil {
		c.waiting = c.p.Current()
		came := c.p.ParkFor(c.timeout, "answer of "+c.addr)
		c.waiting = nil
		if !came {
			return 0, httperrors.Wrap(httperrors.TimedOut, "answer of %s", c.addr)
		}
	}
	if len(c.answers) == 0 {
		err := c.ended
		c.Close()
		return 0, httperrors.Wrap(httpKind(err), "answer of %s", c.addr)
	}
	c.reading, c.answers = c.answers[0], c.answers[1:]
	return c.reading.status, nil
}

// Body returns the body of the answer whose status was read.
func (c *httpConn) Body() ([]byte, error) {
	c.p.Check()
	answer := c.reading
	c.reading = nil
	if answer == nil {
		return nil, httperrors.Wrap(httperrors.Disconnected, "answer of %s", c.addr)
	}
	if len(answer.body) < answer.length {
		return nil, httperrors.Wrap(httperrors.Incomplete, "answer of %s: found %d bytes, want %d", c.addr, len(answer.body), answer.length)
	}
	return answer.body, nil
}

// Close ends the connection.
func (c *httpConn) Close() {
	if c.conn != nil {
		c.conn.Close()
	}
	c.conn, c.ended, c.answers, c.reading = nil, nil, nil, nil
}

// Receive takes an answer.
func (c *httpConn) Receive(_ *Conn, payload any) {
	c.answers = append(c.answers, payload.(*httpAnswer))
	c.wake()
}

// Closed handles the end of the connection by the other side.
func (c *httpConn) Closed(conn *Conn, why error) {
	if conn == c.conn {
		c.ended = why
		c.wake()
	}
}

func (c *httpConn) wake() {
	if c.waiting != nil {
		c.waiting.Wake()
	}
}

var _ env.HTTPConn = (*httpConn)(nil)
