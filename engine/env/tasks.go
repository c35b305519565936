package env

import "time"

// Tasks are the threads of one process. Every method must be called from a
// task of that process.
type Tasks interface {
	// Go starts a task that runs fn. It becomes runnable at once and runs when
	// the caller next waits; in virtual time before all else that happens then.
	Go(name string, fn func()) Task
	// Self is the task that calls. Tasks are compared with ==.
	Self() Task
	// Sleep waits for d; a d of 0 or less lets the tasks run that are ready now.
	Sleep(d time.Duration)
	// Every waits as the loop `for { Sleep(period); if done() { return } }`
	// does: it returns at the first whole multiple of period from now at which
	// done is true. The caller promises that done has no side effect and
	// changes only together with a Broadcast or Signal of one of the causes;
	// virtual time then skips the idle turns.
	Every(period time.Duration, done func() bool, causes ...Cond)
	// NewCond makes a condition; name says what is waited for in reports.
	NewCond(name string) Cond
}

// Task is one running thread.
type Task interface {
	// Name is the one that Go was given.
	Name() string
	// Done reports whether fn has returned or was unwound.
	Done() bool
	// Join waits until Done reports true.
	Join()
}

// Cond is the one primitive to wait on; engine/threading builds events, locks and
// queues from it. Waiters are woken in the order in which they began to wait. A
// woken waiter runs later, so it checks again what it waited for.
type Cond interface {
	// Wait waits until a Signal or Broadcast wakes the current task.
	Wait()
	// WaitFor is Wait with a limit; it reports whether it was woken in time. A
	// negative limit means none.
	WaitFor(d time.Duration) bool
	// Signal wakes the task that has waited longest, if any.
	Signal()
	// Broadcast wakes all tasks that wait.
	Broadcast()
}
