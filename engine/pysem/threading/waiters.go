package threading

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// waiters is a queue of tasks. Each of them waits until it is given a value of type T.
type waiters[T any] struct {
	tasks env.Tasks
	name  string
	list  []*waiter[T]
	// free holds waiters for reuse, which saves allocations.
	free []*waiter[T]
}

type waiter[T any] struct {
	cond  env.Cond
	value T
	given bool
}

// give gives v to the task that has waited longest. If no task waits, it does nothing and returns
// false.
func (q *waiters[T]) give(v T) bool {
	if len(q.list) == 0 {
		return false
	}
	w := q.list[0]
	q.list = slices.Delete(q.list, 0, 1)
	w.value, w.given = v, true
	w.cond.Signal()
	return true
}

// wait waits at the end of the queue, for limit at most. A task can be unwound after it was given a
// value but before it could run. Then the value is passed to refuse.
func (q *waiters[T]) wait(limit time.Duration, refuse func(T)) (v T, ok bool) {
	w := q.waiter()
	q.list = append(q.list, w)
	returned := false
	defer func() {
		if returned {
			return
		}
		q.leave(w)
		if w.given {
			refuse(w.value)
		}
	}()
	w.cond.WaitFor(limit)
	returned = true
	if !w.given {
		q.leave(w)
	}
	v, ok = w.value, w.given
	*w = waiter[T]{cond: w.cond}
	q.free = append(q.free, w)
	return v, ok
}

func (q *waiters[T]) waiter() *waiter[T] {
	if last := len(q.free) - 1; last >= 0 {
		w := q.free[last]
		q.free = q.free[:last]
		return w
	}
	return &waiter[T]{cond: q.tasks.NewCond(q.name)}
}

func (q *waiters[T]) leave(w *waiter[T]) {
	for i, other := range q.list {
		if other == w {
			q.list = append(q.list[:i], q.list[i+1:]...)
			return
		}
	}
}
