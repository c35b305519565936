package caseworld

import (
	"regexp"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/sim/hosts"
)

// shown collects what a case shows in addition to its answer. The field "shows" of the case lists
// what to collect.
type shown struct {
	logs    *hosts.Logs // nil if the case does not show logs
	metrics []any
	waits   *waits // nil if the case does not show waits
	names   []string
}

func newShown(c *testee.Case) *shown {
	s := &shown{names: c.Shows}
	if c.Asks("logs") {
		s.logs = &hosts.Logs{Level: env.Debug, Keep: true}
	}
	if c.Asks("waits") {
		s.waits = &waits{ms: []any{}}
	}
	return s
}

// waits holds how long the sleeps of a case were, in milliseconds.
type waits struct{ ms []any }

// caseTasks runs the tasks of a case, and records their sleeps in the order in which they begin.
type caseTasks struct {
	env.Tasks
	waits *waits // nil if the case does not show waits
}

func (t caseTasks) Sleep(d time.Duration) {
	t.waits.note(d)
	t.Tasks.Sleep(d)
}

// NoteWait records a sleep. Stand-ins for tasks that do not really sleep call it.
func NoteWait(tasks env.Tasks, d time.Duration) {
	if t, ok := tasks.(caseTasks); ok {
		t.waits.note(d)
	}
}

func (w *waits) note(d time.Duration) {
	if w == nil {
		return
	}
	w.ms = append(w.ms, int(d.Round(time.Millisecond)/time.Millisecond))
}

// Metric records one call of the metrics client that has this prefix.
func (c *Call) Metric(prefix, method string, arguments ...any) {
	told := append([]any{prefix, method}, EncodeList(arguments)...)
	c.shown.metrics = append(c.shown.metrics, told)
}

// Beside returns, as fields, what the case shows in addition to its answer. It returns nil if the
// case shows nothing.
func (w *World) Beside() *pysem.Dict {
	s := w.Call.shown
	if len(s.names) == 0 {
		return nil
	}
	d := &pysem.Dict{}
	for _, name := range s.names {
		switch name {
		case "logs":
			d.Set(name, s.lines())
		case "metrics":
			d.Set(name, append([]any{}, s.metrics...))
		case "waits":
			d.Set(name, s.waits.ms)
		}
	}
	return d
}

// lines returns the log lines as [level, text].
func (s *shown) lines() []any {
	list := []any{}
	for _, l := range s.logs.Lines {
		if !strings.HasPrefix(l.Text, pylog.Uncaught) { // of stderr
			list = append(list, []any{l.Level.String(), hiddenInLine(l.Text)})
		}
	}
	return list
}

var (
	object     = regexp.MustCompile(`\b0x[0-9a-f]{4,}\b`)
	port       = regexp.MustCompile(` load \(\d+\)`)
	frame      = regexp.MustCompile(`<frame at [^>]*>`)
	failedCall = regexp.MustCompile(`(?s)(<_InactiveRpcError of RPC that terminated with:\n\tstatus = [\w.]+\n).*?\n>`)
)

// hiddenInLine removes from a log line what differs between runs, such as addresses of objects and
// gRPC's wording (section 3 of the protocol).
func hiddenInLine(text string) string {
	text = failedCall.ReplaceAllString(Hide(text), "$1\t<GRPC DETAILS>\n>")
	text = port.ReplaceAllString(text, " load (<PORT>)")
	return object.ReplaceAllString(frame.ReplaceAllString(text, "<frame>"), "<ID>")
}
