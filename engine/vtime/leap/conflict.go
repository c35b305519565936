package leap

import (
	"slices"

	"github.com/monosim/monosim/engine/vtime"
)

// findConflicts finds out which loops of the process conflict with this one, after a turn of it was
// recorded. Two loops conflict if one of them uses a lock that the other one holds while it waits.
func (t *Turns) findConflicts() {
	for _, o := range t.of.loops {
		was := slices.Index(t.conflicts, o)
		switch is := o != t && (meet(t.across, o.locks) || meet(o.across, t.locks)); {
		case is && was < 0:
			t.conflicts, o.conflicts = append(t.conflicts, o), append(o.conflicts, t)
		case !is && was >= 0:
			t.conflicts = slices.Delete(t.conflicts, was, was+1)
			o.conflicts = slices.DeleteFunc(o.conflicts, func(r *Turns) bool { return r == t })
		}
	}
}

// meet reports whether two lists of locks have one in common.
func meet(a, b []any) bool {
	return len(b) > 0 && slices.ContainsFunc(a, func(lock any) bool { return slices.Contains(b, lock) })
}

// checkHeld wakes sleeping loops that need a lock which an awake loop holds. It wakes only those
// that are in the middle of a turn or about to begin one. The others sleep on, because mostly the
// lock is free by their next turn. Before the first of these turns, checkHeld is called again.
func (s *sleepers) checkHeld() {
	s.CatchUp()
	s.held.Cancel()
	s.taken = false
	var first *Turns
	for i := 0; i < len(s.loops); i++ {
		switch t := s.loops[i]; {
		case !t.sleeper.Asleep() || !t.lockHeld():
		case t.midTurn() || t.next <= s.world.Now():
			t.sleeper.Wake()
		case first == nil || t.sleeper.next.Before(first.sleeper.next):
			first = t
		}
	}
	if first != nil {
		s.held = first.CheckAt(s.proc, first.next, (*heldCheck)(s))
	}
}

type heldCheck sleepers

// Handle calls checkHeld again, just before a turn that may need a lock.
func (c *heldCheck) Handle(uint64) { (*sleepers)(c).checkHeld() }

// lockHeld reports whether an awake loop holds a lock that this loop uses.
func (t *Turns) lockHeld() bool {
	return len(t.locks) > 0 && slices.ContainsFunc(t.of.loops, func(o *Turns) bool { return o.writing && meet(o.holds, t.locks) })
}

// wakeConflict is called when this loop is about to begin a turn. It wakes one conflicting loop
// that sleeps in the middle of a turn, and reports whether there was one.
func (t *Turns) wakeConflict() bool {
	t.of.CatchUp()
	for _, r := range t.conflicts {
		if r.sleeper.Asleep() && r.midTurn() {
			r.sleeper.Wake()
			return true
		}
	}
	return false
}

// checkConflicts keeps turns of two conflicting loops from overlapping while both loops sleep. If
// turns overlap now, it wakes both loops. Otherwise it schedules its next call, for just before the
// first turn that could overlap another.
func (s *sleepers) checkConflicts() {
	s.CatchUp()
	s.check.Cancel()
	s.check = vtime.Timer{}
	var next *Turns
	for i := 0; i < len(s.loops); i++ {
		t := s.loops[i]
		for _, r := range t.conflicts {
			if !t.sleeper.Asleep() || !r.sleeper.Asleep() {
				continue
			}
			later := t.later(r)
			if later == nil {
				t.sleeper.Wake()
				r.sleeper.Wake()
				continue
			}
			if next == nil || later.sleeper.next.Before(next.sleeper.next) {
				next = later
			}
		}
	}
	if next != nil {
		s.check = next.CheckAt(s.proc, next.next, (*conflictCheck)(s))
	}
}

// later returns the one of two conflicting loops that begins its next turn last. Until that turn
// their turns cannot overlap. If they overlap now, it returns nil.
func (t *Turns) later(r *Turns) *Turns {
	now := t.world.Now()
	switch {
	case t.midTurn() && r.midTurn():
		panic("vtime: turns of two loops were leapt over that cannot be at the same time")
	case t.midTurn() && r.next > now:
		return r
	case r.midTurn() && t.next > now:
		return t
	case t.midTurn() || r.midTurn():
		return nil
	case t.next > r.next && t.next > now:
		return t
	case r.next > now:
		return r
	}
	return nil
}

type conflictCheck sleepers

// Handle calls checkConflicts again, just before a turn that may overlap another.
func (c *conflictCheck) Handle(uint64) { (*sleepers)(c).checkConflicts() }
