package vtime

import "time"

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

// Sleeper is the sleep of a loop of a process. The steps of all loops of a process that
// are asleep are made in their common order, as they may share connections.
type Sleeper struct {
	loop   *Loop
	leaper Leaper
	proc   *Process
	turns  *Turns // that sleeps, nil for another kind of loop
	place  int    // in proc.asleep, plus one; 0 while it is awake
	next   Bound  // the next step
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
	if len(p.asleep) == 0 {
		w := p.node.w
		p.sleepPlace = len(w.sleeping)
		w.sleeping = append(w.sleeping, p)
	}
	p.asleep = append(p.asleep, s)
	s.place = len(p.asleep)
	s.find()
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
	s.leaper.Wake()
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
	w := p.node.w
	now := Bound{w.now, w.stepNow}
	if p.settling {
		return
	}
	p.settling = true
	for {
		first, limit := p.earliest(now)
		if first == nil {
			break
		}
		first.leaper.Leap(limit)
		first.find()
	}
	p.settling = false
}

// earliest is the loop whose step is the next before a bound, nil for none, and until
// where only that has steps.
func (p *Process) earliest(b Bound) (first *Sleeper, limit Bound) {
	at := b
	for _, s := range p.asleep {
		switch {
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

// settleAll makes all steps that are past of all loops.
func (w *World) settleAll() {
	for _, p := range w.sleeping {
		p.settle()
	}
}

// leaps reports whether loops may fall asleep now: not in a run without an end, which goes
// on as long as something happens.
func (w *World) leaps() bool {
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
