package monitor

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Future is a value that comes later, once.
type Future[T any] struct {
	cond  env.Cond
	value T
	set   bool
}

// NewFuture makes a future without a value; name says in reports what is waited
// for.
func NewFuture[T any](tasks env.Tasks, name string) *Future[T] {
	return &Future[T]{cond: tasks.NewCond(name)}
}

// Set gives the value and wakes all that wait. Only the first Set counts; the
// result says whether this was it.
func (f *Future[T]) Set(v T) bool {
	if f.set {
		return false
	}
	f.value, f.set = v, true
	f.cond.Broadcast()
	return true
}

// Done says whether the value has come.
func (f *Future[T]) Done() bool { return f.set }

// Wait waits for the value; false means that it did not come in time.
func (f *Future[T]) Wait(limit time.Duration) (T, bool) {
	if !f.set && limit != 0 {
		f.cond.WaitFor(limit)
	}
	return f.value, f.set
}

// Cond is broadcast by Set; it is a cause for env.Tasks.Every.
func (f *Future[T]) Cond() env.Cond { return f.cond }
