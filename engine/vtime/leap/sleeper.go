package leap

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Leaper is a loop that can compute its next steps without events, as long as nobody else changes
// what they touch. A [Sleeper] calls it while the loop sleeps.
type Leaper interface {
	// Next returns the instant and the part of the next step.
	Next() (at time.Duration, part int)
	// Leap computes the steps before the bound, in order. At least one step lies before the bound.
	// It must schedule no event, and change nothing that others look at without calling
	// World.CatchUp.
	Leap(b vtime.Bound)
	// Resume ends the sleep. All past steps have been computed, and the coming ones have to be
	// scheduled as events again.
	Resume()
}

// Sleeper lets a loop of a process sleep: the steps of the loop then have no events, and are
// computed when somebody needs their effects. Sleeping loops of one process may share connections,
// so their steps are computed in one common order.
type Sleeper struct {
	next   vtime.Bound // the next step
	leaper Leaper
	loop   *vtime.Loop
	turns  *Turns // the loop, if it is of type Turns; otherwise nil
	of     *sleepers
	// alone means that the loop shares nothing with others, so that its steps need no common order.
	alone bool
	// KeepsCause means that the events of a woken loop have the cause that the loop had when it
	// fell asleep. Without it, the cause is whatever woke the loop.
	KeepsCause bool
	// Tolerant means that the loop is not woken when others send on a connection that it uses. The
	// loop's own steps up to that moment are computed first.
	Tolerant bool
	// Mutates means that the loop's steps change something that Turns of the process read. As long
	// as this loop sleeps, no Turns of the process sleeps.
	Mutates bool
	// Valid, when set, is called whenever a task of the process has run. If it returns false, the
	// loop is woken.
	Valid func() bool
	cause uint64
	place int // index in of.asleep plus one; 0 while the loop is awake
}

// sleepers holds the loops of a process.
type sleepers struct {
	proc *vtime.Process
	// The fields that CatchUp reads lie together in memory. In a world with many processes, most
	// calls of CatchUp have nothing to do, and the process's memory is no longer in the processor's
	// cache.
	world      *vtime.World
	due        vtime.Bound // position before which no sleeping loop has a step
	catchingUp bool
	asleep     []*Sleeper
	mutating   int // number of sleeping loops whose steps change what Turns of the process read (Mutates)
	loops      []*Turns
	firsts     uint64      // number of turns that were the first after a change
	check      vtime.Timer // timer for the next check of conflicts between sleeping loops (checkConflicts)
	held       vtime.Timer // timer for the next check of held locks (checkHeld)
	taken      bool        // whether a lock was taken since the last checkHeld
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

// NewSleeper makes the Sleeper of a loop. The loop is awake at first.
func NewSleeper(p *vtime.Process, loop *vtime.Loop, leaper Leaper) *Sleeper {
	return &Sleeper{loop: loop, leaper: leaper, of: sleepersOf(p)}
}

// Asleep reports whether the loop sleeps, so that its steps have no events.
func (s *Sleeper) Asleep() bool { return s.place > 0 }

// Sleep puts the loop to sleep. From then on its steps have no events.
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

// Wake ends the loop's sleep, if it sleeps: from then on its steps are events again.
func (s *Sleeper) Wake() {
	if s.place == 0 {
		return
	}
	if s.of.world.Closing() {
		s.leave() // the world is ending, so nobody needs the steps that were put off
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

// CatchUp computes all past steps of this loop and of the other sleeping loops of its process.
func (s *Sleeper) CatchUp() { s.of.CatchUp() }

// leave removes the loop from the list of sleeping loops.
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

// CatchUp computes all steps of sleeping loops that come before the current event. Loops that share
// nothing with others are computed one by one. The others alternate, so that two loops on one
// connection draw random numbers in the order of their steps.
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

// earliest returns, among the sleeping loops that are not alone, the one whose next step comes
// first. It returns nil if that step does not lie before the bound. None of the others has a step
// before limit, so the returned loop may compute its steps up to there.
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

// WakeAll wakes all sleeping loops of the process.
func (s *sleepers) WakeAll() {
	for len(s.asleep) > 0 {
		s.asleep[len(s.asleep)-1].Wake()
	}
}

// wakeTurns wakes those sleeping loops of the process that are of type Turns.
func (s *sleepers) wakeTurns() {
	for i := 0; i < len(s.asleep); i++ {
		if s.asleep[i].turns != nil {
			s.asleep[i].Wake()
			i = -1
		}
	}
}

var _ vtime.SleepingLoops = (*sleepers)(nil)
