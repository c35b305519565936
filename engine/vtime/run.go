package vtime

import (
	"runtime/debug"
	"time"
)

// runState is the state of one Run: its limits, and what has to be done between two
// events.
//
// Whoever has nothing else to do lets the events happen: the goroutine that
// called Run, or the task that has begun to wait. A task that waits for an answer
// thus goes on without a switch of coroutines when nothing else was to run in
// between, as in most calls. Who lets an event happen makes no difference to
// what happens: tasks that an event wakes run after its handler, in the order in
// which they were woken, and dead processes are reaped before them.
type runState struct {
	limits    Limits
	maxEvents uint64
	limited   bool
	// unasked is set after an event until the limits were looked at.
	unasked bool
	over    bool
	reason  Reason // why the run is over

	driver *Task // the task that lets events happen; nil for the caller of Run
	ready  []readyTask
	head   int // of ready
	reaps  []*Process
}

// readyTask is a task that goes on, unless it has done so meanwhile.
type readyTask struct {
	task  *Task
	wait  uint64
	cause uint64 // of what it schedules
}

func (r readyTask) valid() bool { return !r.task.done && r.task.waitSeq == r.wait }

func (u *runState) begin(w *World, l Limits) {
	u.limits, u.limited, u.maxEvents = l, l.Until > 0, 0
	if l.MaxEvents > 0 {
		u.maxEvents = w.events + l.MaxEvents
	}
	u.unasked, u.over, u.driver = false, false, nil
}

func (u *runState) push(t *Task, cause uint64) {
	u.ready = append(u.ready, readyTask{t, t.waitSeq, cause})
}

// next is the first task that goes on, nil for none; it stays in the queue.
func (u *runState) next() *Task {
	for u.head < len(u.ready) {
		if r := u.ready[u.head]; r.valid() {
			return r.task
		}
		u.pop()
	}
	return nil
}

func (u *runState) pop() {
	u.ready[u.head].task = nil
	u.head++
	if u.head == len(u.ready) {
		u.ready, u.head = u.ready[:0], 0
	}
}

func (u *runState) end(r Reason) bool {
	u.over, u.reason = true, r
	return false
}

// loop is the turn of Run's caller.
func (w *World) loop() Reason {
	u := &w.run
	if u.limits.Done != nil && u.limits.Done() {
		return Satisfied
	}
	for {
		for len(u.reaps) > 0 {
			p := u.reaps[0]
			u.reaps = u.reaps[1:]
			p.reap()
		}
		if w.failure != nil {
			return Failed
		}
		if t := u.next(); t != nil {
			w.cause = u.ready[u.head].cause
			u.pop()
			w.switchTo(t)
		} else if u.over || !w.step() {
			return u.reason
		}
	}
}

// drive is the turn of a task that waits. It reports true when the task goes on,
// and false when it is another's turn.
func (w *World) drive(t *Task) (goesOn bool) {
	u := &w.run
	u.driver, w.current = t, nil
	normal := false
	defer func() {
		u.driver = nil
		if normal {
			return
		}
		w.current = t // for what a Goexit unwinds
		if r := recover(); r != nil {
			w.fail(nil, r, debug.Stack())
		}
	}()
	for len(u.reaps) == 0 {
		if next := u.next(); next != nil {
			if goesOn = next == t; goesOn {
				w.cause = u.ready[u.head].cause
				u.pop()
			}
			break
		}
		if u.over || !w.step() {
			break
		}
	}
	normal = true
	return goesOn
}

// step lets one event happen. It reports false when the run is over.
func (w *World) step() bool {
	u := &w.run
	if u.unasked {
		u.unasked = false
		switch {
		case w.halt:
			return u.end(Halted)
		case u.limits.Done != nil && u.limits.Done():
			return u.end(Satisfied)
		case u.maxEvents > 0 && w.events >= u.maxEvents:
			return u.end(EventsUp)
		}
	}
	until := int64(u.limits.Until)
	for {
		e, near, ok := w.peek()
		if !ok || u.limited && e.at > until {
			break
		}
		if near {
			w.wheel.remove(e.slot)
		} else {
			w.hole = true
		}
		s := &w.slots[e.slot]
		if s.gen != e.gen {
			continue
		}
		do, arg, proc, cause, node, kind := s.do, s.arg, s.proc, s.cause, s.node, s.kind
		w.release(e.slot)
		if !near {
			w.live--
		}
		if proc != nil && proc.dead {
			continue
		}
		w.happens(&e, node, kind, cause, arg)
		u.unasked = true
		do.Handle(arg)
		return true
	}
	if u.limited {
		// Time passes even when nothing happens in it.
		w.now = max(w.now, until)
		return u.end(TimeUp)
	}
	return u.end(Quiet)
}

// happens moves the clock to an event and folds it into the hashes.
func (w *World) happens(e *event, node *Node, kind Kind, cause, arg uint64) {
	w.now = e.at
	w.events++
	if w.cause = e.seq; w.cfg.Trace.Origins {
		w.cause = cause
	}
	x := uint64(e.at)*fold1 ^ uint64(kind)<<48 ^ arg
	node.hash = (node.hash ^ x) * fold2
	node.hash ^= node.hash >> 29
	w.hash = (w.hash ^ node.hash) * fold2
	w.hash ^= w.hash >> 29
	if w.events >= w.trace.nextMark {
		w.trace.mark(w, e, node, kind, cause, arg)
	}
}

// FastForward spares a handler an event. The handler must have nothing more to do at
// the present instant, and be about to schedule an event at the virtual time at. When
// that event would be the very next to happen, FastForward moves the clock there,
// changes hashes and trace as if the event had been scheduled, and reports true: the
// caller then does at once what the event's handler would do. Otherwise it reports
// false and has no effect: schedule the event.
func (n *Node) FastForward(at time.Duration, kind Kind, arg uint64) bool {
	w := n.w
	u := &w.run
	if w.cfg.NoFastForward || !w.running || w.current != nil || w.halt || u.limits.Done != nil || u.maxEvents > 0 ||
		u.head < len(u.ready) || len(u.reaps) > 0 || int64(at) < w.now || u.limited && at > u.limits.Until {
		return false
	}
	if e, _, ok := w.peek(); ok && e.at <= int64(at) {
		return false
	}
	w.seq++
	w.happens(&event{at: int64(at), seq: w.seq}, n, kind, w.cause, arg)
	return true
}
