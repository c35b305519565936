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
	// NewLoop makes the loop of the current task, which polls: it sleeps, looks and asks,
	// and sleeps again. Its first turn begins now. state is a number that differs whenever
	// that part of what a turn depends on differs which is the program's own: flags, and
	// counts of changes. It has no side effect. It changes by what tasks of the process do, or
	// together with a Broadcast or Signal of one of the causes.
	//
	// Virtual time leaves turns out that would only ask what the last one asked and get the
	// same answers.
	NewLoop(period time.Duration, state func() uint64, causes ...Cond) Loop
	// NewCond makes a condition; name says what is waited for in reports.
	NewCond(name string) Cond
}

// Loop is a loop of one task; see Tasks.NewLoop.
type Loop interface {
	// Turn ends a turn and waits for the period, as Sleep does: the next turn begins when
	// it returns.
	Turn()
}

// RunLoop is Turn and turn, again and again until turn returns false, as the last thing
// that a task does: the task's function is to return right after it. In virtual time such
// a task has no stack between its turns.
func RunLoop(l Loop, turn func() bool) {
	if r, ok := l.(interface{ Run(turn func() bool) }); ok {
		r.Run(turn)
		return
	}
	for l.Turn(); turn(); l.Turn() {
	}
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

// NewBeat makes a beat of waits of more than 0. usual reports whether a wait, by its number,
// ends as usual. It has no effect, does not wait nor call env, and depends on nothing that a
// task of the process changes while another one is in Run. In virtual time the ends of waits
// are left out as long as Changes is not called.
func NewBeat(t Tasks, name string, waits []time.Duration, usual func(part int) bool) Beat {
	if m, ok := t.(interface {
		NewBeat(name string, waits []time.Duration, usual func(part int) bool) Beat
	}); ok {
		return m.NewBeat(name, waits, usual)
	}
	return &plainBeat{tasks: t, waits: waits, usual: usual, ended: make([]int64, len(waits))}
}

// plainBeat looks at each end.
type plainBeat struct {
	tasks Tasks
	waits []time.Duration
	usual func(part int) bool
	ended []int64
}

func (b *plainBeat) Run(part int) int {
	for {
		b.tasks.Sleep(b.waits[part])
		if !b.usual(part) {
			return part
		}
		b.ended[part]++
		part = (part + 1) % len(b.waits)
	}
}

func (b *plainBeat) Changes() {}

func (b *plainBeat) Count(part int) int64 { return b.ended[part] }

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
