package vtime

// Rest makes the current task wait without a stack, for waits that are long and of which
// there are many. The task's function is to return right after it; once Wake is called the
// task goes on with next, as after a Park of the same name, in place of ending. unwound
// is called instead, when it is set and the process is stopped: it is what a deferred
// function would do.
func (p *Process) Rest(what string, next, unwound func()) {
	t := p.enter()
	t.rest = newRest(t, what, next, unwound)
}

// NewRest returns a rest of the task that its timer ends, which may begin again and again; then the
// task goes on with next.
func (t *Task) NewRest(what string, next func()) *Rest {
	r := newRest(t, what, nil, nil)
	r.next, r.unparked = next, true
	return r
}

// Begin has the task rest once its function has returned.
func (r *Rest) Begin() { r.task.rest = r }

// AfterRest calls fn at once, or, when the current task is about to rest, once it has gone
// on and neither waits nor rests any more. A task that is unwound does not call it.
func (p *Process) AfterRest(fn func()) {
	p.check()
	if r := p.node.w.current.rest; r != nil {
		r.after = fn
		return
	}
	fn()
}

// Rest is Wait as the last thing that the current task does: the task's function is to
// return right after it, and once the task is woken it goes on with next.
func (c *Cond) Rest(next func()) {
	t := c.join(-1)
	t.rest = newRest(t, c.name, next, nil)
	t.rest.unparked = true
}

// Rest is how a task goes on that has no stack.
type Rest struct {
	task          *Task
	what          string
	next, unwound func()
	after         func() // of AfterRest
	goOn          func() // the function of the task from now on
	unparked      bool   // the task's timer or a Cond ends the wait, not Wake
}

func newRest(t *Task, what string, next, unwound func()) *Rest {
	r := &Rest{task: t, what: what, next: next, unwound: unwound}
	r.goOn = r.wake
	return r
}

// lieDown begins the wait of a task whose function has returned after Rest.
func (t *Task) lieDown() {
	r, w := t.rest, t.proc.node.w
	w.waits++
	t.co, t.fn, t.parked = nil, r.goOn, !r.unparked
	t.waitsFor, t.since = r.what, w.now
}

func (r *Rest) wake() {
	t := r.task
	t.rest, t.parked, t.waitsFor = nil, false, ""
	if t.stopping && r.unwound != nil {
		defer r.unwound()
	}
	t.live()
	r.next()
	switch {
	case r.after == nil:
	case t.rest != nil:
		t.rest.after = r.after
	default:
		r.after()
	}
}
