package threading

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Future is a value that is set once, by any task. Any number of tasks may wait for it.
type Future[T any] struct {
	cond  env.Cond
	value T
	set   bool
}

// NewFuture makes a future without a value. name says what tasks wait for.
func NewFuture[T any](tasks env.Tasks, name string) *Future[T] {
	return &Future[T]{cond: tasks.NewCond(name)}
}

// Set sets the value and wakes all tasks that wait for it. It returns false if there was a value
// already, which stays.
func (f *Future[T]) Set(v T) bool {
	if f.set {
		return false
	}
	f.value, f.set = v, true
	f.cond.Broadcast()
	return true
}

// Done reports whether the value is set.
func (f *Future[T]) Done() bool { return f.set }

// Wait waits for the value, for limit at most. It returns the zero value and false if the value was
// not set in time.
func (f *Future[T]) Wait(limit time.Duration) (T, bool) {
	if !f.set && limit != 0 {
		f.cond.WaitFor(limit)
	}
	return f.value, f.set
}
