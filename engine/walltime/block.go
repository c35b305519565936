package walltime

import (
	"context"
	"errors"

	"github.com/monosim/monosim/engine/tasks"
)

// ErrEnded is returned by Enter if the process is dead, or if it ends while the function runs.
var ErrEnded = errors.New("the process has ended")

// Block calls fn, which may wait for the outside world. Meanwhile the current task leaves the
// process's monitor, and other tasks run. So fn must not touch what tasks share, nor call env. If
// the task has to unwind, because of a crash or a stop, the context is cancelled. fn should then
// return soon, and Block unwinds the task.
func (p *Process) Block(fn func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	t := p.enter("Block")
	t.waiting, t.waitsFor, t.since = true, "a call outside", p.w.Now()
	t.interrupt = cancel
	p.pass()
	p.mu.Unlock()
	returned := false
	defer func() {
		// If fn panics, the panic continues only once the task has the monitor again, because the
		// task's deferred functions touch what the monitor guards.
		p.mu.Lock()
		t.interrupt = nil
		p.makeReady(t)
		p.mu.Unlock()
		<-t.baton
		p.mu.Lock()
		over := returned && t.mustUnwind()
		p.mu.Unlock()
		if over {
			panic(tasks.Unwind{})
		}
	}()
	fn(ctx)
	returned = true
}

// Enter runs fn as a task of the process, but on the caller's goroutine. Handlers of real servers
// use it. The goroutine must not be a task already. Enter returns ErrEnded if the process ends
// before fn returns, and a *tasks.PanicError if fn panics.
func (p *Process) Enter(name string, fn func()) error {
	if p.current() != nil {
		panic("walltime: task " + p.Self().Name() + " of process " + p.name + " enters the process that it is in")
	}
	t := newTask(p, name)
	t.goroutine = goroutineNumber()
	if !p.begin(t) {
		return ErrEnded
	}
	<-t.baton
	if t.run(fn) {
		return nil
	}
	if t.failure != nil {
		return t.failure
	}
	return ErrEnded
}

// Post starts a task that runs fn. It is for goroutines that are not tasks, such as callbacks of
// real clients. If the process is dead, fn never runs.
func (p *Process) Post(name string, fn func()) { p.Go(name, fn) }
