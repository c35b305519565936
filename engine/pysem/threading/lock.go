package threading

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Lock is held by at most one task at a time, also while that task waits for something
// else. It does not know which one: any task may unlock it, and a task that locks it
// twice waits for ever, as with Python's threading.Lock.
type Lock struct {
	held  bool
	queue waiters[struct{}]
}

// NewLock makes a lock that nobody holds.
func NewLock(tasks env.Tasks, name string) *Lock {
	return &Lock{queue: waiters[struct{}]{tasks: tasks, name: name}}
}

// Lock waits until the lock is free and all that have asked before have had it, and
// takes it.
func (l *Lock) Lock() { l.TryLock(-1) }

// TryLock returns Lock for limit at most; it reports whether it took the lock.
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

// Unlock gives the lock to the task that has waited longest, or frees it. It panics
// when nobody holds the lock.
func (l *Lock) Unlock() {
	if !l.held {
		panic(fmt.Sprintf("threading: unlock of %q, which nobody holds", l.queue.name))
	}
	l.pass()
}

func (l *Lock) pass() { l.held = l.queue.give(struct{}{}) }

// Locked reports whether some task holds the lock.
func (l *Lock) Locked() bool { return l.held }

// RLock is a lock that the task which holds it, its owner, may take again, as Python's
// threading.RLock. It is free once the owner has unlocked it as often as it has locked
// it.
type RLock struct {
	tasks env.Tasks
	owner env.Task
	depth int
	lock  *Lock
}

// NewRLock makes a lock without an owner.
func NewRLock(tasks env.Tasks, name string) *RLock {
	return &RLock{tasks: tasks, lock: NewLock(tasks, name)}
}

// Lock waits until the caller owns the lock, and counts one more Unlock that it owes.
func (l *RLock) Lock() { l.TryLock(-1) }

// TryLock returns Lock for limit at most; it reports whether the caller owns the lock.
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

// Locked reports whether some task owns the lock.
func (l *RLock) Locked() bool { return l.lock.held }

// Awaited reports whether tasks wait for the lock, so that an owner with much to do
// can let them in.
func (l *RLock) Awaited() bool { return len(l.lock.queue.list) > 0 }

// Unlock takes back one Lock of the caller; the last one gives the lock to the task
// that has waited longest. It panics when the caller is not the owner.
func (l *RLock) Unlock() {
	if self := l.tasks.Self(); l.owner != self {
		panic(fmt.Sprintf("threading: task %q unlocks %q, of which it is not the owner", self.Name(), l.lock.queue.name))
	}
	l.depth--
	if l.depth == 0 {
		l.owner = nil
		l.lock.Unlock()
	}
}
