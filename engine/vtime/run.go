package vtime

import "runtime/debug"

// runState is the state of one call of Run: its limits, and what has to be done before the next
// event.
//
// Whoever has nothing else to do lets the events happen: the goroutine that called Run, or a task
// that has begun to wait. So a task that waits for an answer continues without a switch of
// coroutines, unless something else has to run in between. That does not change what happens: tasks
// woken by an event run after its handler, in the order in which they were woken, and dead
// processes are reaped before them.
type runState struct {
	limits    Limits
	maxEvents uint64
	limited   bool
	// unasked is set when an event has happened since the limits were last checked.
	unasked bool
	over    bool
	reason  Reason // why the run has ended

	ready []readyTask
	head  int // index in ready of the first task that has not continued yet
	reaps []*Process
}

// readyTask is a task that was woken and has to continue, unless something else has already made it
// continue.
type readyTask struct {
	task  *Task
	wait  uint64
	cause uint64 // cause of the events that the task schedules
}

func (r readyTask) valid() bool { return !r.task.done && r.task.waitSeq == r.wait }

func (u *runState) begin(w *World, l Limits) {
	u.limits, u.limited, u.maxEvents = l, l.Until > 0, 0
	if l.MaxEvents > 0 {
		u.maxEvents = w.events + l.MaxEvents
	}
	u.unasked, u.over = false, false
}

func (u *runState) push(t *Task, cause uint64) {
	u.ready = append(u.ready, readyTask{t, t.waitSeq, cause})
}

// next returns the first woken task that still has to continue, or nil. The task stays in the
// queue.
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

// loop makes events happen on the goroutine that called Run, until the run is over.
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

// drive makes events happen on the coroutine of the waiting task t. It reports true when t
// continues, and false when another task or the engine has to run.
func (w *World) drive(t *Task) (goesOn bool) {
	u := &w.run
	w.current = nil
	if !w.wakesTask() || !w.step() || u.head == len(u.ready) {
		return w.driveGuarded(t)
	}
	r := &u.ready[u.head]
	if r.task != t {
		return false
	}
	w.cause = r.cause
	u.pop()
	return true
}

// wakesTask reports whether the next event only wakes a living task, as most do. The task that waits
// may then run the event itself without recovering from panics, because no handler runs that could
// panic on its stack.
func (w *World) wakesTask() bool {
	u := &w.run
	if u.over || u.limits.Done != nil || u.head < len(u.ready) || len(u.reaps) > 0 {
		return false
	}
	i, _, ok := w.peek()
	if !ok {
		return false
	}
	s := &w.slots[i]
	_, ok = s.do.(*Task)
	return ok && !s.proc.dead
}

// driveGuarded does what drive does for an event whose handler may panic. It recovers such a panic
// before it can unwind the functions of the waiting task.
func (w *World) driveGuarded(t *Task) (goesOn bool) {
	u := &w.run
	normal := false
	defer func() {
		if normal {
			return
		}
		w.current = t // Goexit runs the task's deferred functions, in which the task is the current one
		if r := recover(); r != nil {
			w.fail(nil, r, debug.Stack())
		}
	}()
	for len(u.reaps) == 0 && u.next() == nil && !u.over && w.step() {
	}
	if goesOn = len(u.reaps) == 0 && u.next() == t; goesOn {
		w.cause = u.ready[u.head].cause
		u.pop()
	}
	normal = true
	return goesOn
}

// step makes one event happen. It reports false when the run is over.
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
		i, near, ok := w.peek()
		if !ok || u.limited && w.slots[i].at > until {
			break
		}
		e := w.slots[i]
		w.leave(i, near)
		if e.do == nil || e.proc != nil && e.proc.dead {
			continue
		}
		cause := uint64(0)
		if w.causal {
			cause = w.causes[i]
		}
		if e.step() {
			w.stepOf(&e, cause)
		} else {
			w.happens(e.at, e.number(), e.node, e.kind(), cause, e.arg)
			u.unasked = true
		}
		e.do.Handle(e.arg)
		return true
	}
	if u.limited {
		// The clock moves to the limit even if no event happens until then.
		w.now, w.stepNow = max(w.now, until), noStep
		return u.end(TimeUp)
	}
	return u.end(Quiet)
}

// leave removes the next event from the queue of events.
func (w *World) leave(i uint32, near bool) {
	s := &w.slots[i]
	if near {
		w.wheel.remove(w.slots, i)
	} else {
		w.hole = true
		if s.do != nil {
			w.live--
		}
	}
	s.clear()
	w.recycle(i)
}

// happens moves the clock to an event and folds it into the hashes.
func (w *World) happens(at int64, number uint64, node *Node, kind Kind, cause, arg uint64) {
	w.now, w.stepNow = at, noStep
	w.events++
	if kind <= kindLast {
		arg = 0
	}
	if w.cause = number; w.cfg.Trace.Origins {
		w.cause = cause
	}
	node.fold(uint64(at)*fold1 ^ kindHashes[kind] ^ arg)
	if w.events >= w.trace.nextMark {
		w.trace.mark(w, number, node, kind, cause, arg)
	}
}

// stepOf moves the clock to a step of a loop, and adds the step to the loop's digest only. The
// step's cause is whatever led to the loop.
func (w *World) stepOf(e *slot, cause uint64) {
	w.now, w.cause, w.stepNow = e.at, cause, e.number()
	if e.kind() == kindLookout {
		return
	}
	total := w.ranks[w.stepNow/stepParts]
	total.did(w, e.at)
	if w.cfg.NoLeaps && !total.quiet && w.trace.recording(w.events) {
		w.trace.step(w, e, cause)
	}
}
