package monitor

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// waiters is a queue of tasks that wait to be given a T.
type waiters[T any] struct {
	tasks env.Tasks
	name  string
	list  []*waiter[T]
}

type waiter[T any] struct {
	cond  env.Cond
	value T
	given bool
}

// give hands v to the task that has waited longest; it reports false when
// nobody waits.
func (q *waiters[T]) give(v T) bool {
	if len(q.list) == 0 {
		return false
	}
	w := q.list[0]
	q.list[0] = nil
	q.list = q.list[1:]
	w.value, w.given = v, true
	w.cond.Signal()
	return true
}

// wait waits at the end of the queue. When the task is unwound after it was
// given something and before it could run, refuse gets it back.
func (q *waiters[T]) wait(limit time.Duration, refuse func(T)) (v T, ok bool) {
	w := &waiter[T]{cond: q.tasks.NewCond(q.name)}
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
	return w.value, w.given
}

func (q *waiters[T]) leave(w *waiter[T]) {
	for i, other := range q.list {
		if other == w {
			q.list = append(q.list[:i], q.list[i+1:]...)
			return
		}
	}
}
