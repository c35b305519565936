package tfserving

import (
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
	fields, err := f.fields(spec.Name, fakeChoiceOf(spec), request.Fields)
	if err != nil {
		return Metadata{}, err
	}
	return Metadata{Version: spec.Version, FakeFields: fields}, nil
}

// fields is ModelMgr.get_metadata (mocked_tfserving.py:168-187), each value as its
// repr.
func (f *fake) fields(name string, choice fakeChoice, fields []string) (map[string]string, *env.RPCError) {
	values := map[string]string{}
	if len(fields) == 0 {
		return values, nil
	}
	i := f.index(name)
	if i < 0 {
		// str(KeyError(n)) is repr(n); grpc-python words the rest.
		return nil, statusf(env.Unknown, "Exception calling application: %s", pythonRepr(name))
	}
	m := f.models[i]
	for _, field := range fields {
		if value, ok := m.attribute(field); ok {
			values[field] = value
		}
		if value, ok := m.versionAttribute(choice, field); ok {
			values[field] = value
		}
	}
	return values, nil
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
func (m *fakeModel) versionAttribute(choice fakeChoice, field string) (string, bool) {
	if choice.version == nil {
		return "", false
	}
	j := m.chosen(choice)
	if j < 0 {
		return "", false
	}
	switch field {
	case "version":
		return strconv.FormatInt(m.versions[j].version, 10), true
	case "version_label":
		if label := m.versions[j].label; label != nil {
			return pythonRepr(*label), true
		}
		return "None", true
	case "state":
		return strconv.Itoa(int(m.versions[j].state)), true
	}
	return "", false
}
