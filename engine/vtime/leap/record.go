package leap

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Request is what a turn asks, one request or several one after the other: whoever answers
// makes the steps of its messages while the loop is asleep.
type Request interface {
	// Thinks reports whether the program takes its time before the request, which is always
	// so or never.
	Thinks() bool
	// Join reports whether the request would be answered as it was, by messages that can
	// be left out; then it has them left out until Leave.
	Join(s *Sleeper) bool
	// Leave ends Join. It does nothing when that was not begun.
	Leave(s *Sleeper)
	// Begin asks at an instant.
	Begin(at time.Duration)
	// Next is the next step, after Begin.
	Next() (at time.Duration, part int)
	// Leap makes the steps that come before the bound, and reports whether the last
	// answer has come, and when.
	Leap(b vtime.Bound) (ended bool, at time.Duration)
	// Resume makes the message that is on its way one with an event.
	Resume()
}

// Completer is a Request that can be gone through at once.
type Completer interface {
	Request
	// Complete is Begin at an instant with all steps behind it, where all of them come before the
	// instant end: then it tells when the last answer comes, how many steps that were, and the
	// sum of the squares of their instants in ns. Elsewhere steps is 0 and it has no effect.
	Complete(at, end time.Duration) (last time.Duration, steps, squares uint64)
}

// recording is the last turn of a loop that only asked, written down: its requests, and what it
// looked at. As long as the state of the program is what it was, and all answers would be the
// same, the next turn is the same, too, and is gone through without its task.
type recording struct {
	known   uint64        // the state of the recorded turn
	next    time.Duration // when the turn begins, or the program has thought
	at      int           // the request that is made
	phase   turnPhase
	valid   bool // there is a recorded turn
	writing bool // the present turn
	// deferred says that the state is another one than that of the recorded turn, and the
	// loop sleeps on until its next turn begins; see deferWake.
	deferred bool
	// replaying says that the present turn was gone through up to its request number at,
	// and the task goes the same way again without waiting.
	replaying bool
	requests  []recorded // of the recorded turn
	vtime.Loop
	sleeper Sleeper

	world *vtime.World
	of    *sleepers
	wake  vtime.Timer  // of a deferred wake
	cause uint64       // of what it does
	looks []dependency // of the recorded turn, beside answers
	uses  []dependency // all, of a loop that is asleep

	n int // requests of the present turn so far

	// differ[i] is the XOR of the states of loop i of the process before and after each stretch of
	// this turn: 0 means that the turn left loop i alone. It is empty when there are other loops now.
	differ []uint64
	// conflicts holds loops of the process for whose turns it makes a difference whether this
	// one is in the middle of a turn, such as those that take the same lock.
	conflicts []*Turns
}

// recorded is a request of a turn, with what its answer follows from.
type recorded struct {
	request   Request
	completer Completer // the same, nil for one that cannot be gone through at once, or before which the program thinks
	on        *Observed
	version   uint64
	thinks    bool
}

type turnPhase uint8

const (
	waitsForTurn turnPhase = iota
	thinks
	asks
)

// enter makes the loop one of its process.
func (t *Turns) enter() {
	t.sleeper = Sleeper{loop: &t.Loop, leaper: t, of: t.of, turns: t}
	for _, o := range t.of.loops {
		o.sleeper.Wake()
		o.valid = false // nobody knows what its turns are to this loop
	}
	t.of.loops = append(t.of.loops, t)
	for _, c := range t.cfg.Causes {
		if c, ok := c.(*vtime.Cond); ok {
			c.Tell(t)
		}
	}
}

// Ends is the end of the loop with that of its task.
func (t *Turns) Ends() {
	t.sleeper.Wake()
	t.of.loops = slices.DeleteFunc(t.of.loops, func(o *Turns) bool { return o == t })
	for _, o := range t.of.loops {
		o.conflicts = slices.DeleteFunc(o.conflicts, func(r *Turns) bool { return r == t })
		o.sleeper.Wake()
		o.valid = false // others are at other places now
	}
	for _, c := range t.cfg.Causes {
		if c, ok := c.(*vtime.Cond); ok {
			c.Untell(t)
		}
	}
}

// startRecording begins to write down a turn.
func (t *Turns) startRecording() {
	t.valid, t.n, t.looks, t.writing = false, 0, t.looks[:0], !t.world.NoLeaps()
	t.differ = t.differ[:0]
	for range t.of.loops {
		t.differ = append(t.differ, 0)
	}
	t.GoesOn()
}

// GoesOn notes the states of the other loops before the task does something.
func (t *Turns) GoesOn() {
	if !t.writing {
		return
	}
	if len(t.differ) != len(t.of.loops) {
		t.differ = t.differ[:0]
		return
	}
	for i, o := range t.of.loops {
		t.differ[i] ^= o.cfg.State()
	}
}

// Waits looks what the task has done to the states of other loops before it waits. A loop
// whose state differs while this one waits for an answer conflicts with it.
func (t *Turns) Waits() {
	if !t.writing || t.task.Acted() {
		return
	}
	loops := t.of.loops
	if len(loops) != len(t.differ) {
		t.world.Acts() // there are others now
		return
	}
	for i, o := range loops {
		t.differ[i] ^= o.cfg.State()
		if t.differ[i] != 0 && o != t && !slices.Contains(t.conflicts, o) {
			t.conflicts, o.conflicts = append(t.conflicts, o), append(o.conflicts, t)
		}
	}
}

// keepRecording ends the recording of a turn, and keeps it if the turn only asked.
func (t *Turns) keepRecording() {
	t.at = 0
	if !t.writing || t.task.Acted() {
		t.writing = false
		return
	}
	conflicts := len(t.conflicts)
	t.Waits()
	if t.writing = false; t.task.Acted() || slices.ContainsFunc(t.differ, func(d uint64) bool { return d != 0 }) {
		t.forgetConflicts(conflicts)
		return
	}
	t.valid, t.known, t.requests = true, t.state, t.requests[:t.n]
}

// Spare returns the request that the present turn's next one takes the place of, nil for
// none; it may be written anew.
func (t *Turns) Spare() Request {
	if t.n < len(t.requests) {
		return t.requests[t.n].request
	}
	return nil
}

// Record writes down a request of the present turn that was answered. The answer stays the
// same as long as on has the version.
func (t *Turns) Record(r Request, on *Observed, version uint64) {
	q := recorded{request: r, on: on, version: version, thinks: r.Thinks()}
	if !q.thinks {
		q.completer, _ = r.(Completer)
	}
	if t.n < len(t.requests) {
		t.requests[t.n] = q
	} else {
		t.requests = append(t.requests, q)
	}
	t.n++
}

// depend notes what the present turn looks at.
func (t *Turns) depend(on *Observed) {
	if n := len(t.looks); n == 0 || t.looks[n-1].on != on || t.looks[n-1].version != on.version {
		t.looks = append(t.looks, dependency{on: on, version: on.version})
	}
}

var _ Leaper = (*Turns)(nil)
var _ vtime.TaskLoop = (*Turns)(nil)
