package threading

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Event is a flag that tasks wait for, as Python's threading.Event. Any task may set,
// clear and await it, as often as it likes.
type Event struct {
	cond env.Cond
	set  bool
}

// NewEvent makes an event whose flag is down.
func NewEvent(tasks env.Tasks, name string) *Event {
	return &Event{cond: tasks.NewCond(name)}
}

// Set raises the flag and wakes all that wait.
func (e *Event) Set() {
	e.set = true
	e.cond.Broadcast()
}

// Clear lowers the flag. Tasks that an earlier Set has woken stay awake.
func (e *Event) Clear() { e.set = false }

// IsSet reports whether the flag is up.
func (e *Event) IsSet() bool { return e.set }

// Wait waits until the flag is up, for limit at most, and reports whether it was
// raised in time. A task that a Set has woken gets true even when a Clear came before
// it could run, as in Python.
func (e *Event) Wait(limit time.Duration) bool {
	if e.set || limit == 0 {
		return e.set
	}
	return e.cond.WaitFor(limit)
}

// WaitLast is Wait without a limit, as the last thing that a task does: the task's function
// is to return right after it. In virtual time such a task has no stack while it waits.
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

// Cond returns broadcast by every Set: a cause of an env.Loop.
func (e *Event) Cond() env.Cond { return e.cond }
