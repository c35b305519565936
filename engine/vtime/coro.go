package vtime

import (
	"fmt"
	"iter"
	"runtime/debug"
	"time"

	"github.com/monosim/monosim/engine/tasks"
)

// coro is a pooled coroutine. It runs one task after another, and is parked in the pool between two
// tasks.
type coro struct {
	w     *World // world of its task
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	task  *Task
	owner uint64  // number of its goroutine
	self  uintptr // address of the runtime's description of its goroutine
	stack uintptr // end of its stack when it last parked
	place int     // index in World.coros
}

// coroPool holds the coroutines that have no task. A burst of tasks, as at a start, needs many
// times more coroutines than the rest of the run. So coroutines that stay unused for a tenth of the
// run are given up.
type coroPool struct {
	free   []*coro
	unused int   // smallest number of free coroutines since the last shrink
	look   int64 // virtual time of the next shrink
}

// firstLook is the shortest virtual time, in nanoseconds, between two calls of shrink.
const firstLook = int64(time.Second)

func (w *World) takeCoro() *coro {
	if n := len(w.pool.free); n > 0 {
		c := w.pool.free[n-1]
		w.pool.free = w.pool.free[:n-1]
		w.pool.unused = min(w.pool.unused, n-1)
		return c
	}
	w.pool.unused = 0
	c := w.cfg.Coroutines.take()
	if c == nil {
		c = newCoro()
	}
	c.w, c.place = w, len(w.coros)
	w.coros = append(w.coros, c)
	return c
}

func newCoro() *coro {
	c := &coro{}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield, c.owner = yield, tasks.GoroutineNumber(c.w.line[:])
		for {
			c.task.main()
			c.task = nil
			c.w.pool.free = append(c.w.pool.free, c)
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return c
}

// shrink gives up the coroutines that were not needed since the last call, the oldest first.
func (w *World) shrink() {
	p := &w.pool
	for _, c := range p.free[:p.unused] {
		w.cfg.Coroutines.give(c)
		last := w.coros[len(w.coros)-1]
		w.coros[c.place], last.place = last, c.place
		w.coros[len(w.coros)-1] = nil
		w.coros = w.coros[:len(w.coros)-1]
	}
	p.free = append([]*coro(nil), p.free[p.unused:]...)
	p.unused, p.look = len(p.free), w.now+max(w.now/10, firstLook)
}

// main runs the task's function at the bottom of the coroutine's stack.
func (t *Task) main() {
	normal := false
	defer func() {
		t.hasRun()
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
			// runtime.Goexit (t.FailNow) ends the coroutine. iter.Pull then continues the Goexit in
			// the engine's goroutine.
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

// resume lets the task continue after the current event. Outside of a run it continues at once.
func (t *Task) resume() {
	if w := t.proc.node.w; w.running {
		w.run.push(t, w.cause)
	} else {
		w.switchTo(t)
	}
}

// hasRun is called when the task has run and is about to wait or to end. It counts that the memory
// of the process may have changed. It does not count this if the task runs a loop and has not acted
// in the loop's current turn.
func (t *Task) hasRun() {
	if t.loop != nil && !t.acted {
		t.loop.Waits()
		return
	}
	p := t.proc
	p.runs++
	if p.asleep && p.w.replaying == 0 {
		p.loops.WakeChanged()
	}
}

// switchTo runs the task until its next wait. Only the engine may call it, not a task.
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
	if w.now >= w.pool.look {
		w.shrink()
	}
}

// park makes the task wait. Meanwhile its coroutine lets events happen, until the task continues or
// the engine has to take over.
func (t *Task) park() {
	w := t.proc.node.w
	p := t.proc
	w.waits++
	t.hasRun()
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
}

// drives reports whether events may happen on the waiting task's coroutine. They may not while its
// loop is asleep, because an event may wake the loop. Nor may they while World.Replay runs the
// task, because Replay expects to continue when the task waits.
func (t *Task) drives() bool {
	return t.proc.node.w.replaying == 0 && !t.asleep
}

// park gives control to the engine, and returns when the engine switches back to the coroutine. It
// reports false when the coroutine has to end.
func (c *coro) park() bool {
	c.self, c.stack = here()
	return c.yield(struct{}{})
}

// live unwinds the task by a panic if its process has crashed, or if it was asked to stop.
func (t *Task) live() {
	if t.killed {
		panic(tasks.Unwind{})
	}
	// A stopped task may call env while it unwinds. If it should unwind but no panic is under way,
	// some code has recovered the panic, and the task has to panic again.
	if t.stopping && !(t.unwinding && tasks.Panicking()) {
		t.unwinding = true
		panic(tasks.Unwind{})
	}
}

// checkOwner panics if another goroutine than the task's own makes the task wait. iter.Pull would
// not notice, and would resume the wrong stack.
func (t *Task) checkOwner() {
	if at := tasks.GoroutineNumber(t.proc.node.w.line[:]); at != t.co.owner {
		panic(fmt.Sprintf("vtime: task %q of node %q waits on goroutine %d, which is not its own (%d): only the task itself may call env",
			t.name, t.proc.node.name, at, t.co.owner))
	}
}
