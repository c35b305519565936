package vtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
)

const ms = time.Millisecond

func newWorld(t *testing.T, cfg vtime.Config) *vtime.World {
	t.Helper()
	w := vtime.New(cfg)
	t.Cleanup(w.Close)
	return w
}

// run runs a world until no event is left.
func run(t *testing.T, w *vtime.World) {
	t.Helper()
	runTo(t, w, vtime.Limits{}, vtime.Quiet)
}

func runTo(t *testing.T, w *vtime.World, l vtime.Limits, want vtime.Reason) {
	t.Helper()
	got, err := w.Run(l)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Fatalf("run ended: %v, want %v", got, want)
	}
}

// log holds lines that a test has noted, in order.
type log []string

func (l *log) add(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

func (l *log) want(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, []string(*l)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// panicText calls fn and returns the text of its panic.
func panicText(fn func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	fn()
	return ""
}
