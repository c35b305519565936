package tfserving

import (
	"maps"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// source polls the base paths and tells the manager what it should serve (upstream's
// FileSystemStoragePathSource).
//
// A poll repeats the last one's outcome unless its config or the storage has changed, and the
// manager ignores a request that it has handled before. Such polls are left out, together
// with what they would log again. Host.Watch tells of changes. Where it cannot, every poll
// runs. Every poll also runs with ReloadServablesWithError, under which a repeated request
// still has an effect.
type source struct {
	server *Server
	// mu is held during a poll and during an update of the config (TFS-2.3 item 2).
	mu        timerqueue.Mutex
	models    []monitored // in the order of the config
	connected bool
	closed    bool

	grid  timerqueue.Grid
	timer timerqueue.Timer
	// busy is true during a run. again asks for another run after it.
	busy, again bool
	// watches has the functions that cancel the watches, by base path. blind is true when
	// some path cannot be watched.
	watches map[string]func()
	blind   bool
}

// monitored is FileSystemStoragePathSourceConfig.ServableToMonitor. once is what latest_once
// chose at the first successful poll that found a version.
type monitored struct {
	name, basePath string
	policy         modelconfig.VersionPolicy
	once           []int64
}

func newSource(s *Server) *source {
	src := &source{server: s, watches: map[string]func(){}}
	src.mu.Timers = s.timers
	src.grid.Interval = s.pollInterval()
	src.timer = timerqueue.Timer{Rank: timerqueue.StorePoll, Fn: src.run}
	return src
}

// pollInterval returns the time from poll to poll; with 0 or less there is no loop.
func (s *Server) pollInterval() time.Duration {
	o := s.options
	if o.FileSystemPollWaitSeconds <= 0 {
		return time.Duration(o.FileSystemPollWaitSeconds) * time.Second
	}
	return time.Duration(o.FileSystemPollWaitSeconds)*time.Second + s.roundTime
}

// connect starts the polling thread (TFS-3.1).
func (src *source) connect() {
	src.connected = true
	if src.server.options.FileSystemPollWaitSeconds >= 0 {
		src.server.timers.Set(&src.timer, src.server.timers.Now())
	}
}

// close ends the polling. What was aspired stays aspired.
func (src *source) close() {
	src.closed = true
	src.server.timers.Unset(&src.timer)
	for _, path := range slices.Sorted(maps.Keys(src.watches)) {
		src.watches[path]()
	}
	src.watches = nil
}

// updateConfig installs what to monitor, and un-aspires at once, by name, what is gone. It
// waits for a poll that is in progress, but begins none (TFS-3.1).
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

// check returns why a config cannot be installed.
func (src *source) check(models []monitored, done func(*env.RPCError)) {
	options := src.server.options
	if src.connected && src.server.pollInterval() != src.grid.Interval {
		done(statusf(env.InvalidArgument, "Changing file_system_poll_wait_seconds is not supported"))
		return
	}
	if !options.FailIfZeroVersions && !options.ServableVersionsAlwaysPresent {
		done(nil)
		return
	}
	look(src.server, func(disk Storage) *env.RPCError { return src.failIfZeroVersions(disk, models) }, done)
}

func (src *source) install(models []monitored) {
	var gone []string
	for _, old := range src.models {
		i := slices.IndexFunc(models, func(m monitored) bool { return m.name == old.name })
		if i < 0 {
			gone = append(gone, old.name)
		} else if models[i].basePath == old.basePath && models[i].policy.Kind == old.policy.Kind &&
			models[i].policy.NumVersions == old.policy.NumVersions {
			models[i].once = old.once
		}
	}
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

// newNames returns the names of models in the config that the source does not monitor yet.
func (src *source) newNames(models []monitored) []string {
	return sortedNames(slices.DeleteFunc(slices.Clone(models), func(m monitored) bool {
		return slices.ContainsFunc(src.models, func(old monitored) bool { return old.name == m.name })
	}))
}

func sortedNames(models []monitored) []string {
	names := make([]string, 0, len(models))
	for _, m := range models {
		names = append(names, m.name)
	}
	slices.Sort(names)
	return names
}

// watch watches the base paths of the config, and stops watching all others.
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

// changed schedules a poll at the next instant of the grid, if there are any more.
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

// run does one poll. It takes as long as the storage takes, which in virtual time is no time.
func (src *source) run() {
	src.grid.Began(src.server.timers.Now())
	src.busy, src.again = true, false
	src.mu.Lock(func() {
		look(src.server, src.poll, func(found polled) {
			src.take(found)
			src.mu.Unlock()
			src.busy = false
			src.ended()
		})
	})
}

// ended ends a run (TFS-2.2).
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
