package timeline

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// life is a period of time in one state. Examples are a running process, an open session, a loading
// model version, an active fault and an existing ephemeral znode.
type life struct {
	who, group string
	// subject names the thing that is in the state. A subject may have several lives, one after
	// another.
	subject string
	state   string
	name    string
	id      int64
	// key identifies the life within its group while it lasts.
	key  string
	from time.Duration
	// until is the time at which the life ended, and end says how.
	until time.Duration
	end   string
	lane  *lane // lane in the Chrome trace
}

// lives tracks the lives of a run. It calls began and ended for each life.
type lives struct {
	open         []*life
	began, ended func(*life)
}

// finish ends all lives that are still open at the end of the run.
func (l *lives) finish(at time.Duration) {
	l.die(at, "", func(*life) bool { return true })
}

func (l *lives) begin(o *runners.Observation, one life) {
	one.who, one.id, one.from = o.Pod, o.ID, o.At
	l.open = append(l.open, &one)
	l.began(&one)
}

func (l *lives) die(at time.Duration, end string, ends func(*life) bool) {
	kept := l.open[:0]
	for _, one := range l.open {
		if ends(one) {
			one.until, one.end = at, end
			l.ended(one)
		} else {
			kept = append(kept, one)
		}
	}
	clear(l.open[len(kept):])
	l.open = kept
}

// observe begins or ends the lives that an observation concerns.
func (l *lives) observe(o *runners.Observation) {
	topic, what, _ := strings.Cut(o.Op, ".")
	switch topic {
	case "process":
		l.process(o, what)
	case "fault":
		l.fault(o, what)
	case "modelserver":
		if what == "state" {
			l.model(o)
		}
	case "zookeeper":
		l.zookeeper(o, what)
	}
}

func (l *lives) process(o *runners.Observation, what string) {
	switch what {
	case "start":
		program := path.Base(o.Path)
		l.begin(o, life{group: "processes", subject: program, state: "running", name: fmt.Sprintf("%s[%d]", program, o.ID)})
	case "exit":
		l.die(o.At, o.Note, func(one *life) bool {
			return one.who == o.Pod && one.id == o.ID && (one.group == "processes" || one.group == "models")
		})
	}
}

func (l *lives) fault(o *runners.Observation, what string) {
	name := strings.TrimSpace(o.Path + " " + o.Note)
	if what != "end" {
		l.begin(o, life{group: "faults", subject: o.Path, state: "fault", name: name, key: name})
	}
	if what != "begin" { // a fault that only happens is over at once
		l.die(o.At, "", func(one *life) bool { return one.group == "faults" && one.key == name })
	}
}

func (l *lives) model(o *runners.Observation) {
	l.die(o.At, o.Note, func(one *life) bool {
		return one.group == "models" && one.who == o.Pod && one.id == o.ID && one.key == o.Path
	})
	if state, _, _ := strings.Cut(o.Note, ":"); state != "END" {
		l.begin(o, life{group: "models", subject: path.Dir(o.Path), state: state, name: o.Path + " " + o.Note, key: o.Path})
	}
}

// zookeeper tracks sessions, and the ephemeral znodes by which pods register.
func (l *lives) zookeeper(o *runners.Observation, what string) {
	switch what {
	case "createSession":
		l.begin(o, life{group: "sessions", subject: "ZooKeeper", state: "open", name: fmt.Sprintf("session 0x%x", o.ID)})
	case "closeSession":
		l.die(o.At, "", func(one *life) bool { return one.group == "sessions" && one.id == o.ID })
	}
	if !done(o) {
		return
	}
	switch {
	case what == "create" && o.Note == noteEphemeral:
		r := registered(o.Path, o.Data)
		l.begin(o, life{group: "registrations", subject: r.Key, state: r.State, name: o.Path, key: o.Path})
	case what == "setData":
		l.rewritten(o)
	case what == "delete":
		end := ""
		if o.Note == noteWithSession {
			end = o.Note
		}
		l.die(o.At, end, func(one *life) bool { return one.group == "registrations" && one.key == o.Path })
	}
}

// rewritten begins a new life of a registration if the written data changes its state.
func (l *lives) rewritten(o *runners.Observation) {
	r := registered(o.Path, o.Data)
	for _, one := range l.open {
		if one.group == "registrations" && one.key == o.Path && one.state != r.State {
			next := life{group: one.group, subject: one.subject, state: r.State, name: one.name, key: one.key}
			l.die(o.At, r.State, func(o *life) bool { return o == one })
			l.begin(o, next)
			return
		}
	}
}
