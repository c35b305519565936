package tfserving

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// manageInterval is upstream's manage_state_interval_micros, the time between two ticks
// (core/aspired_versions_manager.h:104).
const manageInterval = 100 * time.Millisecond

// manager loads and unloads versions until the loaded versions are those that the source aspires.
// It corresponds to upstream's AspiredVersionsManager with its BasicManager.
//
// A tick depends only on the requests and harnesses. After a tick that did nothing, later ticks do
// nothing until a request arrives or a harness changes state. touch is called at each such change
// and schedules a tick. Nothing else does.
type manager struct {
	server *Server
	models []*managed // models is sorted by name

	grid timerqueue.Grid
	tick timerqueue.Timer
	busy bool // busy is true during a tick, which may wait for a lock or load inline

	// mu is upstream's BasicManager::mu_, decision its load_unload_decision_phase_mu_, and
	// executorMu its load_executor_mu_.
	mu, decision, executorMu timerqueue.Mutex
	loads, unloads           *timerqueue.Executor
	// ongoing counts the approved loads and unloads that have not ended. capacity holds callbacks
	// of loads that wait for resources. They are called when a load or unload ends, and try again.
	ongoing  int
	capacity []func()
	// onTurn, when set, is called at every tick with the next action, if there is one.
	onTurn func(action, bool)
}

// managed is the manager's state of one model.
type managed struct {
	name     string
	versions []*harness // versions is sorted by number
	pending  []aspired
	waiting  bool // waiting is true while pending is not yet processed
}

// aspired is one version of an aspired-versions request. err is set if the source adapter failed
// for the version (core/basic_manager.cc:360).
type aspired struct {
	version int64
	path    string
	err     *env.RPCError
}

// harness is the state of one managed version (core/loader_harness.h).
type harness struct {
	id        servable
	path      string
	state     harnessState
	aspired   bool
	cancelled bool
	bundle    *Bundle
	// reserved is the estimated memory in bytes that the resource tracker counts. estimated says
	// whether reserved is set. resident is the memory in bytes of the loaded version.
	reserved, resident int64
	estimated          bool
}

type harnessState uint8

const (
	harnessNew harnessState = iota
	harnessLoadRequested
	harnessLoadApproved
	harnessLoading
	harnessReady
	harnessUnloadRequested
	harnessQuiescing
	harnessQuiesced
	harnessUnloading
	harnessDisabled
	harnessError
)

// usesResources reports whether the resource tracker counts a version in this state, as
// GetLoadersCurrentlyUsingResources does (core/basic_manager.cc:434-482).
func (s harnessState) usesResources() bool {
	return s >= harnessLoadApproved && s <= harnessUnloading
}

func newManager(s *Server) *manager {
	m := &manager{server: s, grid: timerqueue.Grid{Interval: manageInterval}}
	m.tick = timerqueue.Timer{Rank: timerqueue.Manager, Fn: m.runTick}
	m.mu.Timers, m.decision.Timers, m.executorMu.Timers = s.timers, s.timers, s.timers
	m.loads = timerqueue.NewExecutor(s.timers, s.options.NumLoadThreads)
	m.unloads = timerqueue.NewExecutor(s.timers, s.options.NumUnloadThreads)
	return m
}

// start starts the tick loop. The first tick finds nothing to do, so it is scheduled only if the
// server is configured to run every tick.
func (m *manager) start() {
	m.grid.Began(m.server.timers.Now())
	if m.server.polls {
		m.touch()
	}
}

// touch schedules a tick at the loop's next instant, unless a tick is already scheduled or running.
func (m *manager) touch() {
	if !m.busy && !m.tick.Queued {
		m.server.timers.Set(&m.tick, m.grid.Upcoming(m.server.timers, timerqueue.Manager))
	}
}

// enqueue stores an aspired-versions request. It replaces an earlier request for the model that is
// not yet processed (TFS-4.1).
func (m *manager) enqueue(model string, versions []aspired) {
	e := m.named(model)
	if e == nil {
		if len(versions) == 0 {
			return // an empty request for an unmanaged model changes nothing
		}
		e = m.add(model)
	}
	e.pending, e.waiting = versions, true
	m.touch()
}

// place returns the model's index in models and true. For an unknown model it returns the index at
// which to insert it, and false.
func (m *manager) place(model string) (int, bool) {
	return slices.BinarySearchFunc(m.models, model, func(e *managed, name string) int { return strings.Compare(e.name, name) })
}

// named returns the state of a managed model; nil for none.
func (m *manager) named(model string) *managed {
	if i, ok := m.place(model); ok {
		return m.models[i]
	}
	return nil
}

func (m *manager) add(model string) *managed {
	e := &managed{name: model}
	i, _ := m.place(model)
	m.models = slices.Insert(m.models, i, e)
	return e
}

// runTick executes one tick (TFS-4.2). Without thread pools it lasts as long as the load or unload
// that it starts.
func (m *manager) runTick() {
	m.busy = true
	m.grid.Began(m.server.timers.Now())
	m.mu.Lock(func() {
		flushed := m.flush()
		processed := m.processPending()
		action, acts := m.nextAction()
		if m.onTurn != nil {
			m.onTurn(action, acts)
		}
		if acts {
			action.harness.request(action.kind)
		}
		m.mu.Unlock()
		changed := flushed || processed || acts
		if !acts {
			m.endTick(changed)
			return
		}
		m.perform(action, func() { m.endTick(changed) })
	})
}

func (m *manager) endTick(changed bool) {
	m.busy = false
	if m.server.dead {
		return
	}
	if m.grid.Ended(m.server.timers.Now()) {
		m.server.timers.Set(&m.tick, m.server.timers.Now())
		return
	}
	if changed || m.server.polls {
		m.touch()
	}
}

// flush removes versions that are neither aspired nor in use (TFS-4.2).
func (m *manager) flush() (changed bool) {
	m.models = slices.DeleteFunc(m.models, func(e *managed) bool {
		before := len(e.versions)
		e.versions = slices.DeleteFunc(e.versions, func(h *harness) bool {
			idle := h.state == harnessNew || h.state == harnessDisabled || h.state == harnessError
			return idle && !h.aspired
		})
		changed = changed || len(e.versions) < before
		return len(e.versions) == 0 && !e.waiting
	})
	return changed
}

// fail puts a harness into its final error state, and announces its End with err (TFS-5.4).
func (m *manager) fail(h *harness, err *env.RPCError) {
	h.state = harnessError
	m.server.infof("Encountered an error for servable version %s: %s", h.id, m.server.profile.StatusString(err))
	m.server.publish(h.id, env.StateEnd, err)
	m.touch()
}

func (h *harness) request(kind actionKind) {
	if kind == unloadAction {
		h.state = harnessUnloadRequested
		return
	}
	h.state = harnessLoadRequested
}

// nextAction asks the transition policy for each model's next action and returns one of them.
// Unloads come before loads. Among equal actions the first model by name wins, unless the host
// chooses otherwise (TFS-4.3, TFS-21.2).
func (m *manager) nextAction() (action, bool) {
	var unloads, loads []action
	for _, e := range m.models {
		a, ok := m.server.options.Transition.next(e.versions)
		switch {
		case !ok:
		case a.kind == unloadAction:
			unloads = append(unloads, a)
		default:
			loads = append(loads, a)
		}
	}
	candidates := unloads
	if len(candidates) == 0 {
		candidates = loads
	}
	switch len(candidates) {
	case 0:
		return action{}, false
	case 1:
		return candidates[0], true
	}
	return candidates[m.server.host.Choose(SiteAction, len(candidates))], true
}

// SiteAction names the random choice among several models that could act in the same tick.
const SiteAction = "tfserving.action"

// setLoadThreads replaces the load executor. It calls done when the old executor has finished its
// jobs (core/basic_manager.cc:608-637). Until then no load can be scheduled, unless both executors
// have two threads or more.
func (m *manager) setLoadThreads(threads int, done func()) {
	old := m.loads
	if old.Threads >= 2 && threads >= 2 {
		m.loads = timerqueue.NewExecutor(m.server.timers, threads)
		old.Join(done)
		return
	}
	m.executorMu.Lock(func() {
		m.loads.Join(func() {
			m.loads = timerqueue.NewExecutor(m.server.timers, threads)
			m.executorMu.Unlock()
			done()
		})
	})
}

// perform schedules the action on its executor. It calls accepted when the manager's thread is free
// to continue.
func (m *manager) perform(a action, accepted func()) {
	if a.kind == unloadAction {
		m.unloads.Schedule(func(done func()) { m.unload(a.harness, done) }, accepted)
		return
	}
	// Without a thread pool the lock is held until the load has ended.
	m.executorMu.Lock(func() {
		m.loads.Schedule(func(done func()) { m.load(a.harness, done) }, func() {
			m.executorMu.Unlock()
			accepted()
		})
	})
}
