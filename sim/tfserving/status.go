package tfserving

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/fake"
)

// monitor holds the latest state of every version that was ever published (upstream's
// ServableStateMonitor). It never forgets an End (TFS-7.2).
type monitor struct {
	models []*modelStates // models is sorted by name
}

// modelStates holds the states of one model's versions, the highest version first. answer is
// returned to status requests, so a change replaces the slice and never writes to it.
type modelStates struct {
	name   string
	answer []env.ModelVersionStatus
	errs   []*env.RPCError
	given  bool
}

// find returns the model's index in models and true. For an unknown model it returns the index at
// which to insert it, and false.
func (m *monitor) find(model string) (at int, found bool) {
	return slices.BinarySearchFunc(m.models, model, func(s *modelStates, name string) int { return strings.Compare(s.name, name) })
}

// of returns the states of a model; nil if none was ever published.
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

// state returns the latest state of a version; StateUnknown if none was published.
func (m *monitor) state(id servable) env.ModelState {
	if states := m.of(id.model); states != nil {
		if i, found := states.find(id.version); found {
			return states.answer[i].State
		}
	}
	return env.StateUnknown
}

// settled returns the model's highest version whose state is AVAILABLE or END
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

// available reports whether any version of the model is AVAILABLE (core/servable_state_monitor.cc,
// GetAvailableServableStates).
func (m *monitor) available(model string) bool {
	states := m.of(model)
	return states != nil && slices.ContainsFunc(states.answer, func(v env.ModelVersionStatus) bool {
		return v.State == env.StateAvailable
	})
}

// Status answers GetModelStatus. It ignores the label, and returns the highest version first
// (TFS-7.2). It never waits for loads or reloads, and allocates nothing while no state changes.
// Callers must not change the answer.
func (s *Server) Status(spec env.ModelSpec) ([]env.ModelVersionStatus, error) {
	s.timers.CatchUp()
	return s.StatusSoFar(spec)
}

// StatusSoFar does what Status does, but does not first run the timers due at this instant.
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

// SelectStatus answers GetModelStatus from a list of statuses. versions must hold the statuses of
// all versions of the spec's model, the highest first; nil for an unknown model. The error is an
// *env.RPCError with code NotFound.
func SelectStatus(spec env.ModelSpec, versions []env.ModelVersionStatus) ([]env.ModelVersionStatus, error) {
	if spec.HasVersion {
		i := slices.IndexFunc(versions, func(v env.ModelVersionStatus) bool { return v.Version == spec.Version })
		if i < 0 {
			return nil, statusf(rpcerrors.NotFound, "Could not find version %d of model %s", spec.Version, spec.Name)
		}
		return versions[i : i+1 : i+1], nil
	}
	if len(versions) == 0 {
		return nil, statusf(rpcerrors.NotFound, "Could not find any versions of model %s", spec.Name)
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

func errMissingSpec() error { return statusf(rpcerrors.InvalidArgument, "Missing ModelSpec") }
