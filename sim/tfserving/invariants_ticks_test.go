package tfserving

import (
	"cmp"
	"maps"
	"slices"
)

// tick checks that the manager's ticks begin 100 ms apart. After a tick that took longer, the next
// begins at once (TFS-2.1, TFS-2.2).
func (w *watcher) tick() {
	now := w.now()
	if w.ticks > 0 && now < w.tickBegan+manageInterval {
		w.breaks("a tick %v after the last one", now-w.tickBegan)
	}
	if w.ticks > 0 && w.turns != 1 {
		w.breaks("the last tick had %d turns, want 1", w.turns)
	}
	if !w.server.manager.busy {
		w.ticks++
		w.tickBegan, w.turns = now, 0
	}
}

// turn checks the state of a tick just before its action. acts says whether there is an action
// (TFS-4.2).
func (w *watcher) turn(a action, acts bool) {
	if w.turns++; w.turns > 1 {
		w.breaks("two turns in one tick")
	}
	for _, e := range w.server.manager.models {
		w.managed(e)
	}
	unloads, loads := w.proposals()
	switch {
	case !acts && len(unloads)+len(loads) > 0:
		w.breaks("nothing is done although there are %v to unload and %v to load", ids(unloads), ids(loads))
	case !acts:
	case a.kind == loadAction && len(unloads) > 0:
		w.breaks("%s is loaded before %v are unloaded", a.harness.id, ids(unloads))
	case a.kind == loadAction && !loads[a.harness]:
		w.breaks("%s is loaded, want one of %v", a.harness.id, ids(loads))
	case a.kind == unloadAction && !unloads[a.harness]:
		w.breaks("%s is unloaded, want one of %v", a.harness.id, ids(unloads))
	case a.kind == unloadAction:
		w.keepsServing(a.harness)
	}
}

func ids(set map[*harness]bool) []servable {
	return slices.SortedFunc(maps.Keys(idSet(set)), func(a, b servable) int {
		if a.model != b.model {
			return slices.Compare([]byte(a.model), []byte(b.model))
		}
		return cmp.Compare(a.version, b.version)
	})
}

func idSet(set map[*harness]bool) map[servable]bool {
	named := map[servable]bool{}
	for h := range set { //lint:ordered all get the same value
		named[h.id] = true
	}
	return named
}

// managed checks the versions of one model. No version is managed twice. A request stays queued
// only for a version that it aspires again (TFS-4.2). After a request was processed, exactly the
// versions in the source's last request are aspired.
func (w *watcher) managed(e *managed) {
	var aspired []int64
	reaspired := false
	for i, h := range e.versions {
		if i > 0 && e.versions[i-1].id.version >= h.id.version {
			w.breaks("%s comes after %s", h.id, e.versions[i-1].id)
		}
		if h.aspired {
			aspired = append(aspired, h.id.version)
		} else {
			if _, ok := w.unwanted[h.id]; !ok && h.state >= harnessLoadRequested && h.state <= harnessLoading {
				w.unwanted[h.id] = w.now()
			}
			reaspired = reaspired || slices.Contains(w.asked[e.name], h.id.version)
		}
	}
	switch asked := distinct(w.asked[e.name]); {
	case e.waiting && !reaspired:
		w.breaks("the request of %s waits for nothing", e.name)
	case !e.waiting && !slices.Equal(asked, aspired):
		w.breaks("%s aspires %v, but the source asked for %v", e.name, aspired, asked)
	}
}

func numbersOf(versions []aspired) []int64 {
	numbers := make([]int64, 0, len(versions))
	for _, v := range versions {
		numbers = append(numbers, v.version)
	}
	return numbers
}

// distinct returns the numbers in ascending order without duplicates.
func distinct(numbers []int64) []int64 {
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// proposals returns the actions that the policies of TFS-4.4 allow for each model
// (core/availability_preserving_policy.cc:47-88, core/resource_preserving_policy.cc:24-61).
func (w *watcher) proposals() (unloads, loads map[*harness]bool) {
	unloads, loads = map[*harness]bool{}, map[*harness]bool{}
	for _, e := range w.server.manager.models {
		if w.server.options.Transition == ResourcePreserving {
			proposeForResources(e, unloads, loads)
			continue
		}
		old, serving, next := census(e)
		wanted := slices.ContainsFunc(e.versions, func(h *harness) bool { return h.aspired })
		switch {
		case len(old) > 1 || len(old) == 1 && (serving > 0 || !wanted):
			unloads[old[0]] = true
		case next != nil:
			loads[next] = true
		}
	}
	return unloads, loads
}

// census returns the Ready versions that are not aspired, the number of aspired Ready versions, and
// the highest aspired New version.
func census(e *managed) (old []*harness, serving int, next *harness) {
	for _, h := range e.versions {
		switch {
		case h.state == harnessReady && h.aspired:
			serving++
		case h.state == harnessReady:
			old = append(old, h)
		case h.state == harnessNew && h.aspired:
			next = h
		}
	}
	return old, serving, next
}

// proposeForResources adds the actions of ResourcePreserving: it may unload any version that is no
// longer aspired.
func proposeForResources(e *managed, unloads, loads map[*harness]bool) {
	old, _, next := census(e)
	for _, h := range old {
		unloads[h] = true
	}
	inUse := slices.ContainsFunc(e.versions, func(h *harness) bool {
		return !h.aspired && h.state != harnessDisabled && h.state != harnessError
	})
	if !inUse && next != nil {
		loads[next] = true
	}
}

// keepsServing checks AvailabilityPreserving. A model with aspired versions that has a Ready
// version, aspired or not, always keeps one. A model loses its last Ready version only if nothing
// is aspired (core/availability_preserving_policy.cc:62-74).
func (w *watcher) keepsServing(gone *harness) {
	if w.server.options.Transition != AvailabilityPreserving {
		return
	}
	aspired, ready := 0, 0
	for _, h := range w.server.manager.named(gone.id.model).versions {
		if h.aspired {
			aspired++
		}
		if h.state == harnessReady && h != gone {
			ready++
		}
	}
	if aspired > 0 && ready == 0 {
		w.breaks("%s, the last that serves, is unloaded although %d versions are aspired", gone.id, aspired)
	}
}
