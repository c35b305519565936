package timerqueue

// Mutex is a lock between the server's threads, which are chains of callbacks. Waiters get it in the
// order in which they asked.
type Mutex struct {
	Timers  *Queue
	Held    bool
	waiters []func()
}

// Lock runs fn with the lock held, now or once earlier waiters are done. fn, or something that it
// starts, must call Unlock.
func (m *Mutex) Lock(fn func()) {
	if m.Held {
		m.waiters = append(m.waiters, fn)
		return
	}
	m.Held = true
	fn()
}

// Unlock passes the lock to the next waiter, which runs later at this instant.
func (m *Mutex) Unlock() {
	if len(m.waiters) == 0 {
		m.Held = false
		return
	}
	next := m.waiters[0]
	m.waiters = m.waiters[1:]
	m.Timers.Soon(next)
}
