package serve

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// This file has what may go wrong with a running server when somebody asks for it.

// RequestFault is a fault of the requests that match it: a delay, an error, or both.
type RequestFault struct {
	// Next is how many matching requests have the fault; below 0 all have it until Heal.
	Next int
	// Methods are methods of ModelService and PredictionService, such as "Predict", by gRPC
	// and REST; an empty list matches all.
	Methods []string
	// Model and Version select requests; "" and 0 match all. A request for the latest version
	// matches by the version that it is resolved to.
	Model   string
	Version int64
	// Delay is how much longer a request takes, in wall time.
	Delay time.Duration
	// Err answers the request after it was done; nil leaves the real answer.
	Err *env.RPCError
}

// Methods are the methods that a fault may name.
var Methods = []string{"Classify", "GetModelMetadata", "GetModelStatus", "HandleReloadConfigRequest", "MultiInference", "Predict", "Regress"}

// befalls reports whether a request matches the fault.
func (f *RequestFault) befalls(method, model string, version int64) bool {
	return (len(f.Methods) == 0 || slices.Contains(f.Methods, method)) &&
		(f.Model == "" || f.Model == model) && (f.Version == 0 || f.Version == version)
}

// faults are the faults of one process.
type faults struct {
	any atomic.Bool // false when no request has a fault; may be read without the lock
	// slow has the bits of the factor by which models are slower; 0 stands for 1.
	slow atomic.Uint64

	mu      sync.Mutex
	pending []RequestFault
	broken  map[string]bool // directories whose models cannot be loaded
}

// slowness returns the factor by which models are slower.
func (f *faults) slowness() float64 {
	if bits := f.slow.Load(); bits != 0 {
		return math.Float64frombits(bits)
	}
	return 1
}

// Slow makes models take so many times as long for requests that begin from now on, until
// Heal; 1 ends it.
func (s *Server) Slow(times float64) error {
	if !(times > 0) || math.IsInf(times, 0) {
		return fmt.Errorf("found %g times as long, want a number above 0", times)
	}
	s.faults.slow.Store(math.Float64bits(times))
	return nil
}

// Slowness returns the factor that Slow has set, or 1.
func (s *Server) Slowness() float64 { return s.faults.slowness() }

// meet returns the faults of a request, added up, and counts them: the first of those for a
// number of requests, and all that last until Heal.
func (f *faults) meet(method, model string, version int64) (delay time.Duration, err *env.RPCError) {
	if !f.any.Load() {
		return 0, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	counted := false
	f.pending = slices.DeleteFunc(f.pending, func(p RequestFault) bool { return p.Next == 0 })
	for i := range f.pending {
		p := &f.pending[i]
		if !p.befalls(method, model, version) || p.Next > 0 && counted {
			continue
		}
		if p.Next > 0 {
			p.Next--
			counted = true
		}
		delay += p.Delay
		if err == nil {
			err = p.Err
		}
	}
	return delay, err
}

// Befall adds a fault for requests from now on. It returns an error for a fault that would do
// nothing.
func (s *Server) Befall(f RequestFault) error {
	switch {
	case f.Next == 0:
		return fmt.Errorf("found 0 requests, want 1 or more, or below 0 for all")
	case f.Delay < 0:
		return fmt.Errorf("found a delay of %v, want 0 or more", f.Delay)
	case f.Delay == 0 && f.Err == nil:
		return fmt.Errorf("found nothing to befall requests, want a delay or an error")
	}
	for _, method := range f.Methods {
		if !slices.Contains(Methods, method) {
			return fmt.Errorf("method %q, want some of %s", method, strings.Join(Methods, ", "))
		}
	}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.pending = append(s.faults.pending, f)
	s.faults.any.Store(true)
	return nil
}

// Break makes every load fail of a version whose directory, or whose model's base path, is
// dir, as if its graph were missing, until Repair. What is loaded already stays.
func (s *Server) Break(dir string) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	if s.faults.broken == nil {
		s.faults.broken = map[string]bool{}
	}
	s.faults.broken[path.Clean(dir)] = true
}

// Repair ends Break, and reports whether the directory was broken.
func (s *Server) Repair(dir string) bool {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	was := s.faults.broken[path.Clean(dir)]
	delete(s.faults.broken, path.Clean(dir))
	return was
}

// Heal ends all faults.
func (s *Server) Heal() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.pending, s.faults.broken = nil, nil
	s.faults.any.Store(false)
	s.faults.slow.Store(0)
}

// Faults returns the faults that still wait for requests, and the broken directories.
func (s *Server) Faults() (pending []RequestFault, broken []string) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	for _, p := range s.faults.pending {
		if p.Next != 0 {
			pending = append(pending, p)
		}
	}
	return pending, slices.Sorted(maps.Keys(s.faults.broken))
}

// Versions returns the versions of every known model, as GetModelStatus tells them.
func (s *Server) Versions() map[string][]env.ModelVersionStatus {
	models := map[string][]env.ModelVersionStatus{}
	s.statuses.models.Range(func(name, status any) bool {
		models[name.(string)] = status.(*modelStatus).versions
		return true
	})
	return models
}

// suffer delays a request by its faults. It returns the error that replaces the answer, if
// there is one.
func (s *Server) suffer(method, model string, version int64) error {
	delay, failure := s.faults.meet(method, model, version)
	if delay > 0 {
		if gone := s.rest(delay); gone != nil {
			return gone
		}
	}
	if failure != nil {
		return failure
	}
	return nil
}

// breakable is a disk on which the graphs of broken directories do not exist.
type breakable struct {
	tfserving.Storage
	faults *faults
}

// graphs has the files without one of which no version can be loaded.
var graphs = []string{"saved_model.pb", "saved_model.pbtxt"}

func (b breakable) Exists(file string) bool {
	return !b.isBroken(file) && b.Storage.Exists(file)
}

func (b breakable) isBroken(file string) bool {
	if !slices.Contains(graphs, path.Base(file)) {
		return false
	}
	b.faults.mu.Lock()
	defer b.faults.mu.Unlock()
	version := path.Dir(file)
	return b.faults.broken[version] || b.faults.broken[path.Dir(version)]
}
