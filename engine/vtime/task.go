package vtime

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/tasks"
)

// Task is one thread of a process.
type Task struct {
	// The following fields are read at each wait and at each switch of tasks. They lie in one cache
	// line.
	proc      *Process
	co        *coro
	waitSeq   uint64 // number of the present wait; an event that is to end an earlier wait has no effect
	timer     Timer
	cond      *Cond    // condition that it waits for, or nil
	loop      TaskLoop // loop that it runs, or nil
	acted     bool     // see World.Acts
	asleep    bool     // whether it waits for an instant that has no event, because its loop sleeps
	done      bool
	killed    bool // whether it unwinds at once, even in env calls of deferred functions
	stopping  bool // whether it unwinds at its next wait
	unwinding bool // whether it runs deferred functions because it is stopping
	woken     bool
	parked    bool // whether it waits in Park or ParkFor, which are the only waits that Wake ends

	waitsFor  string
	waitsOn   string // what ParkOn waits for an answer about, such as a path
	since     int64
	nextWaits *Task // next task in the queue of cond
	ended     *Cond // created by the first Join
	rest      *Rest // not nil while the task waits without a stack, or is about to
	fn        func()
	name      string
	index     int // index in proc.tasks
}

// Handle wakes the task at an event. wait is the number of the wait that the event is to end. A
// task may be woken and stopped at the same instant, so two events may want to end one wait.
func (t *Task) Handle(wait uint64) {
	if t.done || wait != t.waitSeq {
		return
	}
	if t.cond != nil {
		t.cond.remove(t) // the time limit of WaitFor has passed
	}
	t.timer = Timer{}
	t.resume()
}

// Name returns the task's name.
func (t *Task) Name() string { return t.name }

// Done reports whether the task has ended.
func (t *Task) Done() bool { return t.done }

// Join waits until the task has ended.
func (t *Task) Join() {
	if t.done {
		return
	}
	if t.ended == nil {
		t.ended = newCond(t.proc, "end of task "+t.name)
	}
	for !t.done {
		t.ended.Wait()
	}
}

// Wake lets a task in [Process.Park] continue. It has no effect if the task waits in another way,
// or was already woken. Called from the engine, it lets the task run right after the current event,
// without a further event.
func (t *Task) Wake() {
	if !t.parked {
		return
	}
	t.parked = false
	t.timer.Cancel()
	t.timer = Timer{}
	t.woken = true
	if w := t.proc.node.w; w.current == nil {
		t.resume()
	} else {
		t.proc.schedule(w.now, kindWake, t, t.waitSeq)
	}
}

// WaitsOn changes what a task in [Process.ParkOn] waits for, and since when. It is for a task that
// got what it waited for and now waits for something else without having run. It has no effect on a
// task that waits in another way.
func (t *Task) WaitsOn(on string, since time.Duration) {
	if t.parked && t.waitsOn != "" {
		t.waitsOn, t.since = on, int64(since)
	}
}

// finish removes an ended task from its process.
func (t *Task) finish() {
	t.done = true
	if t.loop != nil {
		t.loop.Ends()
	}
	t.co = nil
	t.clearWait()
	p := t.proc
	last := len(p.tasks) - 1
	p.tasks[t.index] = p.tasks[last]
	p.tasks[t.index].index = t.index
	p.tasks[last] = nil
	p.tasks = p.tasks[:last]
	if t.ended != nil && !p.dead {
		t.ended.Broadcast()
	}
	if len(p.tasks) == 0 {
		p.idle()
	}
}

// clearWait ends the task's wait. It cancels the timer and removes the task from its condition.
func (t *Task) clearWait() {
	if t.cond != nil {
		t.cond.remove(t)
	}
	t.timer.Cancel()
	t.timer = Timer{}
	t.waitsFor, t.waitsOn, t.parked = "", "", false
}

// wait parks the task. what names the wait in reports.
func (t *Task) wait(what string) {
	t.waitsFor, t.since = what, t.proc.node.w.now
	t.park()
	t.waitsFor = ""
}

// Blocked lists the tasks that wait for something other than a timer, in the order of nodes and
// tasks. After Run has returned Quiet, these tasks can never continue.
func (w *World) Blocked() []tasks.BlockedTask {
	var list []tasks.BlockedTask
	for _, p := range slices.Clone(w.sleeping) {
		p.loops.WakeMidTurn()
	}
	for _, n := range w.nodes {
		for _, p := range n.procs {
			for _, t := range p.tasks {
				if t.waitsFor != "" && !t.timer.Pending() && !t.asleep {
					waitsFor := t.waitsFor
					if t.waitsOn != "" {
						waitsFor += " of " + t.waitsOn
					}
					list = append(list, tasks.BlockedTask{Node: n.name, Process: p.name, Task: t.name, WaitsFor: waitsFor, Since: time.Duration(t.since)})
				}
			}
		}
	}
	return list
}

// Cond is the env.Cond of virtual time. It holds the waiting tasks in a queue.
type Cond struct {
	proc  *Process
	name  string
	first *Task
	last  *Task
}

func newCond(p *Process, name string) *Cond { return &Cond{proc: p, name: name} }

// Wait makes the current task wait until a Signal or Broadcast reaches it.
func (c *Cond) Wait() { c.WaitFor(-1) }

// WaitFor waits as Wait does, but at most for d. With a d of 0 the task continues before everything
// else at this instant, except for tasks that it has just started.
func (c *Cond) WaitFor(d time.Duration) bool {
	t := c.join(d)
	t.wait(c.name)
	return t.woken
}

// join begins the current task's wait for the condition, and puts the task into the queue.
func (c *Cond) join(d time.Duration) *Task {
	t := c.proc.enter()
	c.proc.node.w.Acts()
	if c.last == nil {
		c.first = t
	} else {
		c.last.nextWaits = t
	}
	c.last = t
	t.cond = c
	switch w := c.proc.node.w; {
	case d == 0:
		t.timer = w.scheduleBeforeAll(c.proc, kindTimeout, t, t.waitSeq)
	case d > 0:
		t.timer = c.proc.schedule(w.in(d), kindTimeout, t, t.waitSeq)
	}
	return t
}

// Signal wakes the task that has waited longest.
func (c *Cond) Signal() {
	c.proc.check()
	c.proc.node.w.Acts()
	if t := c.first; t != nil {
		c.wake(t)
	}
}

// Broadcast wakes all tasks that wait.
func (c *Cond) Broadcast() {
	c.proc.check()
	c.proc.node.w.Acts()
	for c.first != nil {
		c.wake(c.first)
	}
}

func (c *Cond) wake(t *Task) {
	c.remove(t)
	t.timer.Cancel()
	t.timer = Timer{}
	t.woken = true
	c.proc.schedule(c.proc.node.w.now, kindWake, t, t.waitSeq)
}

func (c *Cond) remove(t *Task) {
	t.cond = nil
	if c.first == t {
		c.first = t.nextWaits
		if c.first == nil {
			c.last = nil
		}
		t.nextWaits = nil
		return
	}
	for p := c.first; p != nil; p = p.nextWaits {
		if p.nextWaits == t {
			p.nextWaits = t.nextWaits
			if c.last == t {
				c.last = p
			}
			t.nextWaits = nil
			return
		}
	}
}

var _ env.Cond = (*Cond)(nil)
var _ env.Task = (*Task)(nil)
