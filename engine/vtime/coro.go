package vtime

import (
	"fmt"
	"iter"
	"runtime/debug"

	"github.com/monosim/monosim/engine/tasks"
)

// coro is a pooled coroutine. It runs one task after the other: between two of
// them it is parked in the pool.
type coro struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	task  *Task
	owner uint64   // the number of its goroutine
	line  [64]byte // for goroutineNumber, which would allocate it otherwise
}

func (w *World) takeCoro() *coro {
	if n := len(w.pool); n > 0 {
		c := w.pool[n-1]
		w.pool = w.pool[:n-1]
		return c
	}
	c := &coro{}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield, c.owner = yield, tasks.GoroutineNumber(c.line[:])
		for {
			c.task.main()
			c.task = nil
			w.pool = append(w.pool, c)
			if !yield(struct{}{}) {
				return
			}
		}
	})
	w.coros = append(w.coros, c)
	return c
}

// main runs the task's function at the root of the coroutine.
func (t *Task) main() {
	normal := false
	defer func() {
		t.finish()
		if normal {
			return
		}
		r := recover()
		if r == nil {
			// runtime.Goexit (t.FailNow): the coroutine ends with it, and iter.Pull
			// lets it go on in the engine's goroutine.
			return
		}
		if _, ok := r.(tasks.Unwind); !ok {
			t.proc.node.w.fail(t, r, debug.Stack())
		}
	}()
	if t.killed {
		panic(tasks.Unwind{})
	}
	t.fn()
	normal = true
}

// resume lets the task go on: after the event that is happening, or at once when
// none is.
func (t *Task) resume() {
	if w := t.proc.node.w; w.running {
		w.run.push(t, w.cause)
	} else {
		w.switchTo(t)
	}
}

// switchTo runs the task until it next waits. The caller is the engine, not a
// task.
func (w *World) switchTo(t *Task) {
	if t.co == nil {
		t.co = w.takeCoro()
		t.co.task = t
	}
	previous := w.current
	w.current = t
	t.co.next()
	w.current = previous
}

// park lets events happen until the task goes on, or gives control back until
// the engine switches to it.
func (t *Task) park() {
	w := t.proc.node.w
	w.waits++
	if w.cfg.CheckOwner || w.waits%1024 == 0 {
		t.checkOwner()
	}
	switch {
	case w.running && !t.killed && !t.unwinding && w.drive(t):
		w.current = t
	case !t.co.yield(struct{}{}):
		t.killed = true
	}
	t.live()
}

// live unwinds a task whose process is gone or asked to end.
func (t *Task) live() {
	if t.killed {
		panic(tasks.Unwind{})
	}
	// A stopped task may call env while it unwinds. When no panic is under way any
	// more, something has swallowed it.
	if t.stopping && !(t.unwinding && tasks.Panicking()) {
		t.unwinding = true
		panic(tasks.Unwind{})
	}
}

// checkOwner finds a wait on a foreign goroutine, which iter.Pull would not
// notice: it would go on with the wrong stack.
func (t *Task) checkOwner() {
	if at := tasks.GoroutineNumber(t.co.line[:]); at != t.co.owner {
		panic(fmt.Sprintf("vtime: task %q of node %q waits on goroutine %d, which is not its own (%d): only the task itself may call env",
			t.name, t.proc.node.name, at, t.co.owner))
	}
}
