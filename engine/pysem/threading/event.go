package threading

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Event is a flag that tasks can wait for, as Python's threading.Event. Any task may set it, clear
// it and wait for it, any number of times.
type Event struct {
	cond env.Cond
	set  bool
}

// NewEvent makes an event that is not set. name says what tasks wait for.
func NewEvent(tasks env.Tasks, name string) *Event {
	return &Event{cond: tasks.NewCond(name)}
}

// Set sets the flag, and wakes all tasks that wait for it.
func (e *Event) Set() {
	e.set = true
	e.cond.Broadcast()
}

// Clear clears the flag. Tasks that an earlier Set has woken stay awake.
func (e *Event) Clear() { e.set = false }

// IsSet reports whether the flag is set.
func (e *Event) IsSet() bool { return e.set }

// Wait waits until the flag is set, for limit at most, and reports whether it was set. As in
// Python, a task that Set has woken gets true even if Clear was called before the task could run.
func (e *Event) Wait(limit time.Duration) bool {
	if e.set || limit == 0 {
		return e.set
	}
	return e.cond.WaitFor(limit)
}

// WaitLast waits as Wait does, without a limit. The task's function must return right after it. In
// virtual time such a task needs no stack while it waits.
func (e *Event) WaitLast() {
	if e.set {
		return
	}
	if c, ok := e.cond.(interface{ Rest(next func()) }); ok {
		c.Rest(func() {})
		return
	}
	e.cond.Wait()
}
