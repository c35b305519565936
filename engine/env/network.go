package env

import (
	"errors"
	"fmt"
	"time"
)

// Network carries gRPC calls between processes, and plain HTTP to servers.
type Network interface {
	// Serve shares the port with other gRPC servers of the host, as gRPC's default
	// is (SO_REUSEPORT): a connection goes to one of them.
	//
	// It listens on all addresses of the host, or on those that a real runner
	// was told; port 0 picks a free one. Each request runs in a task of its own in
	// this process, at most workers at a time (0 means no limit).
	Serve(port, workers int, handler Handler) (Server, error)
	// Dial makes a channel to host:port. It never fails: the channel connects on the
	// first call, and again, with back-off, after a failure, as a gRPC channel does.
	Dial(addr string) Channel
	// Probe connects by TCP to host:port and hangs up; the error says why it could not. It takes
	// timeout at most, after which the error is ErrProbeTimedOut; with 0 or less it takes as long
	// as the kernel tries.
	Probe(addr string, timeout time.Duration) error
	// DialHTTP makes a connection for plain HTTP to host:port, or to the Unix socket of a path
	// that begins with a slash. It never fails: the first request connects. Connecting, and each
	// wait for something from the other side, take timeout at most; 0 or less means no limit.
	DialHTTP(addr string, timeout time.Duration) HTTPConn
}

// ErrProbeTimedOut is what a probe ends with that its time-out has ended, in the words of
// Python's socket.timeout.
var ErrProbeTimedOut = errors.New("timed out")

// Handler answers one unary call. method is the full name, as in
// "/monolith.serving.agent_service.AgentService/HeartBeat". An error that is
// not an *RPCError reaches the client as UNKNOWN "Exception calling
// application: <text>", as grpc-python words it.
type Handler func(method string, request []byte) ([]byte, error)

// Server is a listening gRPC server.
type Server interface {
	// Port is the port that it listens on.
	Port() int
	// Stop refuses new calls and cuts those that are running.
	Stop()
}

// Channel makes calls to one address.
type Channel interface {
	// Call waits for the answer. A timeout of 0 or less means none. Every error
	// is an *RPCError.
	Call(method string, request []byte, timeout time.Duration) ([]byte, error)
	// Close ends the channel; calls that go on fail with CANCELLED.
	Close()
}

// MaxMessageBytes is the largest request or answer that is received, as gRPC has
// it unless told otherwise.
const MaxMessageBytes = 4 << 20

// What a client says of its own troubles, in the words of grpcio 1.32, which
// TensorFlow 2.4 requires (grpcio~=1.32.0). Later versions append the last
// connection's error to the first. engine/runtimetest/networktest has them
// recorded.
const (
	NoConnection    = "failed to connect to all addresses"           // UNAVAILABLE
	NoSuchName      = "DNS resolution failed for service: "          // UNAVAILABLE; the address follows
	SocketClosed    = "Socket closed"                                // UNAVAILABLE
	ConnectionReset = "Connection reset by peer"                     // UNAVAILABLE
	DeadlineIsOver  = "Deadline Exceeded"                            // DEADLINE_EXCEEDED
	ChannelClosed   = "Channel closed!"                              // CANCELLED
	MessageTooLarge = "Received message larger than max (%d vs. %d)" // RESOURCE_EXHAUSTED
)

// Code is a gRPC status code.
type Code int

// The gRPC status codes.
const (
	OK Code = iota
	Canceled
	Unknown
	InvalidArgument
	DeadlineExceeded
	NotFound
	AlreadyExists
	PermissionDenied
	ResourceExhausted
	FailedPrecondition
	Aborted
	OutOfRange
	Unimplemented
	Internal
	Unavailable
	DataLoss
	Unauthenticated
)

var codeNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED",
	"NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
	"FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
	"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

func (c Code) String() string {
	if c >= 0 && int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("Code(%d)", int(c))
}

// RPCError is the status of a failed call.
type RPCError struct {
	Code    Code
	Message string
}

func (e *RPCError) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
