package tfserving

import (
	"slices"
	"strconv"

	"github.com/monosim/monosim/engine/env"
)

// metadata is GetModelMetadata (item 21): the repr of each field that is an
// attribute.
func (f *fake) metadata(request MetadataRequest) (Metadata, error) {
	var spec env.ModelSpec
	if request.Spec != nil {
		spec = *request.Spec
	}
	answer := Metadata{Version: spec.Version, FakeFields: map[string]string{}}
	if len(request.Fields) == 0 {
		return answer, nil
	}
	i := f.index(spec.Name)
	if i < 0 {
		// str(KeyError(n)) is repr(n); grpc-python words the rest.
		return Metadata{}, statusf(env.Unknown, "Exception calling application: %s", pythonRepr(spec.Name))
	}
	m := f.models[i]
	for _, field := range request.Fields {
		if value, ok := m.attribute(field); ok {
			answer.FakeFields[field] = value
		}
		if value, ok := m.versionAttribute(spec, field); ok {
			answer.FakeFields[field] = value
		}
	}
	return answer, nil
}

// attribute is the repr of a field of ModelConf (mocked_tfserving.py:50-57).
func (m *fakeModel) attribute(field string) (string, bool) {
	switch field {
	case "model_name":
		return pythonRepr(m.config.Name), true
	case "base_path":
		return pythonRepr(m.config.BasePath), true
	case "version_policy":
		if m.latest {
			return "'latest'", true
		}
		return "'specific'", true
	case "version_data":
		return m.versionData(), true
	case "model_platform":
		return "'tensorflow'", true
	case "signature_name":
		return "('update', 'predict')", true
	}
	return "", false
}

func (m *fakeModel) versionData() string {
	switch {
	case m.unlimited:
		return "None"
	case m.latest:
		return strconv.FormatUint(uint64(m.data), 10)
	}
	return pythonList(m.numbers)
}

// versionAttribute is the repr of a field of the ModelVersion that the request
// names.
func (m *fakeModel) versionAttribute(spec env.ModelSpec, field string) (string, bool) {
	if !spec.HasVersion {
		return "", false
	}
	j := slices.IndexFunc(m.versions, func(v fakeVersion) bool { return v.version == spec.Version })
	if j < 0 {
		return "", false
	}
	switch field {
	case "version":
		return strconv.FormatInt(m.versions[j].version, 10), true
	case "version_label":
		return "None", true
	case "state":
		return strconv.Itoa(int(m.versions[j].state)), true
	}
	return "", false
}
