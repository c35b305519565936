package tfserving

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/infer"
)

// load executes one load request on a thread of the load executor (TFS-5.1). It reserves resources,
// announces LOADING and attempts the load. It announces AVAILABLE when the serving map contains the
// version.
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

// refuse fails a version whose resources could not be reserved. Its End is announced twice, once by
// the harness and once by the manager (core/basic_manager.cc:735-737).
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

// publishLoaded adds the version to the serving map and then announces it. Between these two steps
// it waits for all readers of the old map, whatever their model (TFS-2.3 item 3).
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

// unloadCancelled drops a version whose load was cancelled (core/loader_harness.cc:87-104).
func (m *manager) unloadCancelled(h *harness, done func()) {
	m.drop(h, statusf(rpcerrors.Canceled, "Loading of servable cancelled"), done)
}

// drop unloads a version: after the unload time it frees the memory and announces the End with err.
func (m *manager) drop(h *harness, err *env.RPCError, done func()) {
	h.state = harnessUnloading
	m.server.timers.Sleep(m.server.options.Cost.unload(m.server.host), func() {
		m.server.freeMemory(h.resident)
		h.bundle.batcher.close()
		h.resident, h.bundle, h.state = 0, nil, harnessDisabled
		m.touch()
		m.server.publish(h.id, env.StateEnd, err)
		m.finish(done)
	})
}

// tryLoad makes one attempt to load, which is one call of upstream's Load(). The files that exist
// at the start of the attempt decide the outcome. result is called with the outcome when the load
// time has passed.
func (m *manager) tryLoad(h *harness, result func(*env.RPCError)) {
	reader := exportReader{m.server, m.server.adapterOf(h.id.model)}
	look(m.server, func(disk Storage) export { return reader.readExport(disk, h.id, h.path) },
		func(found export) { m.tryExport(h, found, result) })
}

func (m *manager) tryExport(h *harness, found export, result func(*env.RPCError)) {
	s, bundle := m.server, found.bundle
	if found.err != nil {
		s.timers.Sleep(s.options.Cost.FailedLoadTime, func() {
			if signal := signalOf(found.err); signal != 0 {
				s.exit(-signal, "")
				return
			}
			s.tellLoad(h, bundle, s.options.Cost.FailedLoadTime)
			result(found.err)
		})
		return
	}
	takes := s.options.Cost.load(found.diskBytes, bundle.warmups) + bundle.LoadTime + bundle.warmupWait
	if bundle.err == nil {
		s.reasonf(h.id, "a load of %s takes %v", size(found.diskBytes), takes.Round(10*time.Millisecond))
	}
	s.timers.Sleep(takes, func() {
		loaded := bundle
		if bundle.err != nil {
			loaded = nil
		}
		s.tellLoad(h, loaded, s.options.Cost.load(found.diskBytes, 0)+bundle.LoadTime)
		if bundle.err != nil {
			result(bundle.err)
			return
		}
		bundle.batcher.open()
		h.bundle, h.resident, h.reserved = bundle, s.options.Cost.ram(found.diskBytes), ramEstimate(found.diskBytes)
		s.tellMemory(h)
		if !s.takeMemory(h.resident) {
			return
		}
		result(nil)
	})
}

// signalOf returns the signal by which a load ends upstream's process, or 0.
func signalOf(err *env.RPCError) int {
	switch err {
	case infer.ErrCheck:
		return 6
	case errNoSession:
		return 11
	}
	return 0
}

// Load describes an attempt to load a SavedModel for the metrics load_attempt_count and
// load_latency of TensorFlow (TFS-14.1). It does not include the warm-up.
type Load struct {
	Path    string // Path is the export directory.
	Success bool
	Latency time.Duration
}

// Run describes runs of a graph for the metrics of TensorFlow and of TF Serving (TFS-14.1): the run
// of a batch, the run of a warm-up request, or the runs by which a load restores the variables and
// initialises the model.
type Run struct {
	Times int           // Times is how often the graph ran
	Took  time.Duration // Took is the duration of each run
	// Warmup is the warm-up request that ran, or nil.
	Warmup proto.Message
}

// tellLoad reports a load, whose duration is took, and the runs of the graph that were part of the
// load. bundle is nil if the load failed.
func (s *Server) tellLoad(h *harness, bundle *Bundle, took time.Duration) {
	if s.OnLoad != nil {
		s.OnLoad(Load{Path: h.path, Success: bundle != nil, Latency: took})
	}
	if bundle != nil && bundle.starts > 0 {
		s.tellRun(Run{Times: bundle.starts, Took: took / time.Duration(bundle.starts)})
	}
}

func (s *Server) tellRun(r Run) {
	if s.OnRun != nil {
		s.OnRun(r)
	}
}

// unload executes one unload request on a thread of the unload executor (TFS-6).
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
			m.drop(h, nil, done)
		})
	})
}

// finish ends a load or unload. It lets the loads that wait for resources try again.
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

// count adds change to the number of loads and unloads in progress. While that number is not 0,
// requests are slower (TFS-18.1).
func (m *manager) count(change int) {
	m.ongoing += change
	m.server.reader.set(func(r *Reader) { r.slow = m.ongoing > 0 })
}

// tellTry passes the reason for a failed load attempt to OnReason.
func (m *manager) tellTry(h *harness, err *env.RPCError, tries, most uint32) {
	if m.server.OnReason == nil {
		return // nothing to report: most runs ask for no reasons
	}
	next := "no other follows"
	if tries < most && !h.cancelled {
		next = fmt.Sprintf("the next follows in %v", time.Duration(m.server.options.LoadRetryIntervalMicros)*time.Microsecond)
	}
	of := fmt.Sprintf("try %d of %d", tries, most)
	if most == 0 {
		of = fmt.Sprintf("try %d", tries)
	}
	m.server.reasonf(h.id, "%s failed, %s: %s", of, next, err.Error())
}

// tellMemory reports the reason if the kernel is about to kill the process because of a load.
func (s *Server) tellMemory(h *harness) {
	after := s.memory
	after.take(h.resident)
	needs := s.options.Cost.BaseRAMBytes + after.live + after.retained
	if limit := s.options.MemoryLimitBytes; limit > 0 && needs > limit {
		s.reasonf(h.id, "needs %s of memory, %s with what the server has, of a limit of %s: the kernel kills the process",
			size(h.resident), size(needs), size(limit))
	}
}

// size is a number of bytes. It is formatted for people, as 3.0 GB, and only if it is printed.
type size int64

func (n size) String() string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%d bytes", int64(n))
}

// retry calls the function try up to 1 + max_num_load_retries times, and sleeps before each retry.
// It notices a cancellation only after an attempt. A cancellation during the sleep does not prevent
// the next attempt (util/retrier.cc:27-54). Upstream adds 1 to an unsigned number, which may wrap:
// with -1 it tries once, with -2 forever.
func (m *manager) retry(what string, h *harness, try func(result func(*env.RPCError)), done func(*env.RPCError)) {
	tries, most := uint32(0), uint32(m.server.options.MaxNumLoadRetries)+1
	var once func()
	once = func() {
		try(func(err *env.RPCError) {
			tries++
			if err == nil {
				done(nil)
				return
			}
			m.server.errorf("%s: %s failed: %s", what, h.id, m.server.profile.StatusString(err))
			m.tellTry(h, err, tries, most)
			if tries >= most || h.cancelled {
				done(err)
				return
			}
			interval := time.Duration(m.server.options.LoadRetryIntervalMicros) * time.Microsecond
			m.server.timers.Sleep(interval, once)
		})
	}
	once()
}
