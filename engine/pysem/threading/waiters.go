package threading

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// waiters is a queue of tasks that each wait to be given a T.
type waiters[T any] struct {
	tasks env.Tasks
	name  string
	list  []*waiter[T]
	// free holds waiters that are no longer used, for the next tasks.
	free []*waiter[T]
}

type waiter[T any] struct {
	cond  env.Cond
	value T
	given bool
}

// give gives v to the task that has waited longest. It reports false, and does nothing, if no task
// waits.
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

// wait waits at the end of the queue. If the task is unwound after it was given something and
// before it could run, that goes to refuse.
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
