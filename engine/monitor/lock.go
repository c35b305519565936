package monitor

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Lock is held by at most one task, across waits too. It does not know by which
// one: any task may unlock it, and a task that locks it twice waits for ever, as
// with Python's threading.Lock.
type Lock struct {
	held  bool
	queue waiters[struct{}]
}

// NewLock makes a lock that nobody holds; name is the one in reports.
func NewLock(tasks env.Tasks, name string) *Lock {
	return &Lock{queue: waiters[struct{}]{tasks: tasks, name: name}}
}

// Lock takes the lock, after all that have asked before.
func (l *Lock) Lock() { l.TryLock(-1) }

// TryLock is Lock with a limit; it reports whether it took the lock.
func (l *Lock) TryLock(limit time.Duration) bool {
	if !l.held {
		l.held = true
		return true
	}
	if limit == 0 {
		return false
	}
	_, ok := l.queue.wait(limit, func(struct{}) { l.pass() })
	return ok
}

// Unlock gives the lock to the task that has waited longest. Unlocking a lock
// that nobody holds panics.
func (l *Lock) Unlock() {
	if !l.held {
		panic(fmt.Sprintf("monitor: unlock of %q, which nobody holds", l.queue.name))
	}
	l.pass()
}

func (l *Lock) pass() { l.held = l.queue.give(struct{}{}) }

// Locked says whether a task holds the lock.
func (l *Lock) Locked() bool { return l.held }

// RLock is a lock that its owner may take again, as Python's threading.RLock.
type RLock struct {
	tasks env.Tasks
	owner env.Task
	depth int
	lock  *Lock
}

// NewRLock makes a lock that nobody holds; name is the one in reports.
func NewRLock(tasks env.Tasks, name string) *RLock {
	return &RLock{tasks: tasks, lock: NewLock(tasks, name)}
}

// Lock takes the lock, or takes it once more when the caller is its owner.
func (l *RLock) Lock() { l.TryLock(-1) }

// TryLock is Lock with a limit; it reports whether it took the lock.
func (l *RLock) TryLock(limit time.Duration) bool {
	self := l.tasks.Self()
	if l.owner != self {
		if !l.lock.TryLock(limit) {
			return false
		}
		l.owner = self
	}
	l.depth++
	return true
}

// Awaited says whether other tasks wait for the lock.
func (l *RLock) Awaited() bool { return len(l.lock.queue.list) > 0 }

// Unlock takes back one Lock of the caller; the last one frees the lock. It
// panics when the caller is not the owner.
func (l *RLock) Unlock() {
	if self := l.tasks.Self(); l.owner != self {
		panic(fmt.Sprintf("monitor: task %q unlocks %q, of which it is not the owner", self.Name(), l.lock.queue.name))
	}
	l.depth--
	if l.depth == 0 {
		l.owner = nil
		l.lock.Unlock()
	}
}
