package vtime

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Ask is a question that a turn asks, or several one after the other: whoever answers
// has it make the messages' steps while the loop is asleep.
type Ask interface {
	// Thinks reports whether the program takes its time before the question, which is always
	// so or never.
	Thinks() bool
	// Sleep reports whether the question would be answered as it was, by messages that can
	// be left out; then it has them left out until Wake.
	Sleep(s *Sleeper) bool
	// Wake ends Sleep. It does nothing when that was not begun.
	Wake(s *Sleeper)
	// Begin asks at an instant.
	Begin(at time.Duration)
	// Next is the next step, after Begin.
	Next() (at time.Duration, part int)
	// Leap makes the steps that come before the bound, and reports whether the last
	// answer has come, and when.
	Leap(b Bound) (ended bool, at time.Duration)
	// Resume makes the message that is on its way one with an event.
	Resume()
}

// Whole is an Ask that can be gone through at once.
type Whole interface {
	Ask
	// Through is Begin at an instant with all steps behind it, where all of them come before the
	// instant end: then it tells when the last answer comes, how many steps that were, and the
	// sum of the squares of their instants in ns. Elsewhere steps is 0 and it has no effect.
	Through(at, end time.Duration) (last time.Duration, steps, squares uint64)
}

// turnLeap is how the turns of a loop are leapt over. A turn that was plain, one that
// only asked, is written down: what it asked, and what it looked at. As long as the state
// of the program is what it was, and all answers would be the same, the next turn is the
// same, too, and is gone through without its task.
type turnLeap struct {
	known   uint64 // the state of the last plain turn
	next    int64  // when the turn begins, or the program has thought
	at      int    // the question that is asked
	phase   turnPhase
	valid   bool // there is a last plain turn
	writing bool // down the present turn
	// doubtful says that the state is another one than that of the last plain turn, and the
	// loop sleeps on until its next turn begins, where it is looked at: what differs may
	// be over by then, as a lock that another task takes.
	doubtful bool
	// recalling says that the present turn was gone through up to its question number at,
	// and the task goes the same way again without waiting.
	recalling bool
	asked     []asked // of the last plain turn
	Loop
	sleeper Sleeper

	doubt Timer  // of that look
	cause uint64 // of what it does
	looks []look // of the last plain turn, at other than answers
	users []look // all, of a loop that is asleep

	n int // questions of the present turn so far

	// How the states of the other loops of the process differ by what the task did in this
	// turn; while it goes on, with what they were when it did. Empty when there are others
	// now.
	differ []uint64
	// rivals are loops of the process for whose turns it makes a difference whether this
	// one is in the middle of a turn, such as those that take the same lock.
	rivals []*Turns
}

type asked struct {
	ask     Ask
	whole   Whole    // the same, nil for one that cannot be gone through at once, or before which the program thinks
	on      *Lasting // the answer
	changes uint64
	thinks  bool
}

type turnPhase uint8

const (
	waitsForTurn turnPhase = iota
	thinks
	asks
)

type recall uint8

const (
	recallsNothing recall = iota
	recallsAnswer
	recallsThought
)

// enter makes the loop one of its process.
func (t *Turns) enter() {
	p := t.task.proc
	t.sleeper = Sleeper{loop: &t.Loop, leaper: t, proc: p, turns: t}
	for _, o := range p.loops {
		o.sleeper.Rouse()
		o.valid = false // nobody knows what its turns are to this loop
	}
	p.loops = append(p.loops, t)
	for _, c := range t.cfg.Causes {
		if c, ok := c.(*Cond); ok {
			c.loops = append(c.loops, t)
		}
	}
}

// exit is the end of the loop with that of its task.
func (t *Turns) exit() {
	t.sleeper.Rouse()
	p := t.task.proc
	p.loops = slices.DeleteFunc(p.loops, func(o *Turns) bool { return o == t })
	for _, o := range p.loops {
		o.rivals = slices.DeleteFunc(o.rivals, func(r *Turns) bool { return r == t })
		o.sleeper.Rouse()
		o.valid = false // others are at other places now
	}
	for _, c := range t.cfg.Causes {
		if c, ok := c.(*Cond); ok {
			c.loops = slices.DeleteFunc(c.loops, func(o *Turns) bool { return o == t })
		}
	}
}

// record begins to write down a turn.
func (t *Turns) record() {
	t.valid, t.n, t.looks, t.writing = false, 0, t.looks[:0], !t.w.cfg.NoLeaps
	t.differ = t.differ[:0]
	for range t.task.proc.loops {
		t.differ = append(t.differ, 0)
	}
	t.goesOn()
}

// goesOn notes the states of the other loops before the task does something.
func (t *Turns) goesOn() {
	if !t.writing {
		return
	}
	if len(t.differ) != len(t.task.proc.loops) {
		t.differ = t.differ[:0]
		return
	}
	for i, o := range t.task.proc.loops {
		t.differ[i] ^= o.cfg.State()
	}
}

// waits looks what the task has done to the states of other loops before it waits. A loop
// whose state differs while this one waits for an answer is its rival.
func (t *Turns) waits() {
	if !t.writing || !t.plain {
		return
	}
	loops := t.task.proc.loops
	if len(loops) != len(t.differ) {
		t.plain = false // there are others now
		return
	}
	for i, o := range loops {
		t.differ[i] ^= o.cfg.State()
		if t.differ[i] != 0 && o != t && !slices.Contains(t.rivals, o) {
			t.rivals, o.rivals = append(t.rivals, o), append(o.rivals, t)
		}
	}
}

// keep ends the writing down of a turn.
func (t *Turns) keep() {
	t.at = 0
	if !t.writing || !t.plain {
		t.writing = false
		return
	}
	rivals := len(t.rivals)
	t.waits()
	if t.writing = false; !t.plain || slices.ContainsFunc(t.differ, func(d uint64) bool { return d != 0 }) {
		t.forgetRivals(rivals)
		return
	}
	t.valid, t.known, t.asked = true, t.state, t.asked[:t.n]
}

// forgetRivals forgets those that the end of a turn only seemed to make.
func (t *Turns) forgetRivals(n int) {
	for _, o := range t.rivals[n:] {
		o.rivals = slices.DeleteFunc(o.rivals, func(r *Turns) bool { return r == t })
	}
	t.rivals = t.rivals[:n]
}

// Spare is the question that the present turn's next one takes the place of, nil for
// none; it may be written anew.
func (t *Turns) Spare() Ask {
	if t.n < len(t.asked) {
		return t.asked[t.n].ask
	}
	return nil
}

// Asked tells of a question of the present turn that was answered. The answer stays the
// same as long as on has not changed more often than changes.
func (t *Turns) Asked(a Ask, on *Lasting, changes uint64) {
	q := asked{ask: a, on: on, changes: changes, thinks: a.Thinks()}
	if !q.thinks {
		q.whole, _ = a.(Whole)
	}
	if t.n < len(t.asked) {
		t.asked[t.n] = q
	} else {
		t.asked = append(t.asked, q)
	}
	t.n++
}

// Recall is a question that the turn, in which the task goes the same way again, has asked
// before: with its answer, or when waiting is set with the message on its way that Resume
// has made. It is nil when the task is to ask.
func (t *Turns) Recall() (a Ask, waiting bool) {
	switch {
	case !t.recalling:
		return nil, false
	case t.n < t.at:
		t.n++
		return t.asked[t.n-1].ask, false
	}
	t.recalling = false
	return t.asked[t.n].ask, true
}

// recalled is what there is to recall before a question.
func (t *Turns) recalled() recall {
	switch {
	case !t.recalling:
		return recallsNothing
	case t.n < t.at || t.phase == asks:
		return recallsAnswer
	}
	t.recalling = false
	return recallsThought
}

// Looks tells that the current task looks at something: its turn is the same only as long
// as that is. It does nothing for a task that is no loop.
func (p *Process) Looks(at *Lasting) {
	t := p.Turns()
	if t == nil || t.w.cfg.NoLeaps {
		return
	}
	if n := len(t.looks); n == 0 || t.looks[n-1].at != at || t.looks[n-1].changes != at.changes {
		t.looks = append(t.looks, look{at: at, changes: at.changes})
	}
}

// fallAsleep puts the loop to sleep at the end of a turn.
func (t *Turns) fallAsleep() bool {
	p := t.task.proc
	if t.w.replaying > 0 || !t.joins() {
		return false
	}
	t.sleeper.Sleep()
	t.cause = t.w.cause
	p.lookOut()
	return true
}

// sleepsOn puts the loop to sleep at the beginning of a turn.
func (t *Turns) sleepsOn() bool {
	p := t.task.proc
	if !t.valid || t.known != t.cfg.State() {
		return false
	}
	if len(t.rivals) > 0 && p.rivalInTurn(t) || !t.joins() {
		return false
	}
	t.cause = t.w.cause
	t.at, t.task.timer = 0, Timer{}
	t.advance(time.Duration(t.w.now))
	t.sleeper.Sleep()
	p.lookOut()
	return true
}

// joins has all that the turn asked and looked at tell of changes; it reports false, and
// has no effect, when the next turn may be another one.
func (t *Turns) joins() bool {
	p := t.task.proc
	if len(t.asked) > 0 && len(t.cfg.Causes) > 0 {
		return false // in the middle of a turn the state may already be another
	}
	if !t.valid || p.dead || p.altering > 0 || t.task.stopping || !t.w.Leaps() || t.known != t.cfg.State() {
		return false
	}
	t.users = t.users[:0]
	for i := range t.looks {
		if !t.use(t.looks[i].at, t.looks[i].changes) {
			return false
		}
	}
	for i := range t.asked {
		if q := &t.asked[i]; !t.use(q.on, q.changes) {
			return false
		}
	}
	for i := range t.asked {
		if !t.asked[i].ask.Sleep(&t.sleeper) {
			for j := range i {
				t.asked[j].ask.Wake(&t.sleeper)
			}
			return false
		}
	}
	for i := range t.users {
		t.users[i].join(t)
	}
	return true
}

// use notes something that is not to change.
func (t *Turns) use(l *Lasting, changes uint64) bool {
	if l == nil {
		return true
	}
	if l.changes != changes {
		return false
	}
	for i := range t.users {
		if t.users[i].at == l {
			return true
		}
	}
	t.users = append(t.users, look{at: l})
	return true
}

// advance goes on to the next question, or to the next turn.
func (t *Turns) advance(at time.Duration) {
	if t.at == len(t.asked) {
		t.at, t.phase, t.next = 0, waitsForTurn, int64(at+t.cfg.Period+t.cfg.Late.Draw())
		return
	}
	q := &t.asked[t.at]
	if q.thinks {
		if d := t.cfg.Call.Draw(); d > 0 {
			t.phase, t.next = thinks, int64(at+d)
			return
		}
	}
	t.phase = asks
	q.ask.Begin(at)
}

// through is advance, but for all that can be gone through at once before the bound.
func (t *Turns) through(at time.Duration, b Bound) {
	var steps, squares uint64
	for t.at < len(t.asked) && t.asked[t.at].whole != nil {
		last, n, sum := t.asked[t.at].whole.Through(at, time.Duration(b.at))
		if n == 0 {
			break
		}
		at, steps, squares = last, steps+n, squares+sum
		t.at++
	}
	t.DidMany(steps, squares)
	t.advance(at)
}

// Next is the instant and part of the next step.
func (t *Turns) Next() (at time.Duration, part int) {
	switch t.phase {
	case waitsForTurn:
		return time.Duration(t.next), partTurn
	case thinks:
		return time.Duration(t.next), partCall
	}
	return t.asked[t.at].ask.Next()
}

// leapIdle is Leap of a loop that asks nothing, between whose turns there is nothing.
func (t *Turns) leapIdle(b Bound) {
	var steps, squares uint64
	at := t.next
	for b.Allows(&t.Loop, time.Duration(at), partTurn) {
		steps, squares = steps+1, squares+uint64(at)*uint64(at)
		at += int64(t.cfg.Period + t.cfg.Late.Draw())
	}
	t.next = at
	t.DidMany(steps, squares)
}

// Leap makes the steps before the bound.
func (t *Turns) Leap(b Bound) {
	if len(t.asked) == 0 && t.phase == waitsForTurn {
		t.leapIdle(b)
		return
	}
	for {
		switch at := time.Duration(t.next); t.phase {
		case waitsForTurn:
			if !b.Allows(&t.Loop, at, partTurn) {
				return
			}
			t.Did(at)
			t.through(at, b)
		case thinks:
			if !b.Allows(&t.Loop, at, partCall) {
				return
			}
			t.Did(at)
			t.phase = asks
			t.asked[t.at].ask.Begin(at)
		case asks:
			ended, at := t.asked[t.at].ask.Leap(b)
			if !ended {
				return
			}
			t.at++
			t.through(at, b)
		}
	}
}

// inTurn reports whether the loop, which is asleep, is in the middle of a turn.
func (t *Turns) inTurn() bool { return t.phase != waitsForTurn }

// doubts has the loop, which is asleep and whose state is another one, sleep on until its
// next turn begins. It reports false in the middle of a turn.
func (t *Turns) doubts() bool {
	if t.doubtful {
		return true
	}
	if t.inTurn() || t.next <= t.w.now {
		return false
	}
	p := t.task.proc
	t.doubtful, t.doubt = true, t.schedule(p.node, p, partLookout, t.next, kindLookout, (*doubt)(t), 0)
	return true
}

// sure ends doubts.
func (t *Turns) sure() {
	if t.doubtful {
		t.doubt.Cancel()
		t.doubtful, t.doubt = false, Timer{}
	}
}

type doubt Turns

// Handle looks.
func (d *doubt) Handle(uint64) {
	t := (*Turns)(d)
	t.doubtful, t.doubt = false, Timer{}
	if t.cfg.State() != t.known {
		t.sleeper.Rouse()
	}
}

// Wake ends the sleep. In the middle of a turn the task comes to where it would be.
func (t *Turns) Wake() {
	t.sure()
	for i := range t.asked {
		t.asked[i].ask.Wake(&t.sleeper)
	}
	for i := range t.users {
		t.users[i].leave()
	}
	t.users = t.users[:0]
	w := t.w
	cause := w.cause
	w.cause = t.cause
	if t.inTurn() {
		t.replay()
	} else {
		t.setTimer()
	}
	w.cause = cause
}

// replay has the task go the way of the present turn again, up to the question for whose
// answer it waits. It has no effect until there.
func (t *Turns) replay() {
	w := t.w
	if t.phase == asks {
		t.asked[t.at].ask.Resume()
	}
	t.recalling = true
	w.replaying++
	w.switchTo(t.task)
	w.replaying--
	if t.recalling && w.failure == nil {
		panic("vtime: a turn of task " + t.task.name + " of process " + t.task.proc.name + " does not go the way that it went before")
	}
	t.recalling = false
	t.task.proc.after() // it may hold locks by now
}

// changed is called when State may be another.
func (t *Turns) changed() {
	if t.sleeper.Asleep() && t.cfg.State() != t.known {
		t.sleeper.Rouse()
	}
}

// before sees to the loops of the process that are asleep before one of its tasks goes on:
// those in the middle of a turn may hold what it wants.
func (p *Process) before() {
	p.settle()
	for i := 0; i < len(p.asleep); {
		if t := p.asleep[i].turns; t != nil && t.inTurn() {
			p.asleep[i].Rouse()
			i = 0
			continue
		}
		i++
	}
}

// after sees to them when a task has done something.
func (p *Process) after() {
	for i := 0; i < len(p.asleep); {
		if p.asleep[i].staysAsleep() {
			i++
			continue
		}
		p.asleep[i].Rouse()
		i = 0
	}
}

// staysAsleep reports whether a loop need not be woken when a task has done something.
func (s *Sleeper) staysAsleep() bool {
	switch t := s.turns; {
	case s.Fits != nil && !s.Fits():
		return false
	case t == nil:
	case t.cfg.State() != t.known:
		return t.doubts()
	default:
		t.sure()
	}
	return true
}

var _ Leaper = (*Turns)(nil)
var _ env.Loop = (*Turns)(nil)

// rivalInTurn reports whether a rival of a loop that is to begin a turn is in the middle
// of one, and asleep; then it is woken.
func (p *Process) rivalInTurn(t *Turns) bool {
	p.settle()
	for _, r := range t.rivals {
		if r.sleeper.Asleep() && r.inTurn() {
			r.sleeper.Rouse()
			return true
		}
	}
	return false
}

// lookOut sees to it that no turns of two rivals that are asleep overlap: before the later
// one of two begins they are looked at. The order of such a look is before the first step
// of that turn.
func (p *Process) lookOut() {
	p.settle()
	p.lookout.Cancel()
	p.lookout = Timer{}
	var next *Turns
	for i := 0; i < len(p.loops); i++ {
		t := p.loops[i]
		for _, r := range t.rivals {
			if !t.sleeper.Asleep() || !r.sleeper.Asleep() {
				continue
			}
			later := t.later(r)
			if later == nil {
				t.sleeper.Rouse()
				r.sleeper.Rouse()
				continue
			}
			if next == nil || later.sleeper.next.before(next.sleeper.next) {
				next = later
			}
		}
	}
	if next != nil {
		p.lookout = next.schedule(p.node, p, partLookout, next.next, kindLookout, (*lookout)(p), 0)
	}
}

// later is the one of two rivals before whose next turn they do not overlap; nil when they
// do now.
func (t *Turns) later(r *Turns) *Turns {
	now := t.w.now
	switch {
	case t.inTurn() && r.inTurn():
		panic("vtime: turns of two loops were leapt over that cannot be at the same time")
	case t.inTurn() && r.next > now:
		return r
	case r.inTurn() && t.next > now:
		return t
	case t.inTurn() || r.inTurn():
		return nil
	case t.next > r.next && t.next > now:
		return t
	case r.next > now:
		return r
	}
	return nil
}

type lookout Process

// Handle looks.
func (l *lookout) Handle(uint64) {
	(*Process)(l).lookOut()
}
