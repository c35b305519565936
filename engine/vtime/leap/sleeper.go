package leap

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Leaper is a loop that knows its next steps without events, as long as nobody does
// anything to what they touch. It is asleep while it is in the hands of a [Sleeper].
type Leaper interface {
	// Next is the instant and the part of the next step.
	Next() (at time.Duration, part int)
	// Leap makes the steps that come before the bound, one after the other; the first does.
	// It makes no event, and touches nothing that somebody sees without World.CatchUp.
	Leap(b vtime.Bound)
	// Resume ends the sleep: all steps that are past were made, and those to come are
	// events again.
	Resume()
}

// Sleeper is the sleep of a loop of a process. The steps of all loops of a process that
// are asleep are made in their common order, as they may share connections.
type Sleeper struct {
	next   vtime.Bound // the next step
	leaper Leaper
	loop   *vtime.Loop
	turns  *Turns // that sleeps, nil for another kind of loop
	of     *sleepers
	// alone says that the loop shares nothing with others: its steps need no common order.
	alone bool
	// KeepsCause says that what the loop does after it is woken has the cause that it had
	// when it fell asleep, as if it had not slept, not whatever woke it.
	KeepsCause bool
	// Tolerant says that the loop sleeps on when others send on a connection that it uses: the
	// steps before that are made.
	Tolerant bool
	// Mutates says that the loop's steps change what turns of the process look at. While it is
	// asleep, no turn is.
	Mutates bool
	// Valid, when set, is asked when a task of the process has done something: false wakes
	// the loop.
	Valid func() bool
	cause uint64
	place int // in of.asleep, plus one; 0 while it is awake
}

// sleepers are the loops of a process.
type sleepers struct {
	proc *vtime.Process
	// What CatchUp looks at comes together: in a storm it is called for processes that
	// nobody has looked at for long, mostly for nothing.
	world      *vtime.World
	due        vtime.Bound // no step of those asleep comes before it
	catchingUp bool
	asleep     []*Sleeper
	mutating   int // of asleep: those that change what turns look at
	loops      []*Turns
	firsts     uint64      // turns that were the first ones since something changed
	check      vtime.Timer // of conflicts
	held       vtime.Timer // of locks; see checkHeld
	taken      bool        // a lock, since the last checkHeld
}

// sleepersOf returns the loops of a process, and makes them on first use.
func sleepersOf(p *vtime.Process) *sleepers {
	s, ok := p.SleepingLoops().(*sleepers)
	if !ok {
		s = &sleepers{proc: p, world: p.Node().World()}
		p.SetSleepingLoops(s)
	}
	return s
}

// NewSleeper makes the sleep of a loop, which is awake.
func NewSleeper(p *vtime.Process, loop *vtime.Loop, leaper Leaper) *Sleeper {
	return &Sleeper{loop: loop, leaper: leaper, of: sleepersOf(p)}
}

// Asleep reports whether the loop has no events.
func (s *Sleeper) Asleep() bool { return s.place > 0 }

// Sleep puts the loop to sleep.
func (s *Sleeper) Sleep() {
	all := s.of
	if s.place > 0 || all.proc.Dead() {
		panic("vtime: a loop of process " + all.proc.Name() + " falls asleep twice, or after its end")
	}
	if s.Mutates {
		all.wakeTurns()
		all.mutating++
	}
	all.asleep = append(all.asleep, s)
	all.proc.SetAsleep(true)
	s.place, s.cause = len(all.asleep), all.world.Cause()
	if t := s.turns; t != nil {
		s.alone = len(t.requests) == 0
		t.task.SetAsleep(true)
	}
	s.find()
	if s.place == 1 || s.next.Before(all.due) {
		all.due = s.next
	}
}

func (s *Sleeper) find() { s.next = s.loop.Place(s.leaper.Next()) }

// Wake wakes the loop when it is asleep.
func (s *Sleeper) Wake() {
	if s.place == 0 {
		return
	}
	if s.of.world.Closing() {
		s.leave() // nobody will ask for what it has let wait
		return
	}
	s.of.CatchUp()
	s.leave()
	before := s.of.world.Cause()
	if s.KeepsCause {
		s.of.world.SwapCause(s.cause)
	}
	s.leaper.Resume()
	s.of.world.SwapCause(before)
}

// CatchUp makes all steps that are past, of this loop and of the others of its process.
func (s *Sleeper) CatchUp() { s.of.CatchUp() }

// leave takes the loop out of those that sleep.
func (s *Sleeper) leave() {
	all := s.of
	last := len(all.asleep) - 1
	moved := all.asleep[last]
	all.asleep[s.place-1], moved.place = moved, s.place
	all.asleep[last] = nil
	all.asleep = all.asleep[:last]
	s.place = 0
	if s.Mutates {
		all.mutating--
		all.proc.Changes()
	}
	if s.turns != nil {
		s.turns.task.SetAsleep(false)
	}
	if last == 0 {
		all.proc.SetAsleep(false)
	}
}

// CatchUp makes all steps of sleeping loops that come before what is happening now. Loops that share nothing
// are gone through one by one; the others take turns, so that two on one connection draw in the order
// of their steps.
func (s *sleepers) CatchUp() {
	now := s.world.Present()
	if s.catchingUp || !s.due.Before(now) {
		return
	}
	s.catchingUp = true
	for _, l := range s.asleep {
		if l.alone && l.next.Before(now) {
			l.leaper.Leap(now)
			l.find()
		}
	}
	for {
		first, limit := s.earliest(now)
		if first == nil {
			break
		}
		first.leaper.Leap(limit)
		first.find()
	}
	s.due = vtime.Never
	for _, l := range s.asleep {
		if l.next.Before(s.due) {
			s.due = l.next
		}
	}
	s.catchingUp = false
}

// earliest returns the loop that has the next step before the bound, nil for none. Up to limit no other loop
// has a step, so it may leap as far.
func (s *sleepers) earliest(b vtime.Bound) (first *Sleeper, limit vtime.Bound) {
	at := b
	for _, l := range s.asleep {
		switch {
		case l.alone:
		case l.next.Before(at):
			first, at, b = l, l.next, at
		case l.next.Before(b):
			b = l.next
		}
	}
	return first, b
}

// WakeAll wakes all loops of the process.
func (s *sleepers) WakeAll() {
	for len(s.asleep) > 0 {
		s.asleep[len(s.asleep)-1].Wake()
	}
}

// wakeTurns wakes those loops of the process that are turns.
func (s *sleepers) wakeTurns() {
	for i := 0; i < len(s.asleep); i++ {
		if s.asleep[i].turns != nil {
			s.asleep[i].Wake()
			i = -1
		}
	}
}

var _ vtime.SleepingLoops = (*sleepers)(nil)
