package vtime

// Rest makes the current task wait without keeping a stack, which saves memory where very many
// tasks wait long. The task's function must return right after the call. When Wake is called, the
// task continues with the function next, instead of ending. If the process is stopped meanwhile,
// the task unwinds, and the function unwound, if not nil, is called as a deferred function would
// be.
func (p *Process) Rest(what string, next, unwound func()) {
	t := p.enter()
	t.rest = newRest(t, what, next, unwound)
}

// NewRest returns a rest that ends when the task's timer fires. The task then continues with next.
// The task can begin the same rest again and again.
func (t *Task) NewRest(what string, next func()) *Rest {
	r := newRest(t, what, nil, nil)
	r.next, r.unparked = next, true
	return r
}

// Begin makes the task rest once its function has returned.
func (r *Rest) Begin() { r.task.rest = r }

// AfterRest calls fn at once, unless the current task is about to rest. Then it calls fn when the
// task has continued and no longer waits or rests. If the task unwinds, fn is not called.
func (p *Process) AfterRest(fn func()) {
	p.check()
	if r := p.node.w.current.rest; r != nil {
		r.after = fn
		return
	}
	fn()
}

// Rest waits for the condition as Wait does, but without keeping a stack. The task's function must
// return right after the call. Once woken, the task continues with next.
func (c *Cond) Rest(next func()) {
	t := c.join(-1)
	t.rest = newRest(t, c.name, next, nil)
	t.rest.unparked = true
}

// Rest says how a task without a stack continues after its wait.
type Rest struct {
	task          *Task
	what          string
	next, unwound func()
	after         func() // function that was given to AfterRest, or nil
	goOn          func() // runs when the task continues
	unparked      bool   // whether the task's timer or a Cond ends it, rather than Wake
}

func newRest(t *Task, what string, next, unwound func()) *Rest {
	r := &Rest{task: t, what: what, next: next, unwound: unwound}
	r.goOn = r.wake
	return r
}

// lieDown begins a wait without a stack. The task's function has called Rest and returned.
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
