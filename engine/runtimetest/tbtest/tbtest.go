// Package tbtest has a testing.TB that only records, for tests of helpers that fail or end a test.
// It is no subtest of the running test.
//
//   - [Attempt] runs a function as a test, to its end, clean-up included.
//   - [TB] is that test, with what it has reported.
//
// Methods of testing.TB that are missing here panic when they are called.
//
// Unstable: any commit may change it.
package tbtest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TB records one run of a test.
type TB struct {
	testing.TB
	// Said holds the texts passed to Error, Fatal, Skip, Log and their f variants, in order.
	Said []string
	// IsFailed and IsSkipped report how the test ended.
	IsFailed, IsSkipped bool

	name     string
	cleanups []func()
}

// Attempt runs test under the given name. Then it calls the Cleanup functions in reverse order.
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

// apart runs fn on a separate goroutine, so that Fatal and Skip can end it.
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

// Name returns the name of the test.
func (tb *TB) Name() string { return tb.name }

// Failed reports whether Error or Fatal was called.
func (tb *TB) Failed() bool { return tb.IsFailed }

// Cleanup registers a function to call at the end of the test.
func (tb *TB) Cleanup(fn func()) { tb.cleanups = append(tb.cleanups, fn) }

// Context returns a context that is never cancelled.
func (tb *TB) Context() context.Context { return context.Background() }

// TempDir returns a directory that is removed at the end of the test.
func (tb *TB) TempDir() string {
	dir, err := os.MkdirTemp("", "attempt")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Log records a text.
func (tb *TB) Log(args ...any) {
	tb.Said = append(tb.Said, strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
}

// Logf records a text.
func (tb *TB) Logf(format string, args ...any) { tb.Log(fmt.Sprintf(format, args...)) }

// Error records a text and marks the test as failed.
func (tb *TB) Error(args ...any) {
	tb.IsFailed = true
	tb.Log(args...)
}

// Errorf records a text and marks the test as failed.
func (tb *TB) Errorf(format string, args ...any) { tb.Error(fmt.Sprintf(format, args...)) }

// Fatal records a text, marks the test as failed and ends it.
func (tb *TB) Fatal(args ...any) {
	tb.Error(args...)
	runtime.Goexit()
}

// Fatalf records a text, marks the test as failed and ends it.
func (tb *TB) Fatalf(format string, args ...any) { tb.Fatal(fmt.Sprintf(format, args...)) }

// Skip records a text, marks the test as skipped and ends it.
func (tb *TB) Skip(args ...any) {
	tb.IsSkipped = true
	tb.Log(args...)
	runtime.Goexit()
}
