package walltime

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Cond is the env.Cond of the wall clock. It holds the waiting tasks in a queue, which the
// process's mu guards.
type Cond struct {
	proc  *Process
	name  string
	queue []*Task
}

// Wait waits until a Signal or Broadcast reaches the current task.
func (c *Cond) Wait() { c.WaitFor(-1) }

// WaitFor waits as Wait does, but at most for d. A negative d means no limit.
func (c *Cond) WaitFor(d time.Duration) bool {
	p := c.proc
	t := p.enter("a wait for " + c.name)
	c.add(t)
	if d >= 0 {
		p.setDeadline(t, d)
	}
	p.wait(t, c.name)
	return t.woken
}

// Signal wakes the task that has waited longest.
func (c *Cond) Signal() {
	c.proc.Check()
	c.proc.mu.Lock()
	defer c.proc.mu.Unlock()
	if len(c.queue) > 0 {
		c.wake()
	}
}

// Broadcast wakes all tasks that wait.
func (c *Cond) Broadcast() {
	c.proc.Check()
	c.proc.mu.Lock()
	defer c.proc.mu.Unlock()
	c.wakeAll()
}

func (c *Cond) wakeAll() {
	for len(c.queue) > 0 {
		c.wake()
	}
}

// wake wakes the first task in the queue.
func (c *Cond) wake() {
	t := c.queue[0]
	t.woken = true
	t.stopWaiting()
}

func (c *Cond) add(t *Task) {
	c.queue = append(c.queue, t)
	t.cond = c
}

func (c *Cond) remove(t *Task) {
	t.cond = nil
	if i := slices.Index(c.queue, t); i >= 0 {
		c.queue = slices.Delete(c.queue, i, i+1)
	}
}

var _ env.Cond = (*Cond)(nil)
