package leap

import (
	"bytes"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
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

// recording writes down the last turn of a loop that only asked: its requests, and what it looked at. As long
// as nothing else has run in the process, and all answers would be the same, the next turn is the same, too,
// and is made without its task.
type recording struct {
	next    time.Duration // when the turn begins, or the program has thought
	at      int           // the request that is made
	phase   turnPhase
	valid   bool // there is a recorded turn
	writing bool // the present turn
	// replaying says that the present turn was gone through up to its request number at,
	// and the task goes the same way again without waiting.
	replaying bool
	requests  []recorded // of the recorded turn
	vtime.Loop
	sleeper Sleeper

	world *vtime.World
	of    *sleepers
	cause uint64       // of what it does when it is woken
	looks []dependency // of the recorded turn, beside answers
	uses  []dependency // all, of a loop that is asleep

	n int // requests of the present turn so far

	// unrecorded is set when the present turn has written, so that the next one has to be played.
	unrecorded bool
	writes     []Note // the notes of the turn before; the first wrote of them are those of the present turn, too
	wrote      int

	runs   uint64 // Runs of the process when the present turn began
	firsts uint64 // of.firsts then
	// firstAt is Runs at the last turn that only asked, plus one, so that 0 is none. While Runs stays, the next
	// such turn does what that one did.
	firstAt uint64
	before  []dependency // what the answers of that turn follow from

	locks  []any // that the turn has looked at or taken
	holds  []any // those that it holds
	across []any // those that it held while it waited
	// conflicts are loops of the process that use a lock which this one holds while it waits, or hold
	// one which this one uses.
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
}

// startRecording begins to write down a turn.
func (t *Turns) startRecording() {
	t.valid, t.n, t.wrote, t.looks, t.writing, t.unrecorded = false, 0, 0, t.looks[:0], true, false
	t.locks, t.across, t.holds = t.locks[:0], t.across[:0], t.holds[:0]
	t.runs, t.firsts = t.of.proc.Runs(), t.of.firsts
}

// Waits is called when a turn that has only asked so far waits. From then on others may see what it has done
// to the program's memory, and want the locks that it holds.
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

// useLock notes what the turn does with a lock. To free a lock of another task is an act, as that task will not
// free it then.
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

// Note describes a change that a turn asks for, or the answer to one, as far as the program says or sees it.
type Note struct {
	Kind int
	Path string
	Data []byte
	Args [2]int32
}

func (n *Note) equal(o *Note) bool {
	return n.Kind == o.Kind && n.Path == o.Path && n.Args == o.Args && (n.Data == nil) == (o.Data == nil) && bytes.Equal(n.Data, o.Data)
}

// Write notes a change that the present turn asks for, and then the answer. A turn that writes what the turn
// before wrote is played, because others see what it writes. It leaves the program's memory as that turn left
// it, so it is no reason to play other loops.
func (t *Turns) Write(n Note) {
	t.unrecorded = true
	if t.wrote == len(t.writes) || !t.writes[t.wrote].equal(&n) {
		t.world.Acts()
		n.Data = bytes.Clone(n.Data) // the program may write into it
		t.writes = append(t.writes[:t.wrote], n)
	}
	t.wrote++
}

// holding reports whether any loop of the process that is awake holds a lock.
func (s *sleepers) holding() bool {
	return slices.ContainsFunc(s.loops, func(t *Turns) bool { return t.writing && len(t.holds) > 0 })
}

func with(locks []any, lock any) []any {
	if slices.Contains(locks, lock) {
		return locks
	}
	return append(locks, lock)
}

// keepRecording ends the recording of a turn. The first turn after something else has run, or with another
// answer, may have changed what other loops go by, so they are played once more. The second one that only asks
// changes nothing any more, so that further ones may be left out.
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

// mayChange reports whether the present turn, though it only asks, may change the program's memory, because
// something else has run since the last one, or an answer is another.
func (t *Turns) mayChange() bool {
	return t.firstAt != t.of.proc.Runs()+1 || slices.ContainsFunc(t.before, func(d dependency) bool { return d.version != d.on.version })
}

// disturb has all other loops play one more turn, as this one may have changed what they go by.
func (t *Turns) disturb() {
	t.of.firsts++
	for _, o := range t.of.loops {
		if o != t {
			o.sleeper.Wake()
			o.valid = false
		}
	}
}

// goBy notes what an answer of the turn follows from.
func (t *Turns) goBy(on *Observed, version uint64) {
	if on == nil || slices.ContainsFunc(t.before, func(d dependency) bool { return d.on == on && d.version == version }) {
		return
	}
	t.before = append(t.before, dependency{on: on, version: version})
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
