package walltime

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/tasks"
)

// Task is one thread of a process. The process's mu guards all fields.
type Task struct {
	proc      *Process
	name      string
	goroutine uint64
	baton     chan struct{} // has one value when it is the task's turn to run
	began     bool
	done      bool
	failure   *tasks.PanicError

	killed    bool // whether it unwinds at once, even in env calls of deferred functions
	stopping  bool // whether it unwinds at its next wait
	unwinding bool // whether it runs deferred functions because it is stopping
	skipped   bool // whether it was stopped before it began

	// These fields say what the task waits for, and since when.
	waiting   bool
	waitsFor  string
	since     time.Duration
	cond      *Cond
	woken     bool
	deadline  time.Duration
	order     uint64 // orders tasks with equal deadlines
	place     int    // index in the heap of deadlines, -1 without a deadline
	interrupt context.CancelFunc

	ended *Cond // created by the first Join
}

// errGoexit is the value in the tasks.PanicError of a task that called runtime.Goexit, as t.FailNow
// does.
var errGoexit = errors.New("the task called runtime.Goexit")

func newTask(p *Process, name string) *Task {
	return &Task{proc: p, name: name, baton: make(chan struct{}, 1), place: -1}
}

// Name returns the task's name.
func (t *Task) Name() string { return t.name }

// Done reports whether the task has ended.
func (t *Task) Done() bool {
	t.proc.mu.Lock()
	defer t.proc.mu.Unlock()
	return t.done
}

// Join waits until the task has ended.
func (t *Task) Join() {
	p := t.proc
	for !t.Done() {
		self := p.enter("Join of task " + t.name)
		if t.done {
			p.mu.Unlock()
			return
		}
		if t.ended == nil {
			t.ended = &Cond{proc: p, name: "end of task " + t.name}
		}
		t.ended.add(self)
		p.wait(self, t.ended.name)
	}
}

// main is the first function on the task's goroutine. It runs fn once the task has the baton.
func (t *Task) main(fn func()) {
	p := t.proc
	at := goroutineNumber()
	p.mu.Lock()
	t.goroutine = at
	p.mu.Unlock()
	<-t.baton
	t.run(fn)
}

// run calls fn while the task has the baton, and then passes the baton on. It reports whether fn
// returned. If fn panicked, failure holds the panic. Otherwise the task was unwound.
func (t *Task) run(fn func()) (normal bool) {
	defer func() {
		if !normal {
			t.recovered(recover(), debug.Stack())
		}
		t.finish()
	}()
	t.proc.mu.Lock()
	t.began = true
	over := t.killed || t.skipped
	t.proc.mu.Unlock()
	if over {
		panic(tasks.Unwind{})
	}
	fn()
	return true
}

func (t *Task) recovered(value any, stack []byte) {
	switch value.(type) {
	case tasks.Unwind:
		return
	case nil:
		value = errGoexit
	}
	t.failure = &tasks.PanicError{Node: t.proc.node.name, Task: t.name, Value: value, Stack: stack}
	t.proc.w.fail(t.failure)
}

// mustUnwind reports whether the task has to unwind now. The caller holds p.mu.
func (t *Task) mustUnwind() bool {
	if t.killed {
		return true
	}
	if !t.stopping {
		return false
	}
	// A stopped task may call env while it unwinds. If it should unwind but no panic is under way,
	// some code has recovered the panic, and the task has to unwind again.
	if t.unwinding && tasks.Panicking() {
		return false
	}
	t.unwinding = true
	return true
}

// finish removes an ended task from its process and passes the baton on.
func (t *Task) finish() {
	p := t.proc
	p.mu.Lock()
	t.done = true
	if i := slices.Index(p.tasks, t); i >= 0 {
		p.tasks = slices.Delete(p.tasks, i, i+1)
	}
	if t.ended != nil && !p.dead {
		t.ended.wakeAll()
	}
	var onEnd []func()
	if len(p.tasks) == 0 {
		onEnd = p.end()
	}
	p.mu.Unlock()
	call(onEnd)
	p.mu.Lock()
	p.pass()
	p.mu.Unlock()
	p.w.taskEnded()
}

// stopWaiting ends the task's wait and lets it run. The caller holds p.mu.
func (t *Task) stopWaiting() {
	if t.cond != nil {
		t.cond.remove(t)
	}
	t.proc.forgetDeadline(t)
	t.proc.makeReady(t)
}

// Blocked lists the waiting tasks, in the order of processes and tasks.
func (w *World) Blocked() []tasks.BlockedTask {
	var list []tasks.BlockedTask
	for _, p := range w.processes() {
		p.mu.Lock()
		for _, t := range p.tasks {
			if t.waiting {
				list = append(list, tasks.BlockedTask{Node: p.node.name, Process: p.name, Task: t.name, WaitsFor: t.waitsFor, Since: t.since})
			}
		}
		p.mu.Unlock()
	}
	return list
}

var _ env.Task = (*Task)(nil)
