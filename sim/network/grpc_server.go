package network

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
)

// RPCHandler handles a call directly in the engine, not in a task. It answers by Reply or Fail, at
// once or later.
type RPCHandler func(call *Call)

// RPCServer is a listening gRPC server.
type RPCServer struct {
	listener *Listener
	handler  RPCHandler
	conns    []*serverConn
	stopped  bool
}

// ServeRPC listens on the port; 0 picks a free one. Several gRPC servers may share a port, as gRPC
// allows by default (GRPC_ARG_ALLOW_REUSEPORT).
func (h *Host) ServeRPC(o Owner, port int, handler RPCHandler) (*RPCServer, error) {
	s := &RPCServer{handler: handler}
	l, err := h.ListenShared(o, port, s.accept)
	if err != nil {
		return nil, err
	}
	s.listener = l
	return s, nil
}

// Port returns the port that it listens on.
func (s *RPCServer) Port() int { return s.listener.port }

// Stop refuses new connections and closes the open ones. Their unanswered calls are cancelled.
func (s *RPCServer) Stop() {
	if s.stopped {
		return
	}
	s.stopped = true
	s.listener.Close()
	for len(s.conns) > 0 {
		sc := s.conns[0]
		sc.conn.Close()
		sc.end()
	}
}

func (s *RPCServer) accept(c *Conn) {
	sc := &serverConn{server: s, conn: c, place: len(s.conns)}
	s.conns = append(s.conns, sc)
	c.SetReceiver(sc)
}

// serverConn is the server's side of one client connection.
type serverConn struct {
	server *RPCServer
	conn   *Conn
	place  int     // index in server.conns
	calls  []*Call // not answered yet
}

// Receive handles a call or its cancellation.
func (sc *serverConn) Receive(_ *Conn, payload any) {
	switch m := payload.(type) {
	case *Call:
		m.server, m.serverPlace = sc, len(sc.calls)
		sc.calls = append(sc.calls, m)
		if m.size > env.MaxMessageBytes {
			m.Fail(tooLarge(m.size))
			return
		}
		sc.server.handler(m)
	case *cancelFrame:
		if call := (*Call)(m); call.server == sc && !call.answered {
			sc.remove(call)
			call.cancel()
		}
	default:
		panic(fmt.Sprintf("network: %s got a %T, want a call", sc.conn.LocalAddr(), payload))
	}
}

// Closed cancels the calls of a client whose connection has ended.
func (sc *serverConn) Closed(*Conn, error) { sc.end() }

func (sc *serverConn) end() {
	conns := sc.server.conns
	last := len(conns) - 1
	conns[sc.place] = conns[last]
	conns[sc.place].place = sc.place
	conns[last] = nil
	sc.server.conns = conns[:last]
	for len(sc.calls) > 0 {
		call := sc.calls[0]
		sc.remove(call)
		call.cancel()
	}
}

func (call *Call) cancel() {
	call.cancelled = true
	if call.onCancel != nil {
		call.onCancel()
	}
}

func (sc *serverConn) remove(call *Call) {
	last := len(sc.calls) - 1
	sc.calls[call.serverPlace] = sc.calls[last]
	sc.calls[call.serverPlace].serverPlace = call.serverPlace
	sc.calls[last] = nil
	sc.calls = sc.calls[:last]
}
