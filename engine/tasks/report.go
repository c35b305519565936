package tasks

import (
	"fmt"
	"time"
)

// BlockedTask is a task that waits.
type BlockedTask struct {
	Node, Process, Task string
	// WaitsFor names the condition or call.
	WaitsFor string
	// Since is when the wait began, counted from the start of the world.
	Since time.Duration
}

func (b BlockedTask) String() string {
	return fmt.Sprintf("%s: task %q of %s has waited for %s since t+%.3fs", b.Node, b.Task, b.Process, b.WaitsFor, b.Since.Seconds())
}

// PanicError is a panic of a task, or in virtual time of an event's handler. It ends
// the world in which it happened.
type PanicError struct {
	// At is when it happened, counted from the start of the world.
	At time.Duration
	// Node and Task are empty when a handler panicked that belongs to no task.
	Node string
	Task string
	// Value is what the panic was called with.
	Value any
	// Stack is that of the panic, not of its recovery.
	Stack []byte
	// Seed is that of the world.
	Seed uint64
	// Replay is the command that repeats the run, "" when nobody said one.
	Replay string
}

func (e *PanicError) Error() string {
	where := "an event handler"
	if e.Task != "" {
		where = fmt.Sprintf("task %q of node %q", e.Task, e.Node)
	}
	s := fmt.Sprintf("t+%.3fs: %s panicked: %v (seed %d)", e.At.Seconds(), where, e.Value, e.Seed)
	if e.Replay != "" {
		s += "\nreplay: " + e.Replay
	}
	return s + "\n" + string(e.Stack)
}

// Unwrap returns the panic's value when it is an error, and nil otherwise.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
