package env

import (
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// Network makes gRPC calls and serves them. It also opens plain HTTP connections.
type Network interface {
	// Serve starts a gRPC server on a port, or on a free one for port 0. It listens on all
	// addresses of the host, unless a real runner was told which to use. As gRPC does by default
	// (SO_REUSEPORT), several servers of a host may share a port; each connection goes to one of
	// them.
	//
	// Each request runs in a task of its own in this process, at most workers of them at a time (0
	// means no limit).
	Serve(port, workers int, handler Handler) (Server, error)
	// Dial makes a channel to host:port. It never fails: like any gRPC channel, the channel
	// connects at its first call, and after a failure it connects again with back-off.
	Dial(addr string) Channel
	// Probe opens a TCP connection to host:port and closes it again. It returns why it could not
	// connect, or ErrProbeTimedOut after the timeout. With a timeout of 0 or less it waits for as
	// long as the kernel tries.
	Probe(addr string, timeout time.Duration) error
	// DialHTTP makes a plain HTTP connection to host:port, or to a Unix socket if the address
	// begins with a slash. It never fails, because the connection opens at the first request.
	// timeout limits connecting, and each wait for the other side; 0 or less means no limit.
	DialHTTP(addr string, timeout time.Duration) HTTPConn
}

// ErrProbeTimedOut is the error of a probe that exceeds its timeout. Its text is that of Python's
// socket.timeout.
var ErrProbeTimedOut = errors.New("timed out")

// Handler answers one unary call. method is the full name, such as
// "/monolith.serving.agent_service.AgentService/HeartBeat". If the error is not an *RPCError, the
// client gets UNKNOWN "Exception calling application: <text>", as from grpc-python.
type Handler func(method string, request []byte) ([]byte, error)

// Server is a listening gRPC server.
type Server interface {
	// Port returns the port on which the server listens.
	Port() int
	// Stop refuses new calls and cancels running ones.
	Stop()
}

// Channel makes gRPC calls to one address.
type Channel interface {
	// Call makes a call and waits for its answer. A timeout of 0 or less means no limit. Errors are
	// always *RPCError.
	Call(method string, request []byte, timeout time.Duration) ([]byte, error)
	// Close closes the channel. Unfinished calls fail with CANCELLED.
	Close()
}

// MaxMessageBytes is the largest request or answer that can be received, which is gRPC's default.
const MaxMessageBytes = 4 << 20

// RPCError is the status of a failed call.
type RPCError struct {
	Code    rpcerrors.Code
	Message string
}

func (e *RPCError) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
