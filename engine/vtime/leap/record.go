package leap

import (
	"bytes"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// Request is one request of a turn, or several in a row. While the loop is asleep, the request
// itself makes the steps of its messages.
type Request interface {
	// Thinks reports whether the program spends time before the request. The answer must never
	// change.
	Thinks() bool
	// Join reports whether the request would get the same answer again and its messages can be left
	// out. If so, they are left out until Leave.
	Join(s *Sleeper) bool
	// Leave ends the effect of Join. Without a successful Join it does nothing.
	Leave(s *Sleeper)
	// Begin sends the request at an instant.
	Begin(at time.Duration)
	// Next returns the instant and part of the next step, once Begin was called.
	Next() (at time.Duration, part int)
	// Leap makes the steps that come before the bound. It reports whether the last answer has come,
	// and when.
	Leap(b vtime.Bound) (ended bool, at time.Duration)
	// Resume schedules an event for the message that is under way, because the loop is awake again.
	Resume()
}

// Completer is a Request whose steps can be made all at once.
type Completer interface {
	Request
	// Complete makes the request at an instant, with all its steps, if all come before end. It
	// returns when the last answer comes, the number of steps, and the sum of the squares of their
	// instants in ns. If a step does not come before end, steps is 0 and nothing is done.
	Complete(at, end time.Duration) (last time.Duration, steps, squares uint64)
}

// recording holds the last turn in which the loop only asked: its requests, and what it read. The
// next turn is the same if nothing else has run in the process since then, and all answers would be
// the same. It is then made without running the task.
type recording struct {
	next    time.Duration // when the turn begins, or when the program has thought before a request
	at      int           // the index of the current request
	phase   turnPhase
	valid   bool // there is a recorded turn
	writing bool // the present turn
	// replaying is true while the task runs again through the current turn, up to request number
	// at, without waiting. The sleeping loop has already made that part.
	replaying bool
	requests  []recorded // of the recorded turn
	vtime.Loop
	sleeper Sleeper

	world *vtime.World
	of    *sleepers
	cause uint64       // is the cause of the events that the loop schedules once it is woken
	looks []dependency // lists what the recorded turn has looked at, except answers
	uses  []dependency // lists all that a sleeping loop depends on, answers included

	n int // requests of the present turn so far

	// unrecorded is set when the current turn has written something, so that the next turn has to
	// be played.
	unrecorded bool
	writes     []Note // the first wrote are the notes of the current turn, the others those of the previous turn
	wrote      int

	runs   uint64 // Runs of the process when the present turn began
	firsts uint64 // of.firsts then
	// firstAt is one more than the process's Runs at the last turn that only asked, 0 if there was
	// none. While Runs stays the same, the next turn that only asks repeats that turn.
	firstAt uint64
	before  []dependency // lists what the answers in the last turn that only asked depend on

	locks  []any // lists the locks that the turn has looked at or taken
	holds  []any // lists the locks that the turn holds now
	across []any // lists the locks that the turn held while it waited
	// conflicts holds loops of the process that use a lock which this loop holds while it waits, or
	// the other way round.
	conflicts []*Turns
}

// recorded is a request of the recorded turn, with what its answer depends on.
type recorded struct {
	request   Request
	completer Completer // the same request; nil if it cannot be made all at once, or if the program thinks before it
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

// enter adds the loop to the list of its process's loops. It wakes the other loops, because it is
// unknown how their turns affect this one.
func (t *Turns) enter() {
	t.sleeper = Sleeper{loop: &t.Loop, leaper: t, of: t.of, turns: t}
	for _, o := range t.of.loops {
		o.sleeper.Wake()
		o.valid = false // how its recorded turn affects this loop is unknown
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
		o.valid = false // others are at other places now
	}
}

// startRecording begins to record a turn, and drops the previous recording.
func (t *Turns) startRecording() {
	t.valid, t.n, t.wrote, t.looks, t.writing, t.unrecorded = false, 0, 0, t.looks[:0], true, false
	t.locks, t.across, t.holds = t.locks[:0], t.across[:0], t.holds[:0]
	t.runs, t.firsts = t.of.proc.Runs(), t.of.firsts
}

// Waits is called when the task waits in a turn that has only asked so far. From now on other tasks
// may see what the turn has changed in memory, and may want the locks that it holds.
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
		n.Data = bytes.Clone(n.Data) // the program may write into it
		t.writes = append(t.writes[:t.wrote], n)
	}
	t.wrote++
}

// holding reports whether any awake loop of the process holds a lock.
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
// memory that other loops depend on, so they are played once more. The second turn that only asks
// changes nothing. So the turns after it may be left out.
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

// mayChange reports whether the current turn may change the program's memory though it only asks.
// That is so if something else has run since the last turn, or an answer differs.
func (t *Turns) mayChange() bool {
	return t.firstAt != t.of.proc.Runs()+1 || slices.ContainsFunc(t.before, func(d dependency) bool { return d.version != d.on.version })
}

// disturb makes each other loop play one more turn, because this loop may have changed memory that
// they depend on.
func (t *Turns) disturb() {
	t.of.firsts++
	for _, o := range t.of.loops {
		if o != t {
			o.sleeper.Wake()
			o.valid = false
		}
	}
}

// goBy records that the answers of the turn depend on the given Observed. version is the version of
// the Observed that the turn saw.
func (t *Turns) goBy(on *Observed, version uint64) {
	if on == nil || slices.ContainsFunc(t.before, func(d dependency) bool { return d.on == on && d.version == version }) {
		return
	}
	t.before = append(t.before, dependency{on: on, version: version})
}

// Spare returns the old recorded request that the current turn's next request will replace, or nil.
// The caller may reuse its memory.
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
