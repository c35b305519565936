package walltime

import (
	"context"
	"errors"

	"github.com/monosim/monosim/engine/tasks"
)

// ErrEnded is returned by Enter when the process is dead, or ends while the function runs.
var ErrEnded = errors.New("the process has ended")

// Block calls fn, which may wait for the outside world. The current task leaves the process's
// monitor meanwhile, so that other tasks run. So fn must not touch what tasks share, nor call env.
// Its context is cancelled when the task has to unwind, because of a crash or a stop; fn should
// then return soon, and Block unwinds the task.
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
		// A panic of fn goes on only when the task has the monitor again, because the task's
		// deferred functions touch what the monitor guards.
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

// Enter runs fn as a task of the process on the caller's goroutine, for handlers of real servers.
// The goroutine must not be a task of any process. Enter returns ErrEnded when the process has
// ended before fn returned, and a *tasks.PanicError when fn panicked.
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

// Post starts a task that runs fn. Goroutines that are no tasks call it, such as callbacks of real
// clients. In a dead process fn never runs.
func (p *Process) Post(name string, fn func()) { p.Go(name, fn) }
