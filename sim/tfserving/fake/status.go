package fake

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// Choice is the version_choice of a model_spec: a version, a label, or neither. An empty label
// counts as a choice, which env.ModelSpec cannot express.
type Choice struct {
	version *int64
	label   *string
}

// ChoiceOf returns the version choice in an env.ModelSpec.
func ChoiceOf(spec env.ModelSpec) (choice Choice) {
	switch {
	case spec.HasVersion:
		choice.version = &spec.Version
	case spec.Label != "":
		choice.label = &spec.Label
	}
	return choice
}

func choiceFromProto(spec *apis.ModelSpec) (choice Choice) {
	switch c := spec.GetVersionChoice().(type) {
	case *apis.ModelSpec_Version:
		version := c.Version.GetValue()
		choice.version = &version
	case *apis.ModelSpec_VersionLabel:
		choice.label = &c.VersionLabel
	}
	return choice
}

// Status returns the states of a model's versions in the order of insertion, as the reference's
// ModelMgr.get_status does (mocked_tfserving.py:134-166). Labels never match, and an unknown model
// or version has version -1 (TFS-17.1 items 8 to 11).
func (f *Fake) Status(name string, choice Choice) []env.ModelVersionStatus {
	if i := f.index(name); i >= 0 {
		m := f.models[i]
		answer := m.statuses()
		if choice == (Choice{}) {
			return answer
		}
		if j := m.chosen(choice); j >= 0 {
			return answer[j : j+1 : j+1]
		}
	}
	return []env.ModelVersionStatus{{
		Version: -1,
		Status:  env.StatusProto{Code: rpcerrors.NotFound, Message: name + " is not found"},
	}}
}

// chosen returns the index of the first version that matches the choice; -1 if none matches.
func (m *entry) chosen(choice Choice) int {
	return slices.IndexFunc(m.versions, func(v servable) bool {
		if choice.version != nil {
			return v.version == *choice.version
		}
		return choice.label != nil && v.label != nil && *v.label == *choice.label
	})
}

func (m *entry) statuses() []env.ModelVersionStatus {
	if m.answer == nil {
		m.answer = make([]env.ModelVersionStatus, len(m.versions))
		for i, v := range m.versions {
			m.answer[i] = env.ModelVersionStatus{Version: v.version, State: v.state}
		}
	}
	return m.answer
}
