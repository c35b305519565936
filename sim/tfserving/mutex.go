package tfserving

// mutex is a lock between the server's threads, which are chains of callbacks.
// Waiters get it in the order in which they asked.
type mutex struct {
	agenda  *agenda
	held    bool
	waiters []func()
}

// lock runs fn with the lock held; fn or what it starts must call unlock.
func (m *mutex) lock(fn func()) {
	if m.held {
		m.waiters = append(m.waiters, fn)
		return
	}
	m.held = true
	fn()
}

// unlock hands the lock to the next waiter, which runs later at this instant.
func (m *mutex) unlock() {
	if len(m.waiters) == 0 {
		m.held = false
		return
	}
	next := m.waiters[0]
	m.waiters = m.waiters[1:]
	m.agenda.soon(next)
}
