// Package sessiontest has sessions that fail, for tests of code that runs operations in a session.
//
//   - [EachFailure] checks that the error of any failed run is returned.
//   - [Failing] is a session in which one run fails.
//
// Unstable: any commit may change it.
package sessiontest

import (
	"errors"
	"testing"

	"github.com/monosim/monosim/engine/training/session"
)

// Failing is a session whose run number At fails with Error. Runs are counted from 1.
type Failing struct {
	session.Session
	At    int
	Error error
	ran   int
}

// Run returns the error at run number At, and otherwise runs the operations.
func (f *Failing) Run(ops ...session.Op) ([]any, error) {
	if f.ran++; f.ran == f.At {
		return nil, f.Error
	}
	return f.Session.Run(ops...)
}

// EachFailure calls do with a session whose first run fails, then with a session whose second run
// fails, and so on until do makes no run that fails. Each call must return the session's error.
// prepare fills each session before. If prepare is nil, the session is empty.
func EachFailure(t *testing.T, prepare, do func(s session.Session) error) {
	t.Helper()
	failure := session.Raise("UnavailableError", "u")
	for at := 1; ; at++ {
		memory := session.NewMemory()
		if prepare != nil {
			if err := prepare(memory); err != nil {
				t.Fatal(err)
			}
		}
		s := &Failing{Session: memory, At: at, Error: failure}
		switch err := do(s); {
		case s.ran < at && at == 1:
			t.Error("nothing ran in the session")
			return
		case s.ran < at:
			if err != nil {
				t.Errorf("without a failure: got %v", err)
			}
			return
		case !errors.Is(err, failure):
			t.Errorf("run %d fails: got %v, want %v", at, err, failure)
		}
	}
}
