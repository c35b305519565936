package serve

import (
	"cmp"
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
	"github.com/monosim/monosim/sim/tfserving/answers"
)

// This file injects faults into a running server.

// RequestFault delays matching requests, makes them fail, or both.
type RequestFault struct {
	// Next is how many matching requests are affected. A negative number affects all until Heal.
	Next int
	// Methods lists the affected methods of ModelService and PredictionService, such as "Predict",
	// by gRPC and REST; an empty list matches all.
	Methods []string
	// Model and Version select requests; "" and 0 match all. For a request for the latest version,
	// Version is compared with the version that answers.
	Model   string
	Version int64
	// Delay is added to the duration of a request, in wall time.
	Delay time.Duration
	// Err replaces the answer after the request was executed; nil keeps the real answer.
	Err *env.RPCError
}

// Methods lists the methods that RequestFault.Methods may contain.
var Methods = []string{"Classify", "GetModelMetadata", "GetModelStatus", "HandleReloadConfigRequest", "MultiInference", "Predict", "Regress"}

func (f *RequestFault) befalls(method, model string, version int64) bool {
	return (len(f.Methods) == 0 || slices.Contains(f.Methods, method)) &&
		(f.Model == "" || f.Model == model) && (f.Version == 0 || f.Version == version)
}

type faults struct {
	any atomic.Bool // any is false when no request is affected; it may be read without mu
	// slow holds the bits of a float64, by which the duration of inference requests is multiplied.
	// 0 means a factor of 1.
	slow atomic.Uint64

	mu      sync.Mutex
	pending []RequestFault
	broken  map[string]bool // broken holds the directories whose models cannot be loaded
}

// slowness returns the factor that Slow has set; 1 by default.
func (f *faults) slowness() float64 {
	if bits := f.slow.Load(); bits != 0 {
		return math.Float64frombits(bits)
	}
	return 1
}

// Slow multiplies the duration of inference requests that begin from now on, until Heal. A factor
// of 1 ends it.
func (s *Server) Slow(times float64) error {
	if !(times > 0) || math.IsInf(times, 0) {
		return fmt.Errorf("found %g times as long, want a number above 0", times)
	}
	s.faults.slow.Store(math.Float64bits(times))
	return nil
}

// Slowness returns the factor that Slow has set; 1 by default.
func (s *Server) Slowness() float64 { return s.faults.slowness() }

// meet returns the sum of the delays and the first error of the faults that match a request. Of the
// faults with a limited number only the first one applies and is counted down. All unlimited ones
// apply.
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
		err = cmp.Or(err, p.Err)
	}
	return delay, err
}

// Befall adds a fault for later requests. It returns an error for a fault that would have no
// effect.
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

// Break makes loads fail, until Repair, as if the graph file were missing. dir is a version's
// directory, or a base path for all versions below it. Loaded versions stay loaded.
func (s *Server) Break(dir string) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	if s.faults.broken == nil {
		s.faults.broken = map[string]bool{}
	}
	s.faults.broken[path.Clean(dir)] = true
}

// Repair ends Break for dir, and reports whether dir was broken.
func (s *Server) Repair(dir string) bool {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	was := s.faults.broken[path.Clean(dir)]
	delete(s.faults.broken, path.Clean(dir))
	return was
}

// SetAnswers makes models answer as a script says from now on. Nil removes the script.
func (s *Server) SetAnswers(script *answers.Script) { s.reader.SetAnswers(script) }

// Heal ends all injected faults.
func (s *Server) Heal() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.pending, s.faults.broken = nil, nil
	s.faults.any.Store(false)
	s.faults.slow.Store(0)
}

// Faults returns the request faults that are still active, and the broken directories.
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

// Versions returns the version states of every known model, as GetModelStatus reports them.
func (s *Server) Versions() map[string][]env.ModelVersionStatus {
	models := map[string][]env.ModelVersionStatus{}
	s.statuses.models.Range(func(name, status any) bool {
		models[name.(string)] = status.(*modelStatus).versions
		return true
	})
	return models
}

// suffer applies the faults to a request. It waits for their delay, and returns the error that
// replaces the answer, or nil.
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

// breakable wraps a disk. It hides the graph files in broken directories.
type breakable struct {
	tfserving.Storage
	faults *faults
}

// graphs holds the possible names of the graph file. A version needs one of them to load.
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
