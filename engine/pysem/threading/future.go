package threading

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Future is a value that comes once, later. Any task may give it, and any number of
// tasks may wait for it.
type Future[T any] struct {
	cond  env.Cond
	value T
	set   bool
}

// NewFuture makes a future without a value.
func NewFuture[T any](tasks env.Tasks, name string) *Future[T] {
	return &Future[T]{cond: tasks.NewCond(name)}
}

// Set gives the value, wakes all that wait, and reports whether it was the first to do
// so: later values are dropped.
func (f *Future[T]) Set(v T) bool {
	if f.set {
		return false
	}
	f.value, f.set = v, true
	f.cond.Broadcast()
	return true
}

// Done reports whether the value has come.
func (f *Future[T]) Done() bool { return f.set }

// Wait waits for the value, for limit at most. The second result reports whether it
// has come; without it the first is the zero value.
func (f *Future[T]) Wait(limit time.Duration) (T, bool) {
	if !f.set && limit != 0 {
		f.cond.WaitFor(limit)
	}
	return f.value, f.set
}
