package tfserving

import "github.com/monosim/monosim/engine/env"

// memoryWatch tracks the resident memory in bytes: that of loaded models, and what the allocator
// retains of unloaded ones (TFS-18.1).
type memoryWatch struct {
	resident map[*harness]int64 // resident memory at the last look
	retained int64
}

// look accounts for loads since the last look, and then for unloads. It is called after every timer
// and at every END, so it sees each unload on its own.
func (m *memoryWatch) look(w *watcher, end bool) {
	live, now := int64(0), map[*harness]int64{}
	for _, e := range w.server.manager.models {
		for _, h := range e.versions {
			live += h.resident
			now[h] = h.resident
			if taken := h.resident - m.resident[h]; taken > 0 {
				m.retained = max(m.retained-taken, 0)
			}
			if loaded := h.state >= harnessReady && h.state <= harnessUnloading; h.resident > 0 && !loaded && h.state != harnessLoading {
				w.breaks("%s holds %d bytes, but is %s", h.id, h.resident, stateNames[h.state])
			}
		}
	}
	w.memory.freed(w, now, end)
	m.resident = now
	o := w.server.options
	want := o.Cost.BaseRAMBytes + live + m.retained
	if got := w.server.ResidentBytes(); got != want {
		w.breaks("resident memory: got %d, want %d: %d of models and %d kept", got, want, live, m.retained)
	}
	if limit := o.MemoryLimitBytes; limit > 0 && want > limit && !w.server.dead {
		w.breaks("resident memory: %d is above the limit %d", want, limit)
	}
}

func (m *memoryWatch) freed(w *watcher, now map[*harness]int64, end bool) {
	var all int64
	for h, before := range m.resident { //lint:ordered a sum
		if freed := before - now[h]; freed > 0 {
			all += freed
			m.retained += int64(float64(freed) * w.server.options.Cost.RetainedPercent / 100)
		}
	}
	if all > 0 && !end {
		w.breaks("%d bytes are freed without an END", all)
	}
}

// reserved returns the memory in bytes that approved loads and loaded versions have reserved.
func (w *watcher) reserved() (sum int64) {
	for _, e := range w.server.manager.models {
		for _, h := range e.versions {
			switch h.state {
			case harnessNew, harnessLoadRequested, harnessDisabled, harnessError:
			default:
				sum += h.reserved
			}
		}
	}
	return sum
}

// approved checks that no load is approved above total_model_memory_limit_bytes (TFS-5.8). A
// version that has grown on disk since its estimate may exceed the limit later.
func (w *watcher) approved(id servable) {
	if sum, limit := w.reserved(), w.server.options.TotalModelMemoryLimitBytes; limit > 0 && sum > limit {
		w.breaks("with %s %d bytes are reserved, the limit is %d", id, sum, limit)
	}
}

// refused checks that a refused version does not fit, and that no load or unload in progress could
// make room (TFS-5.8).
func (w *watcher) refused(id servable) {
	h, limit := w.server.manager.find(id), w.server.options.TotalModelMemoryLimitBytes
	if busy := w.count(env.StateLoading) + w.count(env.StateUnloading); busy > 0 {
		w.breaks("%s is refused while %d loads and unloads go on", id, busy)
	}
	if limit == 0 || h == nil || w.reserved()+h.reserved <= limit {
		w.breaks("%s is refused, but %d bytes are reserved and the limit is %d", id, w.reserved(), limit)
	}
}
