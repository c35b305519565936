package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// reserve decides whether the resources for a version are available (TFS-5.8). The caller holds mu
// and decision. While failed estimates are retried, mu stays locked, which blocks the manager. A
// version that does not fit waits without mu until another load or unload ends.
func (m *manager) reserve(h *harness, done func(*env.RPCError)) {
	m.retry("Reserving resources for servable", h, func(result func(*env.RPCError)) { m.estimate(h, result) }, func(err *env.RPCError) {
		limit := m.server.options.TotalModelMemoryLimitBytes
		switch {
		case err != nil:
			done(statusf(err.Code, "Error while attempting to reserve resources to load servable %s: %s", h.id, err.Message))
		case limit == 0 || m.reservedBytes()+h.reserved <= limit:
			done(nil)
		case m.ongoing == 0:
			done(statusf(rpcerrors.ResourceExhausted, "Insufficient resources to load servable %s", h.id))
		default:
			m.capacity = append(m.capacity, func() { m.reserve(h, done) })
			m.mu.Unlock()
		}
	})
}

// estimate sets the memory in bytes that a load needs. This is the memory of the model, and the
// memory that is needed only during the load
// (servables/tensorflow/saved_model_bundle_source_adapter.cc:91-117). A version that waited for
// resources keeps its first estimate (core/simple_loader.h).
func (m *manager) estimate(h *harness, result func(*env.RPCError)) {
	if h.estimated {
		result(nil)
		return
	}
	var bytes int64
	look(m.server, func(disk Storage) (err error) {
		bytes, err = disk.SizeBytes(h.path)
		return err
	}, func(err error) {
		if err != nil {
			result(storageError(h.path, err))
			return
		}
		h.reserved, h.estimated = ramEstimate(bytes)+m.server.adapterOf(h.id.model).transientBytes, true
		result(nil)
	})
}

// ramEstimate returns upstream's estimate of the memory in bytes that a model needs. diskBytes is
// the size of the model on disk (servables/tensorflow/util.cc:334-351).
func ramEstimate(diskBytes int64) int64 { return int64(1.2 * float64(diskBytes)) }

// reservedBytes returns the sum of all reservations of loading and loaded versions.
func (m *manager) reservedBytes() (sum int64) {
	for _, e := range m.models {
		for _, h := range e.versions {
			if h.state.usesResources() {
				sum += h.reserved
			}
		}
	}
	return sum
}
