// Package eventlog is the log of a test case: lines that tasks write about what they
// have seen, which the test compares after the last of them has ended. The suites of
// runtimetest share it.
//
// Use [Log.Addf] in tasks, and [Log.Want] in the test.
package eventlog

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Log is a list of lines. Tasks of several processes may write at the same time.
type Log struct {
	mu    sync.Mutex
	lines []string
}

// Addf adds a line.
func (l *Log) Addf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// All returns a copy of the lines so far.
func (l *Log) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// Want fails the test when the lines so far are others, and prints the difference.
func (l *Log) Want(t testing.TB, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, l.All()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
