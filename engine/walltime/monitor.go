package walltime

import "github.com/monosim/monosim/engine/tasks"

// The monitor of a process is a baton: holder is the task that has it, and the tasks in ready wait
// for it, first come first served. The baton guards what the tasks share. Process.mu guards the
// baton, the waits and the life of the process itself, and is held only for moments.

// makeReady lets a task run once the tasks before it have waited or ended. p.mu is held.
func (p *Process) makeReady(t *Task) {
	t.waiting = false
	if p.holder == nil {
		p.hand(t)
		return
	}
	p.ready = append(p.ready, t)
}

// pass gives the baton to the next task. p.mu is held.
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

// enter begins a call of the current task that may wait. It unwinds a task that has to end;
// otherwise it returns the task, with p.mu held.
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

// wait gives the baton away until the task has been made ready and its turn has come. p.mu is held
// when it is called, and not when it returns.
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

// current returns the calling task, nil when the caller is no task of this process.
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
