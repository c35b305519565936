// Package eventlog is what the tasks of a case have seen, in order, which the suites
// of env's contract compare.
//
// Two things to use first: [Log.Addf], by any task, and [Log.Want], by the test when
// all has ended.
package eventlog

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Log is a list of lines. It has a lock of its own because tasks of several processes
// write to it.
type Log struct {
	mu    sync.Mutex
	lines []string
}

// Addf writes a line.
func (l *Log) Addf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// All is what was written so far.
func (l *Log) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// Want fails the test when something else was written.
func (l *Log) Want(t testing.TB, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, l.All()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
