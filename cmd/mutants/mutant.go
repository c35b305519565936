package main

import (
	"fmt"
	"strings"
)

// operator names a kind of change.
type operator string

// Each operator imitates one way in which a port can be slightly wrong.
const (
	opCondition operator = "condition" // a comparison or a condition becomes its opposite
	opBoundary  operator = "boundary"  // a comparison includes or excludes its limit: < becomes <=
	opLogic     operator = "logic"     // && becomes ||, and || becomes &&
	opArith     operator = "arithmetic"
	opNumber    operator = "number"  // a number, a duration, true or false becomes another
	opReturn    operator = "return"  // a result becomes nothing, its contrary, one more, or an error
	opCall      operator = "call"    // a call whose result is unused is removed
	opAssign    operator = "assign"  // an assignment is left out
	opDefer     operator = "defer"   // a deferred or started call is left out
	opLeave     operator = "leaving" // break becomes continue, continue becomes break, or either is left out
)

// mutant is one small change at one place of the source.
type mutant struct {
	ID       int      `json:"id"` // from 1
	Package  string   `json:"package"`
	File     string   `json:"file"` // path from the root of the module
	Line     int      `json:"line"`
	Func     string   `json:"func"` // function, or method as Type.Method; "" outside of functions
	Operator operator `json:"operator"`
	Change   string   `json:"change"`
	// Nth numbers the mutants with the same change within one function, from 1.
	Nth int `json:"nth"`
}

// name returns a name that does not change when lines are inserted or removed. equivalent.yaml uses
// such names.
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

// maxShown is how many characters of a source line the description of a change shows.
const maxShown = 70

// oneLine joins source text into one line and shortens it, for a description.
func oneLine(source string) string {
	source = strings.Join(strings.Fields(source), " ")
	if runes := []rune(source); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return source
}
