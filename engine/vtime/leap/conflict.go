package leap

import (
	"slices"

	"github.com/monosim/monosim/engine/vtime"
)

// forgetConflicts forgets those that the end of a turn only seemed to make.
func (t *Turns) forgetConflicts(n int) {
	for _, o := range t.conflicts[n:] {
		o.conflicts = slices.DeleteFunc(o.conflicts, func(r *Turns) bool { return r == t })
	}
	t.conflicts = t.conflicts[:n]
}

// wakeConflict wakes a loop that conflicts with this one, which is to begin a turn, if it is in the
// middle of a turn and asleep; it reports whether there is one.
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

// checkConflicts sees to it that no turns of two loops that conflict overlap while both are asleep:
// before the later one of two begins they are checked. The order of such a check is before the first
// step of that turn.
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

// later returns which of two conflicting loops begins its next turn last: until then their turns cannot
// overlap. It returns nil when they overlap now.
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

// Handle checks again: a turn is about to begin that may overlap another.
func (c *conflictCheck) Handle(uint64) { (*sleepers)(c).checkConflicts() }
