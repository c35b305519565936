// Package eventlog is the log of a test case: tasks write lines about what they have seen, and the
// test compares them after the last task has ended. The suites of runtimetest share it. Tasks use
// [Log.Addf], the test uses [Log.Want].
//
// Unstable: any commit may change it.
package eventlog

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Log is a list of lines. Tasks of several processes may add lines at the same time.
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

// Want fails the test unless the log holds exactly these lines. It prints the difference.
func (l *Log) Want(t testing.TB, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, l.All()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
