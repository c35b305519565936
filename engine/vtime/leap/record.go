package leap

import (
	"bytes"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// Request is one request that a turn sends, or several in a row. While the loop sleeps, the request
// itself computes the steps of its messages.
type Request interface {
	// Thinks reports whether the program takes time before the request. The result must always be
	// the same.
	Thinks() bool
	// Join reports whether the request would get the same answer again, and its messages need no
	// events. If so, its messages have none until Leave.
	Join(s *Sleeper) bool
	// Leave ends the effect of Join. Without a successful Join it does nothing.
	Leave(s *Sleeper)
	// Begin sends the request at an instant.
	Begin(at time.Duration)
	// Next returns the instant and part of the next step, once Begin was called.
	Next() (at time.Duration, part int)
	// Leap computes the steps of the request's messages that come before the bound. It reports
	// whether the last answer has come, and when.
	Leap(b vtime.Bound) (ended bool, at time.Duration)
	// Resume schedules an event for the message that is on its way, because the loop is awake
	// again.
	Resume()
}

// Completer is a Request whose messages can be computed all at once.
type Completer interface {
	Request
	// Complete computes a request that is sent at an instant, with all its messages, if all of them
	// arrive before end. It returns when the last answer arrives, the number of steps (arrivals of
	// messages), and the sum of the squares of their instants in ns. If a message arrives at end or
	// later, it returns 0 steps and does nothing.
	Complete(at, end time.Duration) (last time.Duration, steps, squares uint64)
}

// recording holds the last turn in which the loop changed nothing and only sent requests: these
// requests, and what the turn read. As long as nothing else runs in the process and all answers
// stay the same, the next turn is the same. It is then computed without running the task.
type recording struct {
	next    time.Duration // when the next turn begins, or when the program's time before the next request is over
	at      int           // index of the current request
	phase   turnPhase
	valid   bool // whether a turn has been recorded
	writing bool // whether the present turn is being recorded
	// replaying is true while the task runs through the beginning of the current turn again, up to
	// request number at, without waiting. That part was already computed while the loop slept.
	replaying bool
	requests  []recorded // requests of the recorded turn
	vtime.Loop
	sleeper Sleeper

	world *vtime.World
	of    *sleepers
	cause uint64       // cause of the events that the loop schedules after it was woken
	looks []dependency // what the recorded turn has read, except for answers
	uses  []dependency // everything that a sleeping loop depends on, with the answers

	n int // number of requests of the present turn so far

	// unrecorded is set when the current turn has written something. The task then has to run the
	// next turn.
	unrecorded bool
	// writes begins with the notes of the current turn, whose number is wrote. The notes after them
	// are those of the previous turn that are not overwritten yet.
	writes []Note
	wrote  int

	runs   uint64 // value of the process's Runs when the present turn began
	firsts uint64 // value of of.firsts when the present turn began
	// firstAt is one more than the process's Runs at the last turn that only sent requests, 0 if
	// there was none. While Runs stays the same, the next turn that only sends requests repeats
	// that turn.
	firstAt uint64
	before  []dependency // what the answers of the last turn that only sent requests depended on

	locks  []any // locks that the turn has looked at or taken
	holds  []any // locks that the turn holds now
	across []any // locks that the turn held while it waited
	// conflicts lists the other loops of the process with which this one conflicts: one of the two
	// uses a lock that the other holds while it waits.
	conflicts []*Turns
}

// recorded is a request of the recorded turn, with what its answer depends on.
type recorded struct {
	request   Request
	completer Completer // the same request; nil if it cannot be computed all at once, or if the program takes time before it
	on        *Observed // what the answer depends on
	version   uint64    // version of on that the answer shows
	thinks    bool      // whether the program takes time before the request
}

type turnPhase uint8

const (
	waitsForTurn turnPhase = iota
	thinks
	asks
)

// enter adds the loop to the list of its process's loops. It wakes the other loops, because it is
// unknown how their turns affect this one.
func (t *Turns) enter() {
	t.sleeper = Sleeper{loop: &t.Loop, leaper: t, of: t.of, turns: t}
	for _, o := range t.of.loops {
		o.sleeper.Wake()
		o.valid = false // how the recorded turn of o affects the new loop is unknown
	}
	t.of.loops = append(t.of.loops, t)
}

// Ends removes the loop from its process, because its task has ended.
func (t *Turns) Ends() {
	t.sleeper.Wake()
	t.of.loops = slices.DeleteFunc(t.of.loops, func(o *Turns) bool { return o == t })
	for _, o := range t.of.loops {
		o.conflicts = slices.DeleteFunc(o.conflicts, func(r *Turns) bool { return r == t })
		o.sleeper.Wake()
		o.valid = false // recorded while the removed loop was still there
	}
}

// startRecording begins to record a turn, and drops the previous recording.
func (t *Turns) startRecording() {
	t.valid, t.n, t.wrote, t.looks, t.writing, t.unrecorded = false, 0, 0, t.looks[:0], true, false
	t.locks, t.across, t.holds = t.locks[:0], t.across[:0], t.holds[:0]
	t.runs, t.firsts = t.of.proc.Runs(), t.of.firsts
}

// Waits is called when the task waits in a turn that has only sent requests so far. From now on,
// other tasks may see what the turn has changed in memory, and may need the locks that it holds.
func (t *Turns) Waits() {
	if !t.writing {
		return
	}
	if t.mayChange() {
		t.disturb()
	}
	for _, lock := range t.holds {
		t.across = with(t.across, lock)
	}
	if len(t.holds) > 0 && (t.of.taken || !t.of.held.Pending()) {
		t.of.checkHeld()
	}
}

// useLock records what the turn does with a lock. Freeing another task's lock counts as an act,
// because that task will no longer free it.
func (t *Turns) useLock(lock any, use env.LockUse) {
	if !t.writing {
		return
	}
	t.locks = with(t.locks, lock)
	switch use {
	case env.LockTaken:
		t.holds, t.of.taken = append(t.holds, lock), true
	case env.LockFreed:
		if i := slices.Index(t.holds, lock); i >= 0 {
			if t.holds = slices.Delete(t.holds, i, i+1); len(t.holds) == 0 && !t.of.holding() {
				t.of.held.Cancel()
			}
			return
		}
		t.world.Acts()
	}
}

// Note describes a change that a turn requests, or the answer to such a request, as far as the
// program can see it.
type Note struct {
	Kind int
	Path string
	Data []byte
	Args [2]int32
}

func (n *Note) equal(o *Note) bool {
	return n.Kind == o.Kind && n.Path == o.Path && n.Args == o.Args && (n.Data == nil) == (o.Data == nil) && bytes.Equal(n.Data, o.Data)
}

// Write notes a change that the current turn requests, and later its answer. Such a turn is always
// played, because others see what it writes. If it writes the same as the turn before, it leaves
// the program's memory the same too, and other loops may stay asleep.
func (t *Turns) Write(n Note) {
	t.unrecorded = true
	if t.wrote == len(t.writes) || !t.writes[t.wrote].equal(&n) {
		t.world.Acts()
		n.Data = bytes.Clone(n.Data) // copied, because the program may write into it
		t.writes = append(t.writes[:t.wrote], n)
	}
	t.wrote++
}

// holding reports whether an awake loop of the process holds a lock.
func (s *sleepers) holding() bool {
	return slices.ContainsFunc(s.loops, func(t *Turns) bool { return t.writing && len(t.holds) > 0 })
}

func with(locks []any, lock any) []any {
	if slices.Contains(locks, lock) {
		return locks
	}
	return append(locks, lock)
}

// keepRecording ends the recording of a turn. The first turn after a change may itself change
// memory that other loops depend on, so these have to run once more. The second turn that only
// sends requests changes nothing, so the turns after it may be skipped.
func (t *Turns) keepRecording() {
	t.at = 0
	t.writes = t.writes[:t.wrote]
	kept := t.writing && !t.task.Acted() && t.runs == t.of.proc.Runs() && len(t.holds) == 0
	t.writing = false
	if !kept {
		return
	}
	t.requests = t.requests[:t.n]
	if t.mayChange() {
		t.disturb()
	} else if t.valid = t.firsts == t.of.firsts && !t.unrecorded; t.valid {
		t.findConflicts()
	}
	t.firstAt, t.before = t.runs+1, t.before[:0]
	for i := range t.looks {
		t.goBy(t.looks[i].on, t.looks[i].version)
	}
	for i := range t.requests {
		t.goBy(t.requests[i].on, t.requests[i].version)
	}
}

// mayChange reports whether the current turn may change the program's memory although it only sends
// requests. That is so if something else has run since the last turn, or if an answer differs.
func (t *Turns) mayChange() bool {
	return t.firstAt != t.of.proc.Runs()+1 || slices.ContainsFunc(t.before, func(d dependency) bool { return d.version != d.on.version })
}

// disturb makes each other loop of the process run one more turn, because this loop may have
// changed memory that they depend on.
func (t *Turns) disturb() {
	t.of.firsts++
	for _, o := range t.of.loops {
		if o != t {
			o.sleeper.Wake()
			o.valid = false
		}
	}
}

// goBy records that the answers of the turn depend on the given Observed, and which version of it
// they show.
func (t *Turns) goBy(on *Observed, version uint64) {
	if on == nil || slices.ContainsFunc(t.before, func(d dependency) bool { return d.on == on && d.version == version }) {
		return
	}
	t.before = append(t.before, dependency{on: on, version: version})
}

// Spare returns the recorded request that the current turn's next request will replace, or nil if
// there is none. The caller may reuse its memory.
func (t *Turns) Spare() Request {
	if t.n < len(t.requests) {
		return t.requests[t.n].request
	}
	return nil
}

// Record records an answered request of the current turn. The answer stays the same as long as the
// given Observed has this version.
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

// depend records that the current turn reads the content of the given Observed.
func (t *Turns) depend(on *Observed) {
	if n := len(t.looks); n == 0 || t.looks[n-1].on != on || t.looks[n-1].version != on.version {
		t.looks = append(t.looks, dependency{on: on, version: on.version})
	}
}

var _ Leaper = (*Turns)(nil)
var _ vtime.TaskLoop = (*Turns)(nil)
