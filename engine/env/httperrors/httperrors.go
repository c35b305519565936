// Package httperrors has what can go wrong on a connection of plain HTTP (env.HTTPConn).
//
// Two things to use first:
//
//   - [Refused] and the others are to compare with, by errors.Is.
//   - [Wrap] makes an error that is one of them and says more.
//
// A new kind is one line among them; each network says which of its errors it is.
package httperrors

import (
	"errors"
	"fmt"
)

// The kinds. The texts of those that Linux has are Linux's.
var (
	Refused      = errors.New("connection refused")
	TimedOut     = errors.New("timed out")
	NoSuchName   = errors.New("name or service not known")
	NoSuchFile   = errors.New("no such file or directory") // a Unix socket that is not there
	Reset        = errors.New("connection reset by peer")
	BrokenPipe   = errors.New("broken pipe")
	Unreachable  = errors.New("network is unreachable")
	Disconnected = errors.New("remote end closed connection without response")
	// Malformed is an answer that is no HTTP.
	Malformed = errors.New("malformed answer")
	// Incomplete is a body that ends before it is as long as it said.
	Incomplete = errors.New("incomplete body")
)

// Wrap is an error of a kind.
func Wrap(kind error, format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), kind)
}
