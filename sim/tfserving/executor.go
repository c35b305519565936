package tfserving

// executor runs loads or unloads: inline on the manager's thread, or on a pool
// of threads when it has any (TFS-2.1).
type executor struct {
	agenda  *agenda
	threads int
	active  int
	queue   []func(done func())
	joiner  func() // waits until the pool is empty
}

func newExecutor(a *agenda, threads int) *executor { return &executor{agenda: a, threads: threads} }

// schedule hands the job over; accepted runs when the caller may go on, that is,
// at the end of the job when it runs inline.
func (e *executor) schedule(job func(done func()), accepted func()) {
	if e.threads == 0 {
		job(accepted)
		return
	}
	e.queue = append(e.queue, job)
	e.fill()
	accepted()
}

// fill has idle threads take jobs; they begin at this instant, after the caller.
func (e *executor) fill() {
	for e.active < e.threads && len(e.queue) > 0 {
		job := e.queue[0]
		e.queue = e.queue[1:]
		e.active++
		e.agenda.soon(func() { job(e.finished) })
	}
}

func (e *executor) finished() {
	e.active--
	e.fill()
	if e.joiner != nil && e.active == 0 {
		joined := e.joiner
		e.joiner = nil
		e.agenda.soon(joined)
	}
}

// join runs fn once all jobs are done, as the destructor of a pool returns.
func (e *executor) join(fn func()) {
	if e.active == 0 {
		fn()
		return
	}
	e.joiner = fn
}

// setLoadThreads replaces the load executor and runs done when the old one has
// finished its jobs (core/basic_manager.cc:608-637). Unless both have two or
// more threads, the manager cannot hand over a load meanwhile.
func (m *manager) setLoadThreads(threads int, done func()) {
	old := m.loads
	if old.threads >= 2 && threads >= 2 {
		m.loads = newExecutor(m.server.agenda, threads)
		old.join(done)
		return
	}
	m.executorMu.lock(func() {
		m.loads.join(func() {
			m.loads = newExecutor(m.server.agenda, threads)
			m.executorMu.unlock()
			done()
		})
	})
}

// perform hands the action to its executor; accepted runs when the manager's
// thread may go on.
func (m *manager) perform(a action, accepted func()) {
	if a.kind == unloadAction {
		m.unloads.schedule(func(done func()) { m.unload(a.harness, done) }, accepted)
		return
	}
	// An inline load holds the executor's lock until it ends.
	m.executorMu.lock(func() {
		m.loads.schedule(func(done func()) { m.load(a.harness, done) }, func() {
			m.executorMu.unlock()
			accepted()
		})
	})
}
