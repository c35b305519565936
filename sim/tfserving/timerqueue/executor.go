package timerqueue

// Executor runs loads or unloads: on the manager's thread, or on a pool of threads when it has any
// (TFS-2.1).
type Executor struct {
	timers  *Queue
	Threads int
	active  int
	queue   []func(done func())
	joiner  func() // called when the pool is empty
}

// NewExecutor makes a pool of that many threads. With 0 the caller's thread does the jobs.
func NewExecutor(q *Queue, threads int) *Executor { return &Executor{timers: q, Threads: threads} }

// Schedule hands over a job, which calls done at its end. accepted runs when the caller may continue:
// at the end of the job when it runs inline, at once when a pool takes it.
func (e *Executor) Schedule(job func(done func()), accepted func()) {
	if e.Threads == 0 {
		job(accepted)
		return
	}
	e.queue = append(e.queue, job)
	e.fill()
	accepted()
}

// fill gives jobs to idle threads. The jobs begin at this instant, after the caller.
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

// Join calls fn once all jobs are done, when the destructor of a pool would return.
func (e *Executor) Join(fn func()) {
	if e.active == 0 {
		fn()
		return
	}
	e.joiner = fn
}
