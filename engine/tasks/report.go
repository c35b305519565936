package tasks

import (
	"fmt"
	"time"
)

// BlockedTask describes a waiting task.
type BlockedTask struct {
	Node, Process, Task string
	// WaitsFor names the condition or call for which the task waits.
	WaitsFor string
	// Since is the start of the wait, measured from the start of the world.
	Since time.Duration
}

func (b BlockedTask) String() string {
	return fmt.Sprintf("%s: task %q of %s has waited for %s since t+%.3fs", b.Node, b.Task, b.Process, b.WaitsFor, b.Since.Seconds())
}

// PanicError is a panic of a task or, in virtual time, of an event handler. It ends the world in
// which it happened.
type PanicError struct {
	// At is the time of the panic, measured from the start of the world.
	At time.Duration
	// Node and Task are empty if the panic came from a handler that belongs to no task.
	Node string
	Task string
	// Value is the argument of the panic call.
	Value any
	// Stack is the stack at the panic, not at its recovery.
	Stack []byte
	// Seed is the world's seed.
	Seed uint64
	// Replay is the command that repeats the run, or "" if none was given.
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

// Unwrap returns the panic's value if it is an error, otherwise nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
