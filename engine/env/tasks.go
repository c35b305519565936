package env

import "time"

// Tasks gives access to the threads of one process. Call its methods only from a task of that
// process.
type Tasks interface {
	// Go starts a task that runs fn. The task runs when the caller next waits. In virtual time it
	// runs before everything else that happens at that moment.
	Go(name string, fn func()) Task
	// Self returns the calling task. Compare tasks with ==.
	Self() Task
	// Sleep waits for d. If d is 0 or less, it only lets the tasks run that are ready now.
	Sleep(d time.Duration)
	// NewCond makes a condition. Reports use the name to say what a task waits for.
	NewCond(name string) Cond
}

// Loops is an optional interface of a Tasks. Such a Tasks can skip the turns of a loop, or the
// waits of a beat, that change nothing. Call threading.NewLoop and threading.NewBeat, which also
// work without it.
type Loops interface {
	// NewLoop makes a polling loop for the current task, with the given interval.
	NewLoop(period time.Duration) Loop
	// NewBeat makes a beat.
	NewBeat(name string, waits []time.Duration, usual func(part int) bool) Beat
	// LockUsed records what the current task does with a lock. If one loop holds a lock while it
	// waits, no turn of another loop that uses the lock may be skipped.
	LockUsed(lock any, use LockUse)
}

// LockUse is what a task does with a lock.
type LockUse uint8

// LockSeen, LockTaken and LockFreed are the uses of a lock.
const (
	LockSeen LockUse = iota // the task asks whether anyone holds the lock
	LockTaken
	LockFreed
)

// Loop is a polling loop of one task: in each turn the task sleeps, looks at something and acts.
type Loop interface {
	// Turn ends a turn and waits for the interval, as Sleep does. The next turn begins when it
	// returns.
	Turn()
	// Run repeats Turn and a call of turn, until turn returns false. It must be the last call in
	// the task's function. In virtual time such a task needs no stack between its turns.
	Run(turn func() bool)
}

// Beat is a cycle of waits that nearly always end as usual, so that they only have to be counted.
// It is for loops such as training steps: millions of steps can pass before anything but their
// number matters.
type Beat interface {
	// Run makes the current task wait, beginning with the wait that has the number part, until a
	// wait does not end as usual. It returns the number of that wait. The task itself then does
	// what has to be done after that wait.
	Run(part int) (ended int)
	// Changes must be called right before something outside of the task changes, if that can decide
	// whether a wait ends as usual. Calling it at any other time does no harm.
	Changes()
	// Count returns how often the wait with the number part has ended as usual so far, over all
	// calls of Run.
	Count(part int) int64
}

// Task is one running thread.
type Task interface {
	// Name returns the name that was passed to Go.
	Name() string
	// Done reports whether the task's function has returned or was unwound.
	Done() bool
	// Join waits until Done reports true.
	Join()
}

// Cond is the only primitive to wait on. engine/pysem/threading builds events, locks and queues
// from it. Waiters are woken in the order in which they began to wait. A woken task runs later, so
// it must check its condition again.
type Cond interface {
	// Wait waits until a Signal or Broadcast wakes the current task.
	Wait()
	// WaitFor waits as Wait does, for d at most. It reports whether it was woken in time. A
	// negative d means no limit.
	WaitFor(d time.Duration) bool
	// Signal wakes the task that has waited longest. It does nothing if no task waits.
	Signal()
	// Broadcast wakes all tasks that wait.
	Broadcast()
}
