package timerqueue

// Executor runs load or unload jobs on a pool of threads. If Threads is 0, it runs them on the
// manager's thread (TFS-2.1).
type Executor struct {
	timers  *Queue
	Threads int
	active  int
	queue   []func(done func())
	joiner  func() // joiner is called when no job is left; nil for none
}

// NewExecutor makes a pool with the given number of threads. With 0 threads the caller's thread
// executes the jobs.
func NewExecutor(q *Queue, threads int) *Executor { return &Executor{timers: q, Threads: threads} }

// Schedule starts a job, which calls done at its end. Schedule calls accepted when the caller may
// continue: at once with a pool, and at the end of the job without a pool.
func (e *Executor) Schedule(job func(done func()), accepted func()) {
	if e.Threads == 0 {
		job(accepted)
		return
	}
	e.queue = append(e.queue, job)
	e.fill()
	accepted()
}

// fill starts queued jobs on idle threads. The jobs begin at this instant, but after the caller's
// callback.
func (e *Executor) fill() {
	for e.active < e.Threads && len(e.queue) > 0 {
		job := e.queue[0]
		e.queue = e.queue[1:]
		e.active++
		e.timers.Soon(func() { job(e.finished) })
	}
}

func (e *Executor) finished() {
	e.active--
	e.fill()
	if e.joiner != nil && e.active == 0 {
		joined := e.joiner
		e.joiner = nil
		e.timers.Soon(joined)
	}
}

// Join calls fn when all jobs have ended. In upstream the pool's destructor waits for the same
// moment.
func (e *Executor) Join(fn func()) {
	if e.active == 0 {
		fn()
		return
	}
	e.joiner = fn
}
