package threading

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Queue is a first-in-first-out queue without a limit, as Python's queue.Queue.
type Queue[T any] struct {
	items []T
	queue waiters[T]
}

// NewQueue makes an empty queue.
func NewQueue[T any](tasks env.Tasks, name string) *Queue[T] {
	return &Queue[T]{queue: waiters[T]{tasks: tasks, name: name}}
}

// Put gives v to the task that has waited longest in Get, or else adds it at the end. It never
// waits.
func (q *Queue[T]) Put(v T) {
	if !q.queue.give(v) {
		q.items = append(q.items, v)
	}
}

// Get removes and returns the first item. If the queue is empty, it waits for an item, for limit at
// most. It returns false if none came in time.
func (q *Queue[T]) Get(limit time.Duration) (T, bool) {
	if len(q.items) > 0 {
		var none T
		v := q.items[0]
		q.items[0] = none
		q.items = q.items[1:]
		return v, true
	}
	if limit == 0 {
		var none T
		return none, false
	}
	return q.queue.wait(limit, q.putBack)
}

func (q *Queue[T]) putBack(v T) {
	if !q.queue.give(v) {
		q.items = append([]T{v}, q.items...)
	}
}

// Len returns the number of items in the queue. An item that was already given to a waiting task
// does not count.
func (q *Queue[T]) Len() int { return len(q.items) }
