package monitor

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Event is a flag that tasks wait for, as Python's threading.Event.
type Event struct {
	cond env.Cond
	set  bool
}

// NewEvent makes an event that is not set; name says in reports what is waited
// for.
func NewEvent(tasks env.Tasks, name string) *Event {
	return &Event{cond: tasks.NewCond(name)}
}

// Set raises the flag and wakes all that wait.
func (e *Event) Set() {
	e.set = true
	e.cond.Broadcast()
}

// Clear lowers the flag. Tasks that a Set before it has woken stay awake.
func (e *Event) Clear() { e.set = false }

// IsSet says whether the flag is up.
func (e *Event) IsSet() bool { return e.set }

// Wait waits until the flag is up and reports whether it was in time. As in
// Python a task that was woken by a Set gets true even when a Clear came before
// it could run.
func (e *Event) Wait(limit time.Duration) bool {
	if e.set || limit == 0 {
		return e.set
	}
	return e.cond.WaitFor(limit)
}

// Cond is broadcast by every Set; it is a cause for env.Tasks.Every.
func (e *Event) Cond() env.Cond { return e.cond }
