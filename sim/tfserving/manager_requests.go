package tfserving

import (
	"cmp"
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// processPending processes the pending requests in the order of model names. It skips requests that
// aspire a version again while the version is being dropped.
func (m *manager) processPending() (changed bool) {
	for _, e := range m.models {
		if e.waiting && !e.reaspires() {
			versions := e.pending
			e.pending, e.waiting = nil, false
			changed = m.process(e, versions) || changed
		}
	}
	return changed
}

// reaspires reports whether the pending request names a version that is managed but no longer
// aspired. Such a request stays queued until that version is gone.
func (e *managed) reaspires() bool {
	return slices.ContainsFunc(e.versions, func(h *harness) bool {
		return !h.aspired && contains(e.pending, h.id.version)
	})
}

func contains(versions []aspired, version int64) bool {
	return slices.ContainsFunc(versions, func(v aspired) bool { return v.version == version })
}

// process marks versions that are not listed as no longer aspired, and creates listed versions that
// are new. It does not change versions that are already aspired, whatever their path or state.
func (m *manager) process(e *managed, versions []aspired) (changed bool) {
	for _, h := range e.versions {
		if !contains(versions, h.id.version) {
			changed = changed || h.aspired
			h.aspired = false
			h.cancelled = h.cancelled || h.state != harnessError
		}
	}
	if m.server.options.ReloadServablesWithError {
		e.dropFailed(versions)
	}
	for _, v := range e.additions(versions) {
		if m.manage(e, v) {
			changed = true
			continue
		}
		id := servable{e.name, v.version}
		m.server.errorf("Internal error: Unable to transfer servable %s to 'basic_manager_': "+
			"This servable is already being managed: %s", id, id)
	}
	return changed
}

// dropFailed removes failed versions that are listed again, so that they are created anew
// (core/aspired_versions_manager.cc:335-350).
func (e *managed) dropFailed(versions []aspired) {
	e.versions = slices.DeleteFunc(e.versions, func(h *harness) bool {
		return h.aspired && h.state == harnessError && contains(versions, h.id.version)
	})
}

// additions returns the listed versions that are not yet managed. A version that is listed twice
// is returned twice, and manage refuses the second (core/basic_manager.cc:357-362).
func (e *managed) additions(versions []aspired) []aspired {
	return slices.DeleteFunc(slices.Clone(versions), func(v aspired) bool {
		return slices.ContainsFunc(e.versions, func(h *harness) bool { return h.id.version == v.version })
	})
}

func (m *manager) manage(e *managed, v aspired) (added bool) {
	i, found := slices.BinarySearchFunc(e.versions, v.version, func(h *harness, version int64) int {
		return cmp.Compare(h.id.version, version)
	})
	if found {
		return false
	}
	h := &harness{id: servable{model: e.name, version: v.version}, path: v.path, aspired: true}
	e.versions = slices.Insert(e.versions, i, h)
	if v.err != nil {
		m.fail(h, v.err)
		return true
	}
	m.server.publish(h.id, env.StateStart, nil)
	return true
}
