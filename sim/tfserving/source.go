package tfserving

import (
	"maps"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// source polls the base paths and tells the manager which versions to serve (upstream's
// FileSystemStoragePathSource).
//
// A poll repeats the outcome of the previous one unless its config or the storage has changed, and
// the manager ignores a repeated request. Such polls are left out, and so are the log lines that
// they would repeat. Host.Watch reports changes; where it cannot, every poll runs. Every poll also
// runs with ReloadServablesWithError, under which a repeated request still has an effect.
type source struct {
	server *Server
	// mu is held during a poll, and during an update of the config (TFS-2.3 item 2).
	mu        timerqueue.Mutex
	models    []monitored // models is in the order of the config
	connected bool
	closed    bool

	grid  timerqueue.Grid
	timer timerqueue.Timer
	// busy is true during a poll. again requests another poll after it.
	busy, again bool
	// watches maps base paths to functions that cancel their watches. blind is true if some path
	// cannot be watched.
	watches map[string]func()
	blind   bool
}

// monitored is FileSystemStoragePathSourceConfig.ServableToMonitor.
type monitored struct {
	name, basePath string
	policy         modelconfig.VersionPolicy
}

func newSource(s *Server) *source {
	src := &source{server: s, watches: map[string]func(){}}
	src.mu.Timers = s.timers
	src.grid.Interval = s.pollInterval()
	src.timer = timerqueue.Timer{Rank: timerqueue.StorePoll, Fn: src.run}
	return src
}

// pollInterval returns the time between polls; 0 or less means that there is no loop.
func (s *Server) pollInterval() time.Duration {
	o := s.options
	if o.FileSystemPollWaitSeconds <= 0 {
		return time.Duration(o.FileSystemPollWaitSeconds) * time.Second
	}
	return time.Duration(o.FileSystemPollWaitSeconds)*time.Second + s.roundTime
}

func (src *source) connect() {
	src.connected = true
	if src.server.options.FileSystemPollWaitSeconds >= 0 {
		src.server.timers.Set(&src.timer, src.server.timers.Now())
	}
}

// close stops the polling. Aspired versions stay aspired.
func (src *source) close() {
	src.closed = true
	src.server.timers.Unset(&src.timer)
	for _, path := range slices.Sorted(maps.Keys(src.watches)) {
		src.watches[path]()
	}
	src.watches = nil
}

// updateConfig replaces the monitored models. Versions of models that are missing in the new list
// stop being aspired at once, in the order of the names. It waits for a poll in progress, but
// starts none (TFS-3.1).
func (src *source) updateConfig(models []monitored, done func(*env.RPCError)) {
	src.mu.Lock(func() {
		src.check(models, func(err *env.RPCError) {
			if err == nil {
				src.install(models)
			}
			src.mu.Unlock()
			done(err)
		})
	})
}

// check calls done with the error if the models cannot be monitored, else with nil.
func (src *source) check(models []monitored, done func(*env.RPCError)) {
	options := src.server.options
	if src.connected && src.server.pollInterval() != src.grid.Interval {
		done(statusf(rpcerrors.InvalidArgument, "Changing file_system_poll_wait_seconds is not supported"))
		return
	}
	if !options.FailIfZeroVersions && !options.ServableVersionsAlwaysPresent {
		done(nil)
		return
	}
	live := src.live(models)
	look(src.server, func(disk Storage) *env.RPCError { return src.failIfZeroVersions(disk, models, live) }, done)
}

func (src *source) install(models []monitored) {
	gone := lists.Select(src.models, func(old monitored) (string, bool) {
		return old.name, !slices.ContainsFunc(models, func(m monitored) bool { return m.name == old.name })
	})
	slices.Sort(gone)
	src.models = models
	if src.connected {
		for _, name := range gone {
			src.server.aspire(name, nil)
		}
	}
	src.watch()
	src.changed()
}

// newNames returns the sorted names of models that the source does not monitor yet.
func (src *source) newNames(models []monitored) []string {
	return sortedNames(slices.DeleteFunc(slices.Clone(models), func(m monitored) bool {
		return slices.ContainsFunc(src.models, func(old monitored) bool { return old.name == m.name })
	}))
}

func sortedNames(models []monitored) []string {
	names := lists.Map(models, func(m monitored) string { return m.name })
	slices.Sort(names)
	return names
}

// watch watches the base paths of the monitored models. It cancels watches of other paths.
func (src *source) watch() {
	stale := src.watches
	src.watches, src.blind = make(map[string]func(), len(src.models)), false
	for _, m := range src.models {
		if cancel, ok := stale[m.basePath]; ok {
			src.watches[m.basePath] = cancel
			delete(stale, m.basePath)
		}
		if _, ok := src.watches[m.basePath]; ok {
			continue
		}
		cancel, ok := src.server.host.Watch(m.basePath, src.changed)
		if !ok {
			src.blind = true
			continue
		}
		src.watches[m.basePath] = cancel
	}
	for _, path := range slices.Sorted(maps.Keys(stale)) {
		stale[path]()
	}
}

// changed schedules a poll at the next polling time, unless the polling has ended.
func (src *source) changed() {
	if !src.connected || src.closed || src.grid.Interval <= 0 || src.timer.Queued {
		return
	}
	if src.busy {
		src.again = true
		return
	}
	q := src.server.timers
	q.Set(&src.timer, src.grid.Upcoming(q, timerqueue.StorePoll))
	if !q.Running {
		q.Arm()
	}
}

// live reports for each model whether a poll skips it, because its policy is latest_once and one of
// its versions is AVAILABLE (TFS-21.1). It returns nil if there is no such model. While the source
// is not connected, polls skip no model, because the source does not receive state events.
func (src *source) live(models []monitored) (live []bool) {
	for i, m := range models {
		if src.connected && m.policy.Kind == modelconfig.LatestOnce && src.server.states.available(m.name) {
			if live == nil {
				live = make([]bool, len(models))
			}
			live[i] = true
		}
	}
	return live
}

// heard schedules a poll when a model with latest_once unloads a version, because polls may no
// longer skip that model.
func (src *source) heard(event Event) {
	if event.State == env.StateUnloading && slices.ContainsFunc(src.models, func(m monitored) bool {
		return m.name == event.Model && m.policy.Kind == modelconfig.LatestOnce
	}) {
		src.changed()
	}
}

// run executes one poll. It takes as long as the storage needs, which is no time in virtual time.
func (src *source) run() {
	src.grid.Began(src.server.timers.Now())
	src.busy, src.again = true, false
	src.mu.Lock(func() {
		live := src.live(src.models)
		look(src.server, func(disk Storage) polled { return src.poll(disk, live) }, func(found polled) {
			src.take(found)
			src.mu.Unlock()
			src.busy = false
			src.ended()
		})
	})
}

// ended ends a run of the polling loop and schedules the next one if it is needed (TFS-2.2).
func (src *source) ended() {
	q, repeats := src.server.timers, src.grid.Interval > 0 && !src.closed
	if repeats && src.grid.Ended(q.Now()) {
		q.Set(&src.timer, q.Now())
		return
	}
	if src.again || src.blind || src.server.polls || src.server.options.ReloadServablesWithError {
		src.changed()
	}
}
