// Package sessiontest has sessions that fail, for tests of what runs in a session.
//
//   - [EachFailure] wants an error of any run to come out.
//   - [Failing] is the session, of which one run fails.
//
// Unstable: any commit may change it.
package sessiontest

import (
	"errors"
	"testing"

	"github.com/monosim/monosim/engine/training/session"
)

// Failing is a session of which one run fails, counted from 1.
type Failing struct {
	session.Session
	At    int
	Error error
	ran   int
}

// Run fails at its turn, and else runs the operations.
func (f *Failing) Run(ops ...session.Op) ([]any, error) {
	if f.ran++; f.ran == f.At {
		return nil, f.Error
	}
	return f.Session.Run(ops...)
}

// EachFailure calls do with a session of which the first run fails, then with one of which the
// second does, and so on until none has failed. Each call must return the session's error. prepare
// fills the session before; nil means that it is empty.
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
