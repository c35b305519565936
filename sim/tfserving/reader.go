package tfserving

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Reader is where requests to models look: the serving map and the labels. They
// wait for nothing else, neither polls nor loads nor a disk that hangs (TFS-2.3;
// util/fast_read_dynamic_ptr.h, model_servers/server_core.cc:841-892).
//
// A Server calls its own on its one thread. Once it is shared, any thread may.
type Reader struct {
	server *Server
	shared bool
	// wake has the machine's thread call fn, later.
	wake func(fn func())

	// lock guards the rest. The machine changes it, requests read it.
	lock    Locker
	serving *servingMap
	labels  labelMap
	fault   *env.RPCError // what requests fail with, if anything
	slow    bool          // a load or an unload goes on
}

// Locker has the methods of sync.Locker; package sync itself is not for simulated code.
type Locker interface {
	Lock()
	Unlock()
}

// oneThread is the lock of those who need none.
type oneThread struct{}

func (oneThread) Lock()   {}
func (oneThread) Unlock() {}

func newReader(s *Server) *Reader {
	return &Reader{server: s, wake: s.timers.Soon, lock: oneThread{}, serving: &servingMap{}}
}

// Share has requests to models come on any thread: lock is theirs and the machine's,
// held for moments only; enter calls fn on the machine's thread, after it has
// returned. Call Share before Start.
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

// acquire finds the version that a request goes to and keeps it in use until
// Release (TFS-12.1).
func (r *Reader) acquire(spec env.ModelSpec) (Handle, error) {
	if r.server.fake != nil {
		return Handle{}, statusf(env.Unimplemented, "Method not implemented!")
	}
	if spec.Name == "" {
		return Handle{}, statusf(env.InvalidArgument, "ModelSpec has no name specified.")
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

// release takes a handle from a map and says who waits for that to have been the
// last, if anybody does.
func (r *Reader) release(serving *servingMap) (drained func()) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if serving.handles--; serving.handles > 0 {
		return nil
	}
	drained, serving.drained = serving.drained, nil
	return drained
}

// install puts a new map in the place of the old one. Unless that is free, drained
// runs once its last handle is released.
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

func (r *Reader) setLabels(labels labelMap) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.labels = labels
}

func (r *Reader) setFault(fault *env.RPCError) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.fault = fault
}

func (r *Reader) setSlow(slow bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.slow = slow
}

// condition is what befalls requests just now.
func (r *Reader) condition() (fault *env.RPCError, slow bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.fault, r.slow
}

// latency is how long a request takes that begins now (TFS-18.1).
func (r *Reader) latency(slow bool) time.Duration {
	cost := &r.server.options.Cost
	d := cost.drawPredict(r.server.host)
	if slow {
		return time.Duration(float64(d) * cost.PredictSlowdown)
	}
	return d
}
