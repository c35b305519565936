package monitor

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Queue is an unbounded queue, first in first out, as Python's queue.Queue.
type Queue[T any] struct {
	items []T
	queue waiters[T]
}

// NewQueue makes an empty queue; name is the one in reports.
func NewQueue[T any](tasks env.Tasks, name string) *Queue[T] {
	return &Queue[T]{queue: waiters[T]{tasks: tasks, name: name}}
}

// Put adds v at the end, or gives it to the task that has waited longest.
func (q *Queue[T]) Put(v T) {
	if !q.queue.give(v) {
		q.items = append(q.items, v)
	}
}

// Get takes the first item and waits for one when there is none; false means
// that none came in time.
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

// Len is the number of items that no task has been given yet.
func (q *Queue[T]) Len() int { return len(q.items) }
