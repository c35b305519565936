package tfserving

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/answers"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Reader holds the data that inference requests read: the serving map and the labels. Requests
// never wait for polls, loads or a disk that hangs (TFS-2.3; util/fast_read_dynamic_ptr.h,
// model_servers/server_core.cc:841-892).
//
// By default only the server's own thread may call a Reader. After Share, any thread may call it.
type Reader struct {
	server *Server
	shared bool
	// wake schedules fn on the server's thread.
	wake func(fn func())

	// lock guards the fields below. The server's thread changes these fields, and requests read
	// them.
	lock    Locker
	serving *servingMap
	labels  labelMap
	fault   *env.RPCError   // fault is the error of every request; nil for none
	slow    bool            // slow is true while a version is being loaded or unloaded
	warned  time.Duration   // warned is when a request that passes by the batcher was last logged; 0 for never
	script  *answers.Script // script holds the scripted answers of models; nil for none
}

// Locker has the methods of sync.Locker. Simulated code may not import package sync.
type Locker interface {
	Lock()
	Unlock()
}

// oneThread is a lock that does nothing, for a Reader that only one thread uses.
type oneThread struct{}

func (oneThread) Lock()   {}
func (oneThread) Unlock() {}

func newReader(s *Server) *Reader {
	return &Reader{server: s, wake: s.timers.Soon, lock: oneThread{}, serving: &servingMap{}, script: s.options.Answers}
}

// Share allows inference requests from any thread. lock guards the Reader's data and is held only
// briefly. enter schedules fn on the server's thread and returns before fn runs. Call Share before
// Start.
func (s *Server) Share(lock Locker, enter func(fn func())) *Reader {
	r := s.reader
	r.shared, r.lock = true, lock
	r.wake = func(fn func()) {
		enter(func() {
			if !s.dead {
				s.timers.Enter(timerqueue.Thread, fn)
			}
		})
	}
	return r
}

// acquire resolves the version for a request and keeps it in use until Release (TFS-12.1).
func (r *Reader) acquire(spec env.ModelSpec) (Handle, error) {
	if r.server.fake != nil {
		return Handle{}, statusf(rpcerrors.Unimplemented, "Method not implemented!")
	}
	if spec.Name == "" {
		return Handle{}, statusf(rpcerrors.InvalidArgument, "ModelSpec has no name specified.")
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	version, latest := spec.Version, !spec.HasVersion
	if latest && spec.Label != "" {
		labelled, err := r.requestedLabel(spec.Name, spec.Label)
		if err != nil {
			return Handle{}, err
		}
		version, latest = labelled, false
	}
	h := r.serving.lookup(servable{spec.Name, version}, latest)
	if h == nil {
		return Handle{}, servableNotFound(spec.Name, version, latest)
	}
	r.serving.handles++
	return Handle{reader: r, serving: r.serving, harness: h}, nil
}

// release drops one handle of a serving map. If it was the last handle of an old map, release
// returns the map's callback drained, else nil.
func (r *Reader) release(serving *servingMap) (drained func()) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if serving.handles--; serving.handles > 0 {
		return nil
	}
	drained, serving.drained = serving.drained, nil
	return drained
}

// install replaces the serving map. It returns true if the old map has no handles. Otherwise
// drained will be called when the last handle is released.
func (r *Reader) install(fresh *servingMap, drained func()) (free bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	old := r.serving
	r.serving = fresh
	if old.handles == 0 {
		return true
	}
	old.drained = drained
	return false
}

func (r *Reader) set(change func(r *Reader)) {
	r.lock.Lock()
	defer r.lock.Unlock()
	change(r)
}

// condition returns the error that every request gets (nil for none), whether requests are slower
// because of loads, and the script of answers.
func (r *Reader) condition() (fault *env.RPCError, slow bool, script *answers.Script) {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.fault, r.slow, r.script
}

// latency draws the duration of a request that begins now (TFS-18.1). slow says whether a version
// is being loaded or unloaded.
func (r *Reader) latency(slow bool) time.Duration {
	cost := &r.server.options.Cost
	d := cost.drawPredict(r.server.host)
	if slow {
		return time.Duration(float64(d) * cost.PredictSlowdown)
	}
	return d
}

// batchLatency draws the duration of a batch that begins now and has the given number of rows.
func (r *Reader) batchLatency(rows int64) time.Duration {
	_, slow, _ := r.condition()
	cost, times := &r.server.options.Cost, 1.0
	if cost.PredictItemTime > 0 && cost.PredictTime > 0 {
		times += float64(rows) * float64(cost.PredictItemTime) / float64(cost.PredictTime)
	}
	if s := r.server; s.Slowness != nil {
		times *= s.Slowness()
	}
	return time.Duration(float64(r.latency(slow)) * times)
}

// servingMap holds the versions that requests can use. An update replaces the whole map. It then
// waits until the last handle of the old map is released (util/fast_read_dynamic_ptr.h:105-112). A
// handle to one version keeps the whole map alive (core/basic_manager.cc:144-149).
type servingMap struct {
	models []served // models is sorted by name and never changes
	// handles counts the handles in use. When the count reaches 0, drained is called. The reader's
	// lock guards both.
	handles int
	drained func()
}

// served holds the ready versions of a model, in ascending order.
type served struct {
	model    string
	versions []*harness
}

// Handle keeps a version in use until Release, and with it the whole serving map.
type Handle struct {
	reader  *Reader
	serving *servingMap
	harness *harness
}

// Model returns the name of the model.
func (h Handle) Model() string { return h.harness.id.model }

// Version returns the number of the version.
func (h Handle) Version() int64 { return h.harness.id.version }

// Bundle returns the loaded SavedModel.
func (h Handle) Bundle() *Bundle { return h.harness.bundle }

// Release ends the use of the version. Call it once, at the end of the request.
func (h Handle) Release() {
	switch r := h.reader; {
	case r == nil: // the profile python-fake resolves no version, and has no reader
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

// updateServingMap installs a map of all ready versions. It calls done when the old map has no
// handles any more. The caller holds mu.
func (m *manager) updateServingMap(done func()) {
	fresh := &servingMap{models: make([]served, 0, len(m.models))}
	for _, e := range m.models {
		ready := lists.Filter(e.versions, func(h *harness) bool { return h.state == harnessReady })
		if len(ready) > 0 {
			fresh.models = append(fresh.models, served{e.name, ready})
		}
	}
	if m.server.reader.install(fresh, done) {
		done()
	}
}

// lookup returns a model's version with the number in id, or its highest version if latest is set.
// It returns nil if no such version is served.
func (m *servingMap) lookup(id servable, latest bool) *harness {
	at, ok := slices.BinarySearchFunc(m.models, id.model, func(s served, name string) int { return strings.Compare(s.model, name) })
	if !ok {
		return nil
	}
	versions := m.models[at].versions
	if latest {
		return versions[len(versions)-1]
	}
	return lists.Find(versions, func(h *harness) bool { return h.id.version == id.version })
}
