package tfserving

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// watcher checks invariants of one server that must hold in every run. It observes events and the
// server's internal state. The rules are written here independently, from the specification.
type watcher struct {
	server *Server
	now    func() time.Duration
	broken []string

	known map[servable]knownState
	asked map[string][]int64 // versions of each model that the source last asked for
	// unwanted holds, for each version whose load was requested and that is no longer aspired,
	// since when that is so.
	unwanted map[servable]time.Duration
	served   map[string]bool // models that ever had an available version
	// held holds the requests in flight. readers holds, for each version, those that were in flight
	// when its unload began.
	held      map[string]Handle
	readers   map[servable]map[string]Handle
	opened    int
	tickBegan time.Duration
	ticks     int
	turns     int // in this tick
	memory    memoryWatch
	reloads   reloadWatch
}

// knownState is the last event of a version, with the time of its last LOADING.
type knownState struct {
	Event
	loadingAt time.Duration // time at which it was last in the state LOADING
}

// watch starts watching a server that has not begun yet. held holds the requests in flight.
func watch(s *Server, held map[string]Handle) *watcher {
	w := &watcher{server: s, now: s.host.Now, known: map[servable]knownState{}, asked: map[string][]int64{},
		unwanted: map[servable]time.Duration{}, served: map[string]bool{},
		held: held, readers: map[servable]map[string]Handle{}}
	w.memory.resident = map[*harness]int64{}
	hear, serve, tick := s.OnEvent, s.onServing, s.manager.tick.Fn
	s.OnEvent = func(e Event) {
		w.event(e)
		hear(e)
	}
	s.OnServing(func() {
		w.serving()
		serve()
	})
	s.manager.tick.Fn = func() {
		w.tick()
		tick()
	}
	s.manager.onTurn = w.turn
	s.onAspire = func(model string, versions []aspired) { w.asked[model] = numbersOf(versions) }
	return w
}

// breaks records a violated invariant with the virtual time.
func (w *watcher) breaks(format string, args ...any) {
	w.broken = append(w.broken, fmt.Sprintf("%.3fs: ", w.now().Seconds())+fmt.Sprintf(format, args...))
}

// follows lists the states that may follow each state (TFS-7.1, TFS-5, TFS-6). A version that
// disappears before its load leaves a START, which another START may follow. A version that was
// never loaded can END because of an adapter error, or because its resources are refused, which
// announces END twice (TFS-5.8).
var follows = map[env.ModelState][]env.ModelState{
	env.StateUnknown:   {env.StateStart, env.StateEnd},
	env.StateStart:     {env.StateStart, env.StateLoading, env.StateEnd},
	env.StateLoading:   {env.StateAvailable, env.StateEnd},
	env.StateAvailable: {env.StateUnloading},
	env.StateUnloading: {env.StateEnd},
	env.StateEnd:       {env.StateStart, env.StateEnd},
}

func (w *watcher) event(e Event) {
	id := servable{e.Model, e.Version}
	was := w.known[id]
	switch {
	case w.server.dead:
		w.breaks("%s %s after the end of the process", id, e.State)
	case e.At != w.now():
		w.breaks("%s %s at %v, which is not now", id, e.State, e.At)
	case !slices.Contains(follows[was.State], e.State):
		w.breaks("%s %s after %s", id, e.State, was.State)
	case e.State == env.StateEnd:
		w.ends(was, e)
	case e.Err != nil:
		w.breaks("%s %s with the error %s", id, e.State, e.Err)
	}
	is := knownState{Event: e, loadingAt: was.loadingAt}
	if e.State == env.StateLoading {
		is.loadingAt = e.At
	}
	if e.State == env.StateStart {
		delete(w.unwanted, id)
	}
	w.known[id] = is
	w.memory.look(w, e.State == env.StateEnd)
	switch e.State {
	case env.StateLoading:
		w.loading(id)
	case env.StateAvailable:
		w.available(is)
	case env.StateUnloading:
		w.readers[id] = maps.Clone(w.held)
	}
}

// ends checks that the status of an END event fits the state that it ends.
func (w *watcher) ends(was knownState, e Event) {
	id := servable{e.Model, e.Version}
	text := ""
	if e.Err != nil {
		text = e.Err.Message
	}
	refused := strings.HasPrefix(text, "Insufficient resources") || strings.HasPrefix(text, "Error while attempting to reserve resources")
	switch was.State {
	case env.StateUnloading:
		if e.Err != nil {
			w.breaks("%s was unloaded with the error %s", id, e.Err)
		}
		w.waitedForReaders(id)
	case env.StateLoading:
		if e.Err == nil || refused {
			w.breaks("%s ends its load with %v", id, e.Err)
		}
		w.cancelled(id, e)
		w.retried(was, e)
	case env.StateStart:
		if !refused {
			w.breaks("%s ends from START with %v", id, e.Err)
		}
		if strings.HasPrefix(text, "Insufficient") {
			w.refused(id)
		}
	default:
		again := refused && e.Err == was.Err && e.At == was.At
		if !again && (e.Err == nil || text != "Injected error") {
			w.breaks("%s ends from %s with %v", id, was.State, e.Err)
		}
	}
}

// waitedForReaders checks that an unload waited for every request that was in flight when it began,
// whatever the request's model (TFS-2.3 item 3, TFS-6).
func (w *watcher) waitedForReaders(id servable) {
	for _, name := range sortedKeys(w.readers[id]) {
		if now, held := w.held[name]; held && now == w.readers[id][name] {
			w.breaks("%s was unloaded while request %s was in flight", id, name)
		}
	}
}

// cancelled checks that a successful load is cancelled only in tfs-head (TFS-5.3), and only if the
// version is no longer aspired.
func (w *watcher) cancelled(id servable, e Event) {
	if e.Err == nil || e.Err.Code != rpcerrors.Canceled {
		return
	}
	if w.server.profile != ProfileHead {
		w.breaks("%s is cancelled, which tfs-2.4 never does", id)
	}
	if h := w.server.manager.find(id); h != nil && h.aspired {
		w.breaks("%s is cancelled although it is aspired", id)
	}
}

// retried checks that a failing load makes all its attempts at the right interval; each attempt
// takes the same time here. The load of a version that is no longer aspired ends with the first
// attempt that begins after that (TFS-5.2, TFS-5.3).
func (w *watcher) retried(was knownState, e Event) {
	if e.Err == nil || e.Err.Code == rpcerrors.Canceled {
		return
	}
	o, id := w.server.options, servable{e.Model, e.Version}
	tries := max(time.Duration(uint32(o.MaxNumLoadRetries)+1), 1)
	interval := max(time.Duration(o.LoadRetryIntervalMicros)*time.Microsecond, 0)
	took, all := e.At-was.loadingAt, tries*o.Cost.FailedLoadTime+(tries-1)*interval
	unwanted, cancelled := w.unwanted[id]
	switch late := interval + 2*o.Cost.FailedLoadTime; {
	case !cancelled && took != all:
		w.breaks("%s failed after %v, want %v: %d tries", id, took, all, tries)
	case cancelled && (took > all || e.At-max(unwanted, was.loadingAt) > late):
		w.breaks("%s began to load at %v, was not wanted from %v and failed at %v, want at most %v later",
			id, was.loadingAt, unwanted, e.At, late)
	}
}

// find returns the harness of a managed version; nil if there is none.
func (m *manager) find(id servable) *harness {
	if e := m.named(id.model); e != nil {
		for _, h := range e.versions {
			if h.id == id {
				return h
			}
		}
	}
	return nil
}

// loading checks the number of concurrent loads. Without a pool the manager's single thread does
// all loads. A pool has its configured number of threads, and that of the first config has four for
// each CPU (TFS-5.5, TFS-5.6).
func (w *watcher) loading(id servable) {
	o := w.server.options
	n := w.count(env.StateLoading)
	if o.NumUnloadThreads == 0 && o.NumLoadThreads == 0 && w.steady() && w.count(env.StateUnloading) > 0 {
		w.breaks("%s is loaded while another version is unloaded on the same thread", id)
	}
	threads := max(o.NumLoadThreads, 1)
	if !w.steady() {
		threads += 4 * o.CPUs
	}
	if n > threads {
		w.breaks("%d loads at a time on %d threads", n, threads)
	}
	w.approved(id)
}

func (w *watcher) count(state env.ModelState) (n int) {
	for _, k := range w.known { //lint:ordered a sum
		if k.State == state {
			n++
		}
	}
	return n
}

// versions returns the known states of a model's versions, by ascending version.
func (w *watcher) versions(model string) (versions []knownState) {
	for id, k := range w.known { //lint:ordered sorted below
		if id.model == model {
			versions = append(versions, k)
		}
	}
	slices.SortFunc(versions, func(a, b knownState) int { return cmp.Compare(a.Version, b.Version) })
	return versions
}

// steady reports whether the loads of the first config have ended.
func (w *watcher) steady() bool {
	return w.server.core.source != nil && w.server.core.connecting == nil
}

// available checks that a load took its time, and that an available version can be reached
// (TFS-5.1). With thread pools the version's unload may have been requested while it waited for
// requests of the last serving map. tfs-head announces no version that was no longer aspired when
// its load ended (TFS-5.3).
func (w *watcher) available(k knownState) {
	w.served[k.Model] = true
	if least := w.server.options.Cost.LoadTime; k.At-k.loadingAt < least {
		w.breaks("%s:%d was loaded in %v, want at least %v", k.Model, k.Version, k.At-k.loadingAt, least)
	}
	id := servable{k.Model, k.Version}
	asked := w.server.manager.find(id).state == harnessUnloadRequested
	if _, unwanted := w.unwanted[id]; unwanted && w.server.profile == ProfileHead {
		w.breaks("%s is AVAILABLE although it was not wanted any more before it was loaded", id)
	}
	if w.server.reader.serving.lookup(id, false) == nil && !asked {
		w.breaks("%s:%d is announced as AVAILABLE, but requests do not find it", k.Model, k.Version)
	}
}

// serving checks that the ports open once, and only when each model of the first config has had an
// available version (TFS-9.1, TFS-9.2). One version is enough: a higher one may fail while the
// threads of the first config are joined (TFS-5.6).
func (w *watcher) serving() {
	if w.opened++; w.opened > 1 {
		w.breaks("the ports open a second time")
	}
	for _, m := range w.server.core.config.Models {
		if !w.served[m.Name] {
			w.breaks("the ports open, but %s never was AVAILABLE", m.Name)
		}
	}
}

// settled reports whether some version of the model is AVAILABLE or has reached its END (TFS-8.3).
func (w *watcher) settled(model string) bool {
	return slices.ContainsFunc(w.versions(model), func(k knownState) bool {
		return k.State == env.StateAvailable || k.State == env.StateEnd
	})
}
