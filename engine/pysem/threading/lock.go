package threading

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Lock is a lock that one task at a time can hold, even while that task waits for something else.
// Like Python's threading.Lock it does not know its holder. So any task may unlock it, and a task
// that locks it twice waits for ever.
type Lock struct {
	held  bool
	queue waiters[struct{}]
	loops env.Loops // told of each use of the lock; nil if nobody has to be told
}

// NewLock makes a lock that nobody holds.
func NewLock(tasks env.Tasks, name string) *Lock {
	loops, _ := tasks.(env.Loops)
	return &Lock{queue: waiters[struct{}]{tasks: tasks, name: name}, loops: loops}
}

// Lock takes the lock. It first waits until all tasks that asked before have had it.
func (l *Lock) Lock() { l.TryLock(-1) }

// TryLock takes the lock as Lock does, but waits for limit at most. It reports whether it took the
// lock.
func (l *Lock) TryLock(limit time.Duration) bool {
	if !l.held {
		l.held = true
		l.used(env.LockTaken)
		return true
	}
	l.used(env.LockSeen)
	if limit == 0 {
		return false
	}
	_, ok := l.queue.wait(limit, func(struct{}) { l.pass() })
	return ok
}

// Unlock gives the lock to the task that has waited longest. If no task waits, the lock becomes
// free. It panics if no task holds the lock.
func (l *Lock) Unlock() {
	if !l.held {
		panic(fmt.Sprintf("threading: unlock of %q, which nobody holds", l.queue.name))
	}
	l.used(env.LockFreed)
	l.pass()
}

func (l *Lock) used(use env.LockUse) {
	if l.loops != nil {
		l.loops.LockUsed(l, use)
	}
}

func (l *Lock) pass() { l.held = l.queue.give(struct{}{}) }

// Locked reports whether some task holds the lock.
func (l *Lock) Locked() bool {
	l.used(env.LockSeen)
	return l.held
}

// RLock is a lock that its owner may lock again, as Python's threading.RLock. The owner is the task
// that holds it. The lock becomes free when the owner has unlocked it as often as it has locked it.
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

// Lock waits until the caller owns the lock. Call Unlock once for each Lock.
func (l *RLock) Lock() { l.TryLock(-1) }

// TryLock locks as Lock does, but waits for limit at most. It reports whether the caller owns the
// lock.
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
func (l *RLock) Locked() bool { return l.lock.Locked() }

// Awaited reports whether other tasks wait for the lock. An owner with much to do can then unlock
// it for a moment.
func (l *RLock) Awaited() bool { return len(l.lock.queue.list) > 0 }

// Unlock undoes one Lock of the caller. The last Unlock gives the lock to the task that has waited
// longest. It panics if the caller is not the owner.
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
