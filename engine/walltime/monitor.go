package walltime

import "github.com/monosim/monosim/engine/tasks"

// The monitor of a process lets one task run at a time. The task that runs has the baton (holder),
// and the tasks in ready wait for it, first come first served. The baton guards what tasks share.
// Process.mu guards the baton, the waits and the state of the process, and is held only briefly.

// makeReady lets a task run as soon as the tasks ahead of it wait or have ended. The caller holds
// p.mu.
func (p *Process) makeReady(t *Task) {
	t.waiting = false
	if p.holder == nil {
		p.hand(t)
		return
	}
	p.ready = append(p.ready, t)
}

// pass gives the baton to the next ready task. The caller holds p.mu.
func (p *Process) pass() {
	if len(p.ready) == 0 {
		p.holder = nil
		return
	}
	t := p.ready[0]
	p.ready[0] = nil
	p.ready = p.ready[1:]
	p.hand(t)
}

func (p *Process) hand(t *Task) {
	p.holder = t
	t.baton <- struct{}{}
}

// enter begins a call that may wait, and returns the current task with p.mu held. If the task has
// to end, enter panics instead, which unwinds the task.
func (p *Process) enter(call string) *Task {
	at := goroutineNumber()
	p.mu.Lock()
	t := p.holder
	if t == nil || t.goroutine != at {
		p.mu.Unlock()
		panic("walltime: " + call + " of process " + p.name + " on " + p.node.name + " from a goroutine that is not its current task: only tasks may call env, see Process.Enter")
	}
	if t.mustUnwind() {
		p.mu.Unlock()
		panic(tasks.Unwind{})
	}
	t.woken = false
	return t
}

// wait gives the baton away until the task was made ready and its turn has come. The caller holds
// p.mu, and wait unlocks it.
func (p *Process) wait(t *Task, what string) {
	t.waiting, t.waitsFor, t.since = true, what, p.w.Now()
	p.pass()
	p.mu.Unlock()
	<-t.baton
	p.mu.Lock()
	over := t.mustUnwind()
	p.mu.Unlock()
	if over {
		panic(tasks.Unwind{})
	}
}

// current returns the calling task, or nil if the caller is not a task of this process.
func (p *Process) current() *Task {
	at := goroutineNumber()
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.holder; t != nil && t.goroutine == at {
		return t
	}
	return nil
}

// goroutineNumber returns the number of the caller's goroutine. It takes about a microsecond, which
// is little compared with a wait on the wall clock.
func goroutineNumber() uint64 {
	var buf [64]byte
	return tasks.GoroutineNumber(buf[:])
}
