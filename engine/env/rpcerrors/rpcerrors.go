// Package rpcerrors has the status codes of gRPC and what a gRPC client says when it cannot make a
// call (env.RPCError).
//
// Two things to use first:
//
//   - [Code] is the reason why a call failed; [NotFound] and the others are its values.
//   - [NoConnection] and the texts beside it are messages of the client itself.
//
// Before you change a text, record it again: engine/runtimetest/networktest.
//
// Unstable: any commit may change it.
package rpcerrors

import (
	"slices"

	"github.com/monosim/monosim/engine/enum"
)

// These are the messages with which a gRPC client reports its own failures. The texts are those of
// grpcio 1.32, which TensorFlow 2.4 requires (grpcio~=1.32.0). Later versions append the last
// connection's error to the first message. Recordings of the messages are in
// engine/runtimetest/networktest.
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

var codeNames = []string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED",
	"NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
	"FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
	"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

func (c Code) String() string { return enum.Listed(codeNames, c) }

// Failure returns the status code with the given name, such as UNAVAILABLE. It returns false if
// there is none, or if the name is OK.
func Failure(name string) (Code, bool) {
	at := slices.Index(codeNames[1:], name)
	return Code(at + 1), at >= 0
}
