package vtime

import (
	"math"
	"time"
)

// Leaper is a loop that knows its next steps without events, as long as nobody does
// anything to what they touch. It is asleep while it is in the hands of a [Sleeper].
type Leaper interface {
	// Next is the instant and the part of the next step.
	Next() (at time.Duration, part int)
	// Leap makes the steps that come before the bound, one after the other; the first does.
	// It makes no event, and touches nothing that somebody sees without World.CatchUp.
	Leap(b Bound)
	// Wake ends the sleep: all steps that are past were made, and those to come are
	// events again.
	Wake()
}

// Bound is a place in the order of steps.
type Bound struct {
	at    int64
	order uint64
}

func (b Bound) before(c Bound) bool { return b.at < c.at || b.at == c.at && b.order < c.order }

// Allows reports whether a step of the loop comes before the bound.
func (b Bound) Allows(l *Loop, at time.Duration, part int) bool {
	return Bound{int64(at), l.rank + uint64(part)}.before(b)
}

// Last is the last instant at which a step of the loop may be that comes before the bound.
func (b Bound) Last(l *Loop, part int) time.Duration {
	if l.rank+uint64(part) < b.order {
		return time.Duration(b.at)
	}
	return time.Duration(b.at - 1)
}

// Sleeper is the sleep of a loop of a process. The steps of all loops of a process that
// are asleep are made in their common order, as they may share connections.
type Sleeper struct {
	next   Bound // the next step
	leaper Leaper
	loop   *Loop
	turns  *Turns // that sleeps, nil for another kind of loop
	proc   *Process
	// alone says that it uses nothing that others use: its steps need no common order.
	alone bool
	// lonely says that it is always alone.
	lonely bool
	// KeepsCause says that what the loop does after it is woken has the cause that it had
	// when it fell asleep, as if it had not slept, not whatever woke it.
	KeepsCause bool
	// Bears says that the loop sleeps on when others send on a connection that it uses: the
	// steps before that are made.
	Bears bool
	// Alters says that its steps change what turns of the process look at. While it is
	// asleep, none of those is.
	Alters bool
	// Fits, when set, is asked when a task of the process has done something: false wakes
	// the loop.
	Fits  func() bool
	cause uint64
	place int // in proc.asleep, plus one; 0 while it is awake
}

// NewSleeper makes the sleep of a loop, which is awake.
func (p *Process) NewSleeper(loop *Loop, leaper Leaper) *Sleeper {
	return &Sleeper{loop: loop, leaper: leaper, proc: p}
}

// Asleep reports whether the loop has no events.
func (s *Sleeper) Asleep() bool { return s.place > 0 }

// Sleep puts the loop to sleep.
func (s *Sleeper) Sleep() {
	p := s.proc
	if s.place > 0 || p.dead {
		panic("vtime: a loop of process " + p.name + " falls asleep twice, or after its end")
	}
	if s.Alters {
		p.rouseTurns()
		p.altering++
	}
	if len(p.asleep) == 0 {
		w := p.node.w
		p.sleepPlace = len(w.sleeping)
		w.sleeping = append(w.sleeping, p)
	}
	p.asleep = append(p.asleep, s)
	p.node.w.settled = settled{}
	s.place, s.cause = len(p.asleep), p.node.w.cause
	s.alone = s.lonely || s.turns != nil && len(s.turns.asked) == 0
	s.find()
	if s.place == 1 || s.next.before(p.due) {
		p.due = s.next
	}
}

func (s *Sleeper) find() {
	at, part := s.leaper.Next()
	s.next = Bound{int64(at), s.loop.rank + uint64(part)}
}

// Rouse wakes the loop when it is asleep.
func (s *Sleeper) Rouse() {
	if s.place == 0 {
		return
	}
	if s.proc.node.w.closing {
		s.leave() // nobody will ask for what it has let wait
		return
	}
	s.proc.settle()
	s.leave()
	w := s.proc.node.w
	cause := w.cause
	if s.KeepsCause {
		w.cause = s.cause
	}
	s.leaper.Wake()
	w.cause = cause
}

// Settle makes all steps that are past, of this loop and of the others of its process.
func (s *Sleeper) Settle() { s.proc.settle() }

// LookOut calls do.Handle at a virtual time, before all steps of the loop at that instant,
// for a loop that is asleep and has to be looked at. That is no step, and leaves no mark.
func (l *Loop) LookOut(p *Process, at time.Duration, do Handler) Timer {
	return l.schedule(p.node, p, partLookout, int64(at), kindLookout, do, 0)
}

// leave takes the loop out of those that sleep.
func (s *Sleeper) leave() {
	p := s.proc
	last := len(p.asleep) - 1
	moved := p.asleep[last]
	p.asleep[s.place-1], moved.place = moved, s.place
	p.asleep[last] = nil
	p.asleep = p.asleep[:last]
	s.place = 0
	if s.Alters {
		p.altering--
	}
	if last > 0 {
		return
	}
	w := p.node.w
	last = len(w.sleeping) - 1
	w.sleeping[p.sleepPlace] = w.sleeping[last]
	w.sleeping[p.sleepPlace].sleepPlace = p.sleepPlace
	w.sleeping[last] = nil
	w.sleeping = w.sleeping[:last]
}

// settle makes all steps of loops that sleep which come before what is happening now.
func (p *Process) settle() {
	now := Bound{p.w.now, p.w.stepNow}
	if p.settling || !p.due.before(now) {
		return
	}
	p.settling = true
	for _, s := range p.asleep {
		if s.alone && s.next.before(now) {
			s.leaper.Leap(now)
			s.find()
		}
	}
	for {
		first, limit := p.earliest(now)
		if first == nil {
			break
		}
		first.leaper.Leap(limit)
		first.find()
	}
	p.due = Bound{at: math.MaxInt64}
	for _, s := range p.asleep {
		if s.next.before(p.due) {
			p.due = s.next
		}
	}
	p.settling = false
}

// earliest is the loop whose step is the next before a bound, nil for none, and until
// where only that has steps.
func (p *Process) earliest(b Bound) (first *Sleeper, limit Bound) {
	at := b
	for _, s := range p.asleep {
		switch {
		case s.alone:
		case s.next.before(at):
			first, at, b = s, s.next, at
		case s.next.before(b):
			b = s.next
		}
	}
	return first, b
}

// rouse wakes all loops of the process.
func (p *Process) rouse() {
	for len(p.asleep) > 0 {
		p.asleep[len(p.asleep)-1].Rouse()
	}
}

// rouseTurns wakes those loops of the process that are turns.
func (p *Process) rouseTurns() {
	for i := 0; i < len(p.asleep); i++ {
		if p.asleep[i].turns != nil {
			p.asleep[i].Rouse()
			i = -1
		}
	}
}

// settleAll makes all steps that are past of all loops.
func (w *World) settleAll() {
	if !w.running && w.settled == (settled{w.now, w.events, w.steps}) {
		return // many look one after the other
	}
	for _, p := range w.sleeping {
		p.settle()
	}
	w.settled = settled{w.now, w.events, w.steps}
}

// settled is when all steps that were past were made last, of the loops that slept then.
type settled struct {
	now           int64
	events, steps uint64
}

// Leaps reports whether loops may fall asleep now: not in a run without an end, which goes
// on as long as something happens.
func (w *World) Leaps() bool {
	return w.running && w.run.limited && !w.cfg.NoLeaps && !w.closing && w.failure == nil
}

// Lasting is something that turns of loops look at and that stays as it is until Changes
// is called.
type Lasting struct {
	changes uint64
	users   []*Turns // that are asleep
}

// Changes is called right before it is different. Those that sleep are woken, and see what
// is there still.
func (l *Lasting) Changes() {
	for len(l.users) > 0 {
		l.users[len(l.users)-1].sleeper.Rouse()
	}
	l.changes++
}

// Count is how often it has changed.
func (l *Lasting) Count() uint64 { return l.changes }

// look is what a turn has looked at.
type look struct {
	at      *Lasting
	changes uint64
	place   int // among its users, while the loop is asleep
}

func (k *look) join(t *Turns) {
	k.place = len(k.at.users)
	k.at.users = append(k.at.users, t)
}

func (k *look) leave() {
	l := k.at
	last := len(l.users) - 1
	moved := l.users[last]
	l.users[k.place] = moved
	l.users[last] = nil
	l.users = l.users[:last]
	if k.place == last {
		return
	}
	for i := range moved.users {
		if m := &moved.users[i]; m.at == l && m.place == last {
			m.place = k.place
		}
	}
}
