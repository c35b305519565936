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
	// NewCond makes a condition; name says what is waited for in reports.
	NewCond(name string) Cond
}

// Loops is what Tasks may also be: they know which turns of a loop need not be played, and
// which waits of a beat. Callers use threading.NewLoop and threading.NewBeat, which do without.
type Loops interface {
	// NewLoop makes the loop of the current task.
	NewLoop(period time.Duration) Loop
	// NewBeat makes a beat.
	NewBeat(name string, waits []time.Duration, usual func(part int) bool) Beat
	// LockUsed notes what the current task does with a lock. While one loop holds a lock and waits, no turn of
	// another loop that uses the lock may be skipped.
	LockUsed(lock any, use LockUse)
}

// LockUse is what a task does with a lock.
type LockUse uint8

// The uses of a lock.
const (
	LockSeen LockUse = iota // it looks whether somebody has it
	LockTaken
	LockFreed
)

// Loop is a loop of one task, which polls: it sleeps, looks and asks, and sleeps again.
type Loop interface {
	// Turn ends a turn and waits for the period, as Sleep does: the next turn begins when
	// it returns.
	Turn()
	// Run makes turn after turn, each a Turn and a call of turn, until turn returns false. It is the
	// last thing that a task does: the task's function is to return right after it. In virtual
	// time such a task has no stack between its turns.
	Run(turn func() bool)
}

// Beat is waits in a circle, each of which ends as usual nearly always: then there is
// nothing to do but to count it. It is for loops such as training steps, of which millions
// are made between two of which somebody sees more than how many there were.
type Beat interface {
	// Run has the current task wait, beginning with one of the waits, until one ends not as
	// usual, and returns which. The task then does by itself what there is to do at that end.
	Run(part int) (ended int)
	// Changes is called right before usual may answer otherwise than before by what another
	// process does, or nobody's. It may be called at any time.
	Changes()
	// Count is how often a wait has ended as usual up to now, in all runs.
	Count(part int) int64
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

// Cond is the one primitive to wait on; engine/pysem/threading builds events, locks and
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
