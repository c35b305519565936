package tfserving

import (
	"github.com/monosim/monosim/engine/env"
)

// load is one load request on the thread of its executor (TFS-5.1): the decision
// phase, LOADING, tries, then AVAILABLE once the serving map has the version.
func (m *manager) load(h *harness, done func()) {
	m.decision.Lock(func() {
		m.mu.Lock(func() {
			m.reserve(h, func(err *env.RPCError) {
				if err != nil {
					m.refuse(h, err)
				} else {
					h.state = harnessLoadApproved
					m.count(1)
				}
				m.mu.Unlock()
				m.decision.Unlock()
				if err != nil {
					done()
					return
				}
				m.executeLoad(h, done)
			})
		})
	})
}

// refuse fails a version whose resources were not reserved. Its End is announced
// twice, by the harness and by the manager (core/basic_manager.cc:735-737).
func (m *manager) refuse(h *harness, err *env.RPCError) {
	m.server.warnf("%s", m.server.profile.StatusString(err))
	m.failLoad(h, err)
	m.server.publish(h.id, env.StateEnd, err)
}

func (m *manager) failLoad(h *harness, err *env.RPCError) {
	m.fail(h, err)
	m.server.errorf("Servable %s cannot be loaded: %s", h.id, m.server.profile.StatusString(err))
}

func (m *manager) executeLoad(h *harness, done func()) {
	m.server.publish(h.id, env.StateLoading, nil)
	h.state = harnessLoading
	m.retry("Loading servable", h, func(result func(*env.RPCError)) { m.tryLoad(h, result) }, func(err *env.RPCError) {
		switch {
		case err != nil:
			m.failLoad(h, err)
			m.finish(done)
		case h.cancelled && m.server.profile == ProfileHead:
			m.unloadCancelled(h, done)
		default:
			m.publishLoaded(h, done)
		}
	})
}

// publishLoaded makes the version reachable, waits for the readers of the old
// map, of whatever model (TFS-2.3 item 3), and announces the version.
func (m *manager) publishLoaded(h *harness, done func()) {
	h.state = harnessReady
	m.touch()
	m.mu.Lock(func() {
		m.updateServingMap(func() {
			m.mu.Unlock()
			m.server.publish(h.id, env.StateAvailable, nil)
			m.finish(done)
		})
	})
}

// unloadCancelled drops what was loaded in vain (core/loader_harness.cc:87-104).
func (m *manager) unloadCancelled(h *harness, done func()) {
	h.state = harnessUnloading
	m.server.timers.Sleep(m.server.options.Cost.unload(m.server.host), func() {
		m.release(h)
		h.state = harnessDisabled
		m.touch()
		m.server.publish(h.id, env.StateEnd, statusf(env.Canceled, "Loading of servable cancelled"))
		m.finish(done)
	})
}

// tryLoad is one call of Load(). What it finds on the disk when it begins
// decides; the answer comes after the time it costs.
func (m *manager) tryLoad(h *harness, result func(*env.RPCError)) {
	look(m.server, func(disk Storage) export { return m.server.readExport(disk, h.id, h.path) },
		func(found export) { m.tryExport(h, found, result) })
}

func (m *manager) tryExport(h *harness, found export, result func(*env.RPCError)) {
	s, bundle := m.server, found.bundle
	if found.err != nil {
		s.timers.Sleep(s.options.Cost.FailedLoadTime, func() { result(found.err) })
		return
	}
	s.timers.Sleep(s.options.Cost.load(found.diskBytes, bundle.warmups)+bundle.LoadTime, func() {
		if bundle.err != nil {
			result(bundle.err)
			return
		}
		h.bundle, h.resident, h.reserved = bundle, s.options.Cost.ram(found.diskBytes), ramEstimate(found.diskBytes)
		if !s.takeMemory(h.resident) {
			return
		}
		result(nil)
	})
}

// unload is one unload request on the thread of its executor (TFS-6).
func (m *manager) unload(h *harness, done func()) {
	m.decision.Lock(func() {
		m.mu.Lock(func() {
			h.state = harnessQuiescing
			m.count(1)
			m.mu.Unlock()
			m.decision.Unlock()
			m.executeUnload(h, done)
		})
	})
}

func (m *manager) executeUnload(h *harness, done func()) {
	m.mu.Lock(func() {
		m.server.publish(h.id, env.StateUnloading, nil)
		m.updateServingMap(func() {
			h.state = harnessQuiesced
			m.mu.Unlock()
			h.state = harnessUnloading
			m.server.timers.Sleep(m.server.options.Cost.unload(m.server.host), func() {
				m.release(h)
				h.state = harnessDisabled
				m.touch()
				m.server.publish(h.id, env.StateEnd, nil)
				m.finish(done)
			})
		})
	})
}

func (m *manager) release(h *harness) {
	m.server.freeMemory(h.resident)
	h.resident, h.bundle = 0, nil
}

// finish ends the execution phase: those who wait for resources look again.
func (m *manager) finish(done func()) {
	m.mu.Lock(func() {
		m.count(-1)
		waiters := m.capacity
		m.capacity = nil
		for _, wake := range waiters {
			m.mu.Lock(wake)
		}
		m.mu.Unlock()
		done()
	})
}

// count changes the number of ongoing loads and unloads; requests are slow while
// there are any (TFS-18.1).
func (m *manager) count(change int) {
	m.ongoing += change
	m.server.reader.setSlow(m.ongoing > 0)
}
