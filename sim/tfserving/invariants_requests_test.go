package tfserving

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// statuses checks that a model's versions are listed in descending order with their last states,
// and that no version is ever dropped from the list (TFS-7.2).
func (w *watcher) statuses(model string) {
	var want []env.ModelVersionStatus
	for _, k := range slices.Backward(w.versions(model)) {
		want = append(want, env.ModelVersionStatus{Version: k.Version, State: k.State, Status: statusProto(k.Err)})
	}
	got, err := w.server.Status(env.ModelSpec{Name: model})
	if missing := err != nil; missing != (len(want) == 0) || !slices.Equal(got, want) {
		w.breaks("status of %s: got %v (%v), want %v", model, got, err, want)
	}
}

// reach says whether requests find a version: yes, no, or either.
type reach uint8

const (
	reachNo reach = iota
	reachMaybe
	reachYes
)

// reachable returns whether requests must find a version. An AVAILABLE version must be found. Two
// kinds may or may not be found. The first is a Ready version whose AVAILABLE event waits for
// requests of the last serving map (TFS-2.3 item 3). The second is a version whose unload waits for
// a thread, because the next serving map contains only Ready versions
// (2.4:core/basic_manager.cc:165-187).
func (w *watcher) reachable(k knownState, held int) reach {
	h := w.server.manager.find(servable{k.Model, k.Version})
	switch {
	case k.State == env.StateAvailable && h.state == harnessReady:
		return reachYes
	case k.State == env.StateAvailable, k.State == env.StateLoading && h.state == harnessReady && held > 0:
		return reachMaybe
	}
	return reachNo
}

// latest checks that a request without a version goes to the highest version that can be found
// (TFS-12.1).
func (w *watcher) latest(model string, held int) {
	least, most := int64(-1), int64(-1)
	for _, k := range w.versions(model) {
		switch w.reachable(k, held) {
		case reachYes:
			least, most = k.Version, k.Version
		case reachMaybe:
			most = k.Version
		}
	}
	got := int64(-1)
	if h, err := acquire(w.server, env.ModelSpec{Name: model}); err == nil {
		got = h.Version()
		h.Release()
	}
	if got < least || got > most {
		w.breaks("a request to %s goes to version %d, want %d to %d", model, got, least, most)
	}
}

// specific checks that a request for a version number finds the version exactly if it is reachable.
func (w *watcher) specific(id servable, held int) {
	h, err := acquire(w.server, env.ModelSpec{Name: id.model, HasVersion: true, Version: id.version})
	if err == nil {
		h.Release()
	}
	k := w.known[id]
	switch want := w.reachable(k, held); {
	case want == reachYes && err != nil:
		w.breaks("a request to %s, which is %s: %v", id, k.State, err)
	case want == reachNo && err == nil:
		w.breaks("a request to %s, which is %s, is answered", id, k.State)
	}
}

// probe asks for everything.
func (w *watcher) probe(held int) {
	for _, model := range randomModels {
		w.statuses(model)
		w.latest(model, held)
		for version := range int64(10) {
			w.specific(servable{model, version}, held)
		}
	}
	w.memory.look(w, false)
}

// reloadWatch tracks which reload requests have not been answered yet.
type reloadWatch struct {
	pending  []int // numbers of the pending requests, in the order in which they came
	answered map[int]bool
}

// calls records a reload request. A reload with a model list waits for the lock, whose order the
// answers must keep (TFS-2.3 item 1). A reload of another kind does not wait (TFS-8.2 step 1).
func (r *reloadWatch) calls(number int) { r.pending = append(r.pending, number) }

func (w *watcher) answers(number int, err *env.RPCError) {
	r := &w.reloads
	switch {
	case r.answered[number]:
		w.breaks("reload %d is answered twice: %v", number, err)
	case w.server.dead:
		w.breaks("reload %d is answered after the end of the process: %v", number, err)
	case len(r.pending) == 0 || r.pending[0] != number:
		w.breaks("reload %d is answered: %v; but %v were before it", number, err, r.pending)
	default:
		r.pending = r.pending[1:]
	}
	if r.answered == nil {
		r.answered = map[int]bool{}
	}
	r.answered[number] = true
}
