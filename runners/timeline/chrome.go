package timeline

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// chrome is the Trace Event Format of Chrome, as JSON.
type chrome struct {
	out    io.Writer
	any    bool // an event was written
	label  string
	places map[string]*place // of the run, by who
	pids   int
	arrows int
	open   []*life
	last   time.Duration
	at     []spot // of each observation of the run
}

// place is a process of the trace: what is on it is in lanes, its threads.
type place struct {
	pid   int
	lanes []*lane
}

// lane is a thread of the trace, on which slices do not overlap.
type lane struct {
	group string
	tid   int
	until time.Duration // end of the last slice
	held  bool          // by a life that goes on
}

// life is a slice whose end is not known yet.
type life struct {
	who, group, what string
	id               int64
	name             string
	from             time.Duration
	pid              int
	lane             *lane
}

// spot is where an arrow begins.
type spot struct {
	pid, tid int
	at       time.Duration
}

// event is one object of the format; times are in microseconds.
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

// instant is how long a slice is of what takes no time.
const instant = time.Microsecond

func newChrome(w io.Writer) *chrome { return &chrome{out: w} }

func microseconds(d time.Duration) json.Number {
	return json.Number(fmt.Sprintf("%d.%03d", d/time.Microsecond, d%time.Microsecond))
}

// write adds an event. Errors stay with the buffered writer below, which Close asks.
func (c *chrome) write(e event) {
	between := ",\n"
	if !c.any {
		between = `{"displayTimeUnit":"ms","traceEvents":[` + "\n"
	}
	c.any = true
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // plain values only
	}
	_, _ = fmt.Fprintf(c.out, "%s%s", between, data)
}

func (c *chrome) begin(run int, r Run) {
	c.finish()
	c.label = fmt.Sprintf("%s, seed %d: ", r.Name, r.Seed)
	if r.Path != "" {
		c.label = fmt.Sprintf("%d. %s", run, c.label)
	}
	c.places, c.last, c.at = map[string]*place{}, 0, nil
}

// finish ends what still goes on at the end of a run.
func (c *chrome) finish() {
	for _, l := range c.open {
		c.slice(l, c.last)
	}
	c.open = nil
}

func (c *chrome) end() {
	c.finish()
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

// groups are the kinds of lanes in the order in which they are shown.
var groups = []string{"faults", "processes", "sessions", "models", "calls", "events"}

// lane finds one of a group that is free from an instant on.
func (c *chrome) lane(p *place, group string, from time.Duration) *lane {
	for _, l := range p.lanes {
		if l.group == group && !l.held && l.until <= from {
			return l
		}
	}
	l := &lane{group: group, tid: len(p.lanes) + 1}
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
	c.live(o)
}

// arrow leads from a cause to what it led to.
func (c *chrome) arrow(from, to spot) {
	c.arrows++
	c.write(event{Name: "because of", Cat: "cause", Ph: "s", Ts: microseconds(from.at), Pid: from.pid, Tid: from.tid, ID: c.arrows})
	c.write(event{Name: "because of", Cat: "cause", Ph: "f", Bp: "e", Ts: microseconds(to.at), Pid: to.pid, Tid: to.tid, ID: c.arrows})
}

// live begins and ends lives.
func (c *chrome) live(o *runners.Observation) {
	switch o.Op {
	case "process.start":
		c.born(o, "processes", "", fmt.Sprintf("%s[%d]", o.Path, o.ID))
	case "process.exit":
		c.die(o.At, func(l *life) bool {
			return l.who == o.Pod && l.id == o.ID && (l.group == "processes" || l.group == "models")
		})
	case "zookeeper.createSession":
		c.born(o, "sessions", "", fmt.Sprintf("session 0x%x", o.ID))
	case "zookeeper.closeSession":
		c.die(o.At, func(l *life) bool { return l.group == "sessions" && l.id == o.ID })
	case "fault.begin":
		c.born(o, "faults", o.Path+" "+o.Note, o.Path+" "+o.Note)
	case "fault.end":
		c.die(o.At, func(l *life) bool { return l.group == "faults" && l.what == o.Path+" "+o.Note })
	case "modelserver.state":
		c.die(o.At, func(l *life) bool {
			return l.group == "models" && l.who == o.Pod && l.id == o.ID && l.what == o.Path
		})
		if !strings.HasPrefix(o.Note, "END") {
			c.born(o, "models", o.Path, o.Path+" "+o.Note)
		}
	}
}

func (c *chrome) born(o *runners.Observation, group, what, name string) {
	p := c.place(o.Pod)
	l := c.lane(p, group, o.At)
	l.held = true
	c.open = append(c.open, &life{who: o.Pod, group: group, what: what, id: o.ID, name: name, from: o.At, pid: p.pid, lane: l})
}

func (c *chrome) die(at time.Duration, ends func(*life) bool) {
	kept := c.open[:0]
	for _, l := range c.open {
		if ends(l) {
			c.slice(l, at)
		} else {
			kept = append(kept, l)
		}
	}
	c.open = kept
}

// slice writes a life that has ended.
func (c *chrome) slice(l *life, until time.Duration) {
	l.lane.held, l.lane.until = false, until
	c.write(event{Name: l.name, Cat: l.group, Ph: "X", Ts: microseconds(l.from), Dur: microseconds(until - l.from), Pid: l.pid, Tid: l.lane.tid})
}
