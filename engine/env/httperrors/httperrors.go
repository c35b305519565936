// Package httperrors has the errors of a connection of plain HTTP (env.HTTPConn). [Refused] and the
// others are kinds of errors, to be tested for with errors.Is. [Wrap] makes an error of a kind with
// a message of its own. Each network decides which of its own errors is of which kind.
//
// Unstable: any commit may change it.
package httperrors

import (
	"errors"
	"fmt"
)

// These are the kinds of errors. An error that Linux also has uses Linux's text.
var (
	Refused      = errors.New("connection refused")
	TimedOut     = errors.New("timed out")
	NoSuchName   = errors.New("name or service not known")
	NoSuchFile   = errors.New("no such file or directory") // the Unix socket does not exist
	Reset        = errors.New("connection reset by peer")
	BrokenPipe   = errors.New("broken pipe")
	Unreachable  = errors.New("network is unreachable")
	Disconnected = errors.New("remote end closed connection without response")
	// Malformed is the error for an answer that is not HTTP.
	Malformed = errors.New("malformed answer")
	// Incomplete is the error for a body that is shorter than its announced length.
	Incomplete = errors.New("incomplete body")
)

// Wrap returns an error of the given kind, whose text begins with the formatted message.
func Wrap(kind error, format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), kind)
}
