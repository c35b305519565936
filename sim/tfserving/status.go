package tfserving

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/fake"
)

// monitor keeps the latest state of every version that it ever heard of (upstream's
// ServableStateMonitor). It never forgets an End (TFS-7.2).
type monitor struct {
	models []*modelStates // by name
}

// modelStates has one model's versions, the highest first. answer is what status requests
// get. Once given out it is replaced, never changed.
type modelStates struct {
	name   string
	answer []env.ModelVersionStatus
	errs   []*env.RPCError
	given  bool
}

// find returns the place of a model, or where it belongs.
func (m *monitor) find(model string) (at int, found bool) {
	return slices.BinarySearchFunc(m.models, model, func(s *modelStates, name string) int { return strings.Compare(s.name, name) })
}

// of returns the states of a model; nil when the monitor never heard of it.
func (m *monitor) of(model string) *modelStates {
	if at, found := m.find(model); found {
		return m.models[at]
	}
	return nil
}

func (m *monitor) handle(event Event) {
	at, found := m.find(event.Model)
	if !found {
		m.models = slices.Insert(m.models, at, &modelStates{name: event.Model})
	}
	m.models[at].set(event)
}

func (s *modelStates) set(event Event) {
	if s.given {
		s.answer, s.given = slices.Clone(s.answer), false
	}
	i, found := s.find(event.Version)
	if !found {
		s.answer = slices.Insert(s.answer, i, env.ModelVersionStatus{Version: event.Version})
		s.errs = slices.Insert(s.errs, i, nil)
	}
	s.answer[i].State = event.State
	s.answer[i].Status = statusProto(event.Err)
	s.errs[i] = event.Err
}

func (s *modelStates) find(version int64) (int, bool) {
	for i := range s.answer {
		if v := s.answer[i].Version; v <= version {
			return i, v == version
		}
	}
	return len(s.answer), false
}

// state returns the latest state of a version, or StateUnknown.
func (m *monitor) state(id servable) env.ModelState {
	if states := m.of(id.model); states != nil {
		if i, found := states.find(id.version); found {
			return states.answer[i].State
		}
	}
	return env.StateUnknown
}

// settled returns the highest version of the model that is available or at its end
// (core/servable_state_monitor.cc:84-104).
func (m *monitor) settled(model string) (version int64, state env.ModelState, err *env.RPCError, ok bool) {
	states := m.of(model)
	if states == nil {
		return 0, 0, nil, false
	}
	for i, v := range states.answer {
		if v.State == env.StateAvailable || v.State == env.StateEnd {
			return v.Version, v.State, states.errs[i], true
		}
	}
	return 0, 0, nil, false
}

// Status answers GetModelStatus. It ignores the label, and returns the highest version first
// (TFS-7.2). Loads and reloads never hold it up, and it allocates nothing while nothing
// changes. Callers must not change the answer.
func (s *Server) Status(spec env.ModelSpec) ([]env.ModelVersionStatus, error) {
	s.timers.CatchUp()
	return s.StatusSoFar(spec)
}

// StatusSoFar is Status, but does not run what is due at this very instant.
func (s *Server) StatusSoFar(spec env.ModelSpec) ([]env.ModelVersionStatus, error) {
	if s.fake != nil {
		return s.fake.Status(spec.Name, fake.ChoiceOf(spec)), nil
	}
	states := s.states.of(spec.Name)
	if states == nil {
		return SelectStatus(spec, nil)
	}
	states.given = true
	return SelectStatus(spec, states.answer)
}

// SelectStatus answers GetModelStatus from versions, the statuses of all versions of the spec's
// model with the highest first; nil for a model that was never heard of. The error is an
// *env.RPCError with code NotFound.
func SelectStatus(spec env.ModelSpec, versions []env.ModelVersionStatus) ([]env.ModelVersionStatus, error) {
	if spec.HasVersion {
		i := slices.IndexFunc(versions, func(v env.ModelVersionStatus) bool { return v.Version == spec.Version })
		if i < 0 {
			return nil, statusf(env.NotFound, "Could not find version %d of model %s", spec.Version, spec.Name)
		}
		return versions[i : i+1 : i+1], nil
	}
	if len(versions) == 0 {
		return nil, statusf(env.NotFound, "Could not find any versions of model %s", spec.Name)
	}
	return versions, nil
}

// StatusWithoutSpec answers a status request without a model_spec (TFS-7.3, TFS-17.1 item 9).
func (s *Server) StatusWithoutSpec() ([]env.ModelVersionStatus, error) {
	if s.fake != nil {
		return s.Status(env.ModelSpec{})
	}
	return nil, errMissingSpec()
}

func errMissingSpec() error { return statusf(env.InvalidArgument, "Missing ModelSpec") }
