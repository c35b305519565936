package caseworld

import (
	"fmt"
)

// BadCase says what of a case is not as the protocol has it.
type BadCase string

func (b BadCase) Error() string { return string(b) }

// Skipped says why the port cannot answer a case of an operation that it has.
type Skipped string

func (s Skipped) Error() string { return string(s) }

// BadCasef unwinds to the answer.
func BadCasef(format string, args ...any) { panic(BadCase(fmt.Sprintf(format, args...))) }

// VerdictOf is the error of a panic by which this package ends a case; any other
// goes on, to the world, which makes an error of it.
func VerdictOf(recovered any) error {
	switch r := recovered.(type) {
	case nil:
		return nil
	case BadCase:
		return r
	case Skipped:
		return r
	}
	panic(recovered)
}
