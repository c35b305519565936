package timeline

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/monosim/monosim/runners"
)

// chrome writes runs in Chrome's Trace Event Format, as JSON.
type chrome struct {
	out    io.Writer
	any    bool // whether an event was written, so that the next needs a comma before it
	label  string
	places map[string]*place // places of the present run, by their names (Observation.Who)
	pids   int
	arrows int
	lives  lives
	last   time.Duration
	at     []spot // where each observation of the present run is drawn
}

// place is a process in the trace, whose threads are its lanes.
type place struct {
	pid   int
	lanes []*lane
}

// lane is a thread in the trace. The slices on it do not overlap.
type lane struct {
	group string
	pid   int
	tid   int
	until time.Duration // end of the last slice in the lane
	held  bool          // whether a life that has not ended occupies the lane
}

// spot is a thread and a time in the trace, where an arrow begins or ends.
type spot struct {
	pid, tid int
	at       time.Duration
}

// event is one JSON object of the trace format. Times are in microseconds.
type event struct {
	Name string         `json:"name"`
	Cat  string         `json:"cat,omitempty"`
	Ph   string         `json:"ph"`
	Ts   json.Number    `json:"ts"`
	Dur  json.Number    `json:"dur,omitempty"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	ID   int            `json:"id,omitempty"`
	Bp   string         `json:"bp,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// instant is the length with which an observation without duration is drawn.
const instant = time.Microsecond

func newChrome(w io.Writer) *chrome {
	c := &chrome{out: w}
	c.lives.began, c.lives.ended = c.born, c.died
	return c
}

func microseconds(d time.Duration) json.Number {
	return json.Number(fmt.Sprintf("%d.%03d", d/time.Microsecond, d%time.Microsecond))
}

// write writes an event. If writing fails, Close returns the first error.
func (c *chrome) write(e event) {
	between := ",\n"
	if !c.any {
		between = `{"displayTimeUnit":"ms","traceEvents":[` + "\n"
	}
	c.any = true
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // cannot happen: an event has only values that can be encoded
	}
	_, _ = fmt.Fprintf(c.out, "%s%s", between, data)
}

func (c *chrome) begin(run int, r Run) {
	c.lives.finish(c.last)
	c.label = fmt.Sprintf("%s, seed %d: ", r.Name, r.Seed)
	if r.Path != "" {
		c.label = fmt.Sprintf("%d. %s", run, c.label)
	}
	c.places, c.last, c.at = map[string]*place{}, 0, nil
}

func (c *chrome) end() {
	c.lives.finish(c.last)
	if !c.any {
		_, _ = io.WriteString(c.out, `{"displayTimeUnit":"ms","traceEvents":[`)
	}
	_, _ = io.WriteString(c.out, "\n]}\n")
}

func (c *chrome) place(who string) *place {
	p := c.places[who]
	if p == nil {
		c.pids++
		p = &place{pid: c.pids}
		c.places[who] = p
		c.write(event{Name: "process_name", Ph: "M", Ts: "0", Pid: p.pid, Args: map[string]any{"name": c.label + who}})
	}
	return p
}

// groups lists the groups of lanes in the order in which they are displayed.
var groups = []string{"faults", "processes", "sessions", "models", "registrations", "calls", "events"}

// lane returns a lane of the group that is free from the given time. It makes one if there is none.
func (c *chrome) lane(p *place, group string, from time.Duration) *lane {
	for _, l := range p.lanes {
		if l.group == group && !l.held && l.until <= from {
			return l
		}
	}
	l := &lane{group: group, pid: p.pid, tid: len(p.lanes) + 1}
	p.lanes = append(p.lanes, l)
	c.write(event{Name: "thread_name", Ph: "M", Ts: "0", Pid: p.pid, Tid: l.tid, Args: map[string]any{"name": group}})
	for i, g := range groups {
		if g == group {
			c.write(event{Name: "thread_sort_index", Ph: "M", Ts: "0", Pid: p.pid, Tid: l.tid, Args: map[string]any{"sort_index": i}})
		}
	}
	return l
}

func (c *chrome) observe(n int, o *runners.Observation) {
	p := c.place(o.Pod)
	group := "events"
	if o.Op == "rpc" {
		group = "calls"
	}
	l := c.lane(p, group, o.At-o.Took)
	l.until = o.At + instant
	args := map[string]any{"n": n}
	for key, text := range map[string]string{"path": o.Path, "note": o.Note, "peer": o.Peer} {
		if text != "" {
			args[key] = text
		}
	}
	c.write(event{
		Name: Phrase(o), Cat: o.Op, Ph: "X", Ts: microseconds(o.At - o.Took), Dur: microseconds(o.Took + instant),
		Pid: p.pid, Tid: l.tid, Args: args,
	})
	c.at = append(c.at, spot{p.pid, l.tid, o.At})
	c.last = o.At + instant
	if o.Cause > 0 && o.Cause < n {
		c.arrow(c.at[o.Cause-1], c.at[n-1])
	}
	c.lives.observe(o)
}

// arrow draws an arrow from a cause to its effect.
func (c *chrome) arrow(from, to spot) {
	c.arrows++
	c.write(event{Name: "because of", Cat: "cause", Ph: "s", Ts: microseconds(from.at), Pid: from.pid, Tid: from.tid, ID: c.arrows})
	c.write(event{Name: "because of", Cat: "cause", Ph: "f", Bp: "e", Ts: microseconds(to.at), Pid: to.pid, Tid: to.tid, ID: c.arrows})
}

// born reserves a lane for a life that begins. The lane stays reserved until the life ends.
func (c *chrome) born(l *life) {
	l.lane = c.lane(c.place(l.who), l.group, l.from)
	l.lane.held = true
}

// died writes the slice of a life that has ended, and frees its lane.
func (c *chrome) died(l *life) {
	l.lane.held, l.lane.until = false, l.until
	c.write(event{Name: l.name, Cat: l.group, Ph: "X", Ts: microseconds(l.from), Dur: microseconds(l.until - l.from), Pid: l.lane.pid, Tid: l.lane.tid})
}
