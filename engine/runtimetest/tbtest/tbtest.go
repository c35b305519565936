// Package tbtest has a testing.TB that only takes down what a test would say, for
// tests of the helpers that end other people's tests. Nothing else is simulated of a
// test: it is no subtest of the one that runs.
//
// Two things to use first:
//
//   - [Attempt] runs a function as a test of a name, to its end, clean-up included.
//   - [TB], what that test was and said.
//
// To change what a test may call look at the methods of TB: those that are missing
// are of a nil interface.
package tbtest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TB is one attempt at a test.
type TB struct {
	testing.TB
	// Said holds the texts of Error, Fatal, Skip and Log, with f or without, in order.
	Said []string
	// IsFailed and IsSkipped say how it ended.
	IsFailed, IsSkipped bool

	name     string
	cleanups []func()
}

// Attempt runs test as the test of that name and then what it cleans up, in the
// reverse order.
func Attempt(name string, test func(tb testing.TB)) *TB {
	tb := &TB{name: name}
	tb.apart(func() { test(tb) })
	for len(tb.cleanups) > 0 {
		last := len(tb.cleanups) - 1
		fn := tb.cleanups[last]
		tb.cleanups = tb.cleanups[:last]
		tb.apart(fn)
	}
	return tb
}

// apart runs fn on a goroutine of its own, which Fatal and Skip end.
func (tb *TB) apart(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}

// Helper does nothing.
func (tb *TB) Helper() {}

// Name returns the name of the attempt.
func (tb *TB) Name() string { return tb.name }

// Failed reports whether Error or Fatal was called.
func (tb *TB) Failed() bool { return tb.IsFailed }

// Cleanup has fn called at the end of the attempt.
func (tb *TB) Cleanup(fn func()) { tb.cleanups = append(tb.cleanups, fn) }

// Context returns a context that is never cancelled.
func (tb *TB) Context() context.Context { return context.Background() }

// TempDir returns a folder that goes at the end of the attempt.
func (tb *TB) TempDir() string {
	dir, err := os.MkdirTemp("", "attempt")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Log takes a text down.
func (tb *TB) Log(args ...any) {
	tb.Said = append(tb.Said, strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
}

// Logf takes a text down.
func (tb *TB) Logf(format string, args ...any) { tb.Log(fmt.Sprintf(format, args...)) }

// Error takes a text down and fails the attempt.
func (tb *TB) Error(args ...any) {
	tb.IsFailed = true
	tb.Log(args...)
}

// Errorf takes a text down and fails the attempt.
func (tb *TB) Errorf(format string, args ...any) { tb.Error(fmt.Sprintf(format, args...)) }

// Fatal takes a text down, fails the attempt and ends it.
func (tb *TB) Fatal(args ...any) {
	tb.Error(args...)
	runtime.Goexit()
}

// Fatalf takes a text down, fails the attempt and ends it.
func (tb *TB) Fatalf(format string, args ...any) { tb.Fatal(fmt.Sprintf(format, args...)) }

// Skip takes a text down and ends the attempt.
func (tb *TB) Skip(args ...any) {
	tb.IsSkipped = true
	tb.Log(args...)
	runtime.Goexit()
}
