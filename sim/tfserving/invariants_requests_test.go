package tfserving

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// statuses: a model's versions come in descending order with their last events,
// and none is ever forgotten (TFS-7.2).
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

// latest: a request without a version goes to the highest that is AVAILABLE. One
// that is Ready already, but whose AVAILABLE waits for the requests of the last
// serving map, can be reached, too (TFS-12.1, TFS-2.3 item 3).
func (w *watcher) latest(model string, held int) {
	var want int64
	some := false
	for _, k := range w.versions(model) {
		if k.State == env.StateAvailable {
			want, some = k.Version, true
		}
	}
	h, err := w.server.Acquire(env.ModelSpec{Name: model})
	if err != nil {
		if some {
			w.breaks("a request to %s: %v, want version %d", model, err, want)
		}
		return
	}
	defer h.Release()
	switch k := w.known[h.harness.id]; {
	case k.State == env.StateLoading && held > 0 && h.harness.state == harnessReady:
	case k.State != env.StateAvailable:
		w.breaks("a request to %s goes to version %d, which is %s", model, h.Version(), k.State)
	case h.Version() != want:
		w.breaks("a request to %s goes to version %d, want %d", model, h.Version(), want)
	}
}

// specific: a version that is asked for answers if and only if it can be reached.
func (w *watcher) specific(id servable, held int) {
	h, err := w.server.Acquire(env.ModelSpec{Name: id.model, HasVersion: true, Version: id.version})
	if err == nil {
		defer h.Release()
	}
	state := w.known[id].State
	delayed := state == env.StateLoading && held > 0
	if found := err == nil; found != (state == env.StateAvailable) && !delayed {
		w.breaks("a request to %s, which is %s: %v", id, state, err)
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

// reloadWatch knows which reloads are not answered yet.
type reloadWatch struct {
	pending  []int // in the order of the requests
	answered map[int]bool
}

// calls notes a reload; one of another kind than a model list does not wait for the
// lock (TFS-8.2 step 1), which answers must come in the order of (TFS-2.3 item 1).
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
