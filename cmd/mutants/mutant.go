package main

import (
	"fmt"
	"strings"
)

// operator names a kind of change.
type operator string

// The operators. Each is one way in which a port can be wrong by little.
const (
	opCondition operator = "condition" // a comparison or a condition is its contrary
	opBoundary  operator = "boundary"  // < is <=, and the like
	opLogic     operator = "logic"     // && is ||, and the contrary
	opArith     operator = "arithmetic"
	opNumber    operator = "number"  // a number, a duration, true or false is another
	opReturn    operator = "return"  // a result is nothing, its contrary, one more, or an error
	opCall      operator = "call"    // a call whose result nobody takes is left out
	opAssign    operator = "assign"  // an assignment is left out
	opDefer     operator = "defer"   // a deferred or started call is left out
	opLeave     operator = "leaving" // break is continue, continue is break, or neither is
)

// mutant describes one change of one place.
type mutant struct {
	ID       int      `json:"id"` // from 1
	Package  string   `json:"package"`
	File     string   `json:"file"` // from the root of the module
	Line     int      `json:"line"`
	Func     string   `json:"func"` // method as Type.Method, empty outside of functions
	Operator operator `json:"operator"`
	Change   string   `json:"change"`
	// Nth tells equal changes of one function apart, from 1.
	Nth int `json:"nth"`
}

// name is what the mutant is called while lines come and go: what equivalent.txt has.
func (m *mutant) name() string {
	name := m.File
	if m.Func != "" {
		name += " " + m.Func
	}
	name += ": " + m.Change
	if m.Nth > 1 {
		name += fmt.Sprintf(" #%d", m.Nth)
	}
	return name
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", m.File, m.Line, m.Operator, m.Change)
}

// maxShown limits how much of a source line a change shows.
const maxShown = 70

// oneLine shortens source text to what a change shows.
func oneLine(source string) string {
	source = strings.Join(strings.Fields(source), " ")
	if runes := []rune(source); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return source
}
