package vtime

import (
	"fmt"
	"iter"
	"runtime/debug"
	"time"

	"github.com/monosim/monosim/engine/tasks"
)

// coro is a pooled coroutine. It runs one task after the other: between two of
// them it is parked in the pool.
type coro struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	task  *Task
	owner uint64  // the number of its goroutine
	self  uintptr // where its goroutine is described
	stack uintptr // where its stack ended when it last parked
	place int     // index in World.coros
}

// coroPool holds the coroutines that have no task. Coroutines that stayed unused for a
// tenth of the run end: a burst of tasks, as at a start, needs many times what is needed
// later.
type coroPool struct {
	free   []*coro
	unused int   // the smallest number of free coroutines since the last shrink
	look   int64 // the virtual time of the next shrink
}

// firstLook is the shortest virtual time between two shrinks of the pool.
const firstLook = int64(time.Second)

func (w *World) takeCoro() *coro {
	if n := len(w.pool.free); n > 0 {
		c := w.pool.free[n-1]
		w.pool.free = w.pool.free[:n-1]
		w.pool.unused = min(w.pool.unused, n-1)
		return c
	}
	w.pool.unused = 0
	c := &coro{place: len(w.coros)}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield, c.owner = yield, tasks.GoroutineNumber(w.line[:])
		for {
			c.task.main()
			c.task = nil
			w.pool.free = append(w.pool.free, c)
			if !yield(struct{}{}) {
				return
			}
		}
	})
	w.coros = append(w.coros, c)
	return c
}

// shrink ends the coroutines that were not needed since the last time, the oldest first.
func (w *World) shrink() {
	p := &w.pool
	for _, c := range p.free[:p.unused] {
		c.stop()
		last := w.coros[len(w.coros)-1]
		w.coros[c.place], last.place = last, c.place
		w.coros[len(w.coros)-1] = nil
		w.coros = w.coros[:len(w.coros)-1]
	}
	p.free = append([]*coro(nil), p.free[p.unused:]...)
	p.unused, p.look = len(p.free), w.now+max(w.now/10, firstLook)
}

// main runs the task's function at the root of the coroutine.
func (t *Task) main() {
	normal := false
	defer func() {
		if normal && t.rest != nil {
			t.lieDown()
			return
		}
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
	if t.proc.asleep && w.replaying == 0 {
		t.proc.loops.WakeMidTurn()
	}
	previous := w.current
	w.current = t
	t.co.next()
	w.current = previous
	if t.proc.asleep && w.replaying == 0 {
		t.proc.loops.WakeChanged()
	}
	if w.now >= w.pool.look {
		w.shrink()
	}
}

// park lets events happen until the task goes on, or gives control back until
// the engine switches to it.
func (t *Task) park() {
	w := t.proc.node.w
	p := t.proc
	w.waits++
	if t.loop != nil {
		t.loop.Waits()
	}
	if p.asleep && w.replaying == 0 {
		p.loops.WakeChanged()
	}
	if w.cfg.CheckOwner || w.waits%1024 == 0 {
		t.checkOwner()
	}
	switch {
	case w.running && !t.killed && !t.unwinding && t.drives() && w.drive(t):
		if p.asleep {
			p.loops.WakeMidTurn()
		}
		w.current = t
	case !t.co.park():
		t.killed = true
	}
	t.live()
	if t.loop != nil {
		t.loop.GoesOn()
	}
}

// drives reports whether the task may let events happen while it waits. It may not while
// its loop is asleep, as the loop may be woken during an event, nor while World.Replay runs
// it, as Replay expects control back.
func (t *Task) drives() bool {
	return t.proc.node.w.replaying == 0 && !t.asleep
}

// park gives control back until the engine switches to the coroutine. It reports false
// when that is to end.
func (c *coro) park() bool {
	c.self, c.stack = here()
	return c.yield(struct{}{})
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

// checkOwner panics when a foreign goroutine calls a wait. iter.Pull would not notice: it
// would resume with the wrong stack.
func (t *Task) checkOwner() {
	if at := tasks.GoroutineNumber(t.proc.node.w.line[:]); at != t.co.owner {
		panic(fmt.Sprintf("vtime: task %q of node %q waits on goroutine %d, which is not its own (%d): only the task itself may call env",
			t.name, t.proc.node.name, at, t.co.owner))
	}
}
