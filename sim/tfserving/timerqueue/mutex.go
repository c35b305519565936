package timerqueue

// Mutex is a lock between the server's simulated threads, which are chains of callbacks. Waiters
// get the lock in the order in which they asked for it.
type Mutex struct {
	Timers  *Queue
	Held    bool
	waiters []func()
}

// Lock calls fn when the lock is acquired, which is now or after earlier waiters. fn, or a callback
// that it schedules, must call Unlock.
func (m *Mutex) Lock(fn func()) {
	if m.Held {
		m.waiters = append(m.waiters, fn)
		return
	}
	m.Held = true
	fn()
}

// Unlock passes the lock to the next waiter, whose function runs later at this instant.
func (m *Mutex) Unlock() {
	if len(m.waiters) == 0 {
		m.Held = false
		return
	}
	next := m.waiters[0]
	m.waiters = m.waiters[1:]
	m.Timers.Soon(next)
}
