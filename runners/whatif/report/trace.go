package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
)

// traceEvent is one object of Chrome's Trace Event Format, which ui.perfetto.dev and
// chrome://tracing read. Times are in microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	Ts    json.Number    `json:"ts"`
	Dur   json.Number    `json:"dur,omitempty"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// Kinds of trace events. The format calls them phases.
const (
	phaseSlice   = "X"
	phaseInstant = "i"
	phaseCount   = "C"
	phaseName    = "M"
)

// fleetPid is the process number that stands for the fleet as a whole. The numbers after it
// stand for requests.
const fleetPid = 1

// Trace writes sampled requests, and the events of containers during them, in the Trace
// Event Format. Each request is a process with a row for the whole request. Each attempt of
// a call has one row for its caller and one for its container. Equal traces give equal
// bytes.
func Trace(w io.Writer, t *model.Trace) error {
	out := &tracing{out: bufio.NewWriter(w)}
	out.name("process_name", fleetPid, 0, fmt.Sprintf("the fleet in %s, replication %d", t.Window.Name, t.Replication))
	out.fleet(t)
	for k := range t.Requests {
		out.request(&t.Requests[k], fleetPid+1+k)
	}
	if out.err == nil {
		_, out.err = out.out.WriteString("\n]}\n")
	}
	if out.err != nil {
		return out.err
	}
	return out.out.Flush()
}

// tracing writes trace events as JSON and keeps the first write error. any is true after the
// first event.
type tracing struct {
	out *bufio.Writer
	any bool
	err error
}

func (t *tracing) event(e traceEvent) {
	between := ",\n"
	if !t.any {
		between = `{"displayTimeUnit":"ms","traceEvents":[` + "\n"
	}
	t.any = true
	data, err := json.Marshal(e)
	if err == nil && t.err == nil {
		_, err = t.out.WriteString(between + string(data))
	}
	t.err = cmp.Or(t.err, err)
}

// name writes an event that gives a process or a thread of the trace its name.
func (t *tracing) name(what string, pid, tid int, name string) {
	t.event(traceEvent{Name: what, Phase: phaseName, Ts: "0", Pid: pid, Tid: tid, Args: map[string]any{"name": name}})
}

func (t *tracing) slice(pid, tid int, name string, from, to int64, args map[string]any) {
	t.event(traceEvent{Name: name, Phase: phaseSlice, Ts: micros(from), Dur: micros(to - from), Pid: pid, Tid: tid, Args: args})
}

// micros formats nanoseconds as microseconds.
func micros(ns int64) json.Number { return json.Number(fmt.Sprintf("%d.%03d", ns/1000, ns%1000)) }

// fleet writes request counts over time, and a row for each container or link that had an
// event.
func (t *tracing) fleet(trace *model.Trace) {
	length := int64(trace.Window.End - trace.Window.Start)
	for k, b := range trace.Bins {
		at := micros(int64(trace.Window.Start) + length*int64(k)/model.TraceBins)
		for _, c := range []struct {
			name string
			n    int64
		}{{"requests that come", b.Arrived}, {"requests answered", b.Completed}, {"requests failed", b.Failed}, {"requests in flight", b.InFlight}} {
			t.event(traceEvent{Name: c.name, Phase: phaseCount, Ts: at, Pid: fleetPid, Args: map[string]any{"n": c.n}})
		}
	}
	var rows []string
	for _, m := range trace.Marks {
		row := slices.Index(rows, m.Where)
		if row < 0 {
			row = len(rows)
			rows = append(rows, m.Where)
			t.name("thread_name", fleetPid, row+1, m.Where)
		}
		t.event(traceEvent{Name: m.What, Phase: phaseInstant, Ts: micros(m.At), Pid: fleetPid, Tid: row + 1, Scope: "t"})
	}
}

func (t *tracing) request(r *model.TracedRequest, pid int) {
	ended := "answered"
	switch {
	case r.Failed != "":
		ended = "failed: " + r.Failed
	case r.Partial:
		ended = "answered in part"
	}
	t.name("process_name", pid, 0, fmt.Sprintf("request %d, %s, %s", r.Number, duration(r.End-r.Intended), ended))
	t.name("thread_name", pid, 0, "request")
	t.slice(pid, 0, "request", r.Intended, r.End, map[string]any{"number": r.Number, "items": r.Items, "model": r.Model, "entry": r.Entry, "ended": ended})
	if r.Came > r.Intended {
		t.slice(pid, 0, "waits for its client", r.Intended, r.Came, nil)
	}
	if r.Queue > 0 {
		t.slice(pid, 0, "waits for a thread of "+r.Entry, r.Came, r.Came+r.Queue, nil)
	}
	if r.Compute > 0 {
		t.slice(pid, 0, "computes on "+r.Entry, r.Came+r.Queue, r.Came+r.Queue+r.Compute, nil)
	}
	for _, c := range slices.SortedStableFunc(slices.Values(r.Calls), func(a, b model.TracedCall) int { return rowOf(&a) - rowOf(&b) }) {
		t.call(&c, pid)
	}
}

// rowOf returns the row that shows an attempt as its caller saw it. The next row shows the
// attempt in its container.
func rowOf(c *model.TracedCall) int {
	const ofSlot, ofAttempt = 64, 4 // numbers of rows that are reserved for each call, and for each attempt of it
	row := 1 + c.Slot*ofSlot + c.Attempt*ofAttempt
	if c.Tier == "dense" {
		row += 1 << 20 // puts calls to dense servers below the calls to PS
	}
	if c.Hedge {
		row += ofAttempt / 2
	}
	return row
}

func (t *tracing) call(c *model.TracedCall, pid int) {
	row := rowOf(c)
	name := fmt.Sprintf("%s call %d", c.Tier, c.Slot)
	if c.Attempt > 0 {
		name += fmt.Sprintf(", retry %d", c.Attempt)
	}
	if c.Hedge {
		name += ", hedge"
	}
	t.name("thread_name", pid, row, name)
	t.slice(pid, row, name+": "+c.Outcome, c.Sent, c.End, map[string]any{"container": c.Container, "outcome": c.Outcome})
	if c.Arrived == 0 {
		return // the call never reached its container
	}
	t.name("thread_name", pid, row+1, "at "+c.Container)
	switch {
	case c.Started == 0:
		t.event(traceEvent{Name: "comes to " + c.Container + ", to no thread", Phase: phaseInstant, Ts: micros(c.Arrived), Pid: pid, Tid: row + 1, Scope: "t"})
		return
	case c.Started > c.Arrived:
		t.slice(pid, row+1, "waits for a thread", c.Arrived, c.Started, nil)
	}
	if c.Done == 0 {
		t.event(traceEvent{Name: "begins, and ends after the trace or not at all", Phase: phaseInstant, Ts: micros(c.Started), Pid: pid, Tid: row + 1, Scope: "t"})
		return
	}
	t.slice(pid, row+1, "computes", c.Started, c.Done, nil)
}
