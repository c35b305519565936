// Package testee is the protocol in which an implementation of the agent service is asked:
// cases and answers as lines of JSON.
//
// Three things to use first:
//
//   - [Testee] answers cases: [Process] is a program behind JSON lines,
//     runners/diff/gotestee is the engine.
//   - [Case] is one question, [Answer] what was answered.
//   - [Serve] makes a program of a testee.
//
// On these stand package conformance, which compares answers, and package generate, which
// invents cases. To change how cases and answers are written look in case.go and
// answer.go; programs that hang or die, process.go.
//
// The protocol and the operations are described in PROTOCOL.md, with a testee to
// begin with; testdata has answered examples.
//
// Unstable: any commit may change it.
package testee

import (
	"errors"
	"slices"
)

// Testee answers cases.
type Testee interface {
	// Hello returns the greeting. An error means that the testee cannot be used at all.
	Hello() (Hello, error)
	// Answer answers one case. A failure of the testee itself is an answer of kind Broken;
	// the next case may succeed.
	Answer(c *Case) Answer
	// Close ends the testee.
	Close() error
}

// Hello is a testee's greeting: its name, its version and the operations that it can answer.
type Hello struct {
	Name, Version string
	// Ops lists the operations that the testee can answer.
	Ops []string
}

// Knows reports whether the testee has the operation.
func (h Hello) Knows(op string) bool {
	return slices.ContainsFunc(h.Ops, func(known string) bool { return known == op })
}

// ErrClosed is the error of a testee that is asked after Close.
var ErrClosed = errors.New("the testee is closed")
