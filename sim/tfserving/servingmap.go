package tfserving

import (
	"slices"
	"strings"
)

// servingMap is what requests look versions up in. It is replaced as a whole;
// whoever replaces it waits until the last handle from the old one is freed
// (util/fast_read_dynamic_ptr.h:105-112), because a handle keeps the whole map
// alive (core/basic_manager.cc:144-149).
type servingMap struct {
	models []served // by name; never changed
	// handles are those given out, drained is who waits until there are none; the
	// reader's lock guards both.
	handles int
	drained func()
}

// served are the ready versions of a model, ascending.
type served struct {
	model    string
	versions []*harness
}

// Handle keeps a version, and with it the serving map, in use until Release.
type Handle struct {
	reader  *Reader
	serving *servingMap
	harness *harness
}

// Model is the model's name.
func (h Handle) Model() string { return h.harness.id.model }

// Version is the version that the request resolved to.
func (h Handle) Version() int64 { return h.harness.id.version }

// Bundle is the loaded SavedModel.
func (h Handle) Bundle() *Bundle { return h.harness.bundle }

// Release frees the handle; call it once, at the end of the request.
func (h Handle) Release() {
	switch r := h.reader; {
	case r == nil: // python-fake serves nothing
	case r.shared:
		h.release()
	default:
		r.server.timers.Request(h.release)
	}
}

func (h Handle) release() {
	if drained := h.reader.release(h.serving); drained != nil {
		h.reader.wake(drained)
	}
}

// updateServingMap installs the map of all ready versions and runs done when
// nobody holds the old one. Call it with mu held.
func (m *manager) updateServingMap(done func()) {
	fresh := &servingMap{models: make([]served, 0, len(m.models))}
	for _, e := range m.models {
		var ready []*harness
		for _, h := range e.versions {
			if h.state == harnessReady {
				ready = append(ready, h)
			}
		}
		if len(ready) > 0 {
			fresh.models = append(fresh.models, served{e.name, ready})
		}
	}
	if m.server.reader.install(fresh, done) {
		done()
	}
}

// lookup finds a version, or with latest the highest one.
func (m *servingMap) lookup(id servable, latest bool) *harness {
	at, ok := slices.BinarySearchFunc(m.models, id.model, func(s served, name string) int { return strings.Compare(s.model, name) })
	if !ok {
		return nil
	}
	versions := m.models[at].versions
	if latest {
		return versions[len(versions)-1]
	}
	for _, h := range versions {
		if h.id.version == id.version {
			return h
		}
	}
	return nil
}
