package caseworld

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
)

// BadCase is an error that says where a case breaks the protocol.
type BadCase string

func (b BadCase) Error() string { return string(b) }

// Skipped is an error that says why the port cannot answer a case of an operation that it has.
type Skipped string

func (s Skipped) Error() string { return string(s) }

// BadCasef ends the case with a [BadCase], by a panic that [VerdictOf] catches.
func BadCasef(format string, args ...any) { panic(BadCase(fmt.Sprintf(format, args...))) }

// VerdictOf returns the error of a panic by which this package ends a case, or the exception of a
// value that cannot be encoded. With any other value it panics again, and the world turns that into
// an error.
func VerdictOf(recovered any) error {
	switch r := recovered.(type) {
	case nil:
		return nil
	case BadCase:
		return r
	case Skipped:
		return r
	case *pysem.Error:
		return r
	}
	panic(recovered)
}
