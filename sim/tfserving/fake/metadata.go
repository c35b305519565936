package fake

import (
	"strconv"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/pysem"
)

// Fields returns the Python repr of each requested field that is an attribute of the model, as the
// reference's ModelMgr.get_metadata does (TFS-17.1 item 21, mocked_tfserving.py:168-187).
func (f *Fake) Fields(name string, choice Choice, fields []string) (map[string]string, *env.RPCError) {
	values := map[string]string{}
	if len(fields) == 0 {
		return values, nil
	}
	i := f.index(name)
	if i < 0 {
		// The reference raises a KeyError, whose str is the repr of the name. grpc-python adds the
		// words before it.
		return nil, statusf(rpcerrors.Unknown, "Exception calling application: %s", pysem.Repr(name))
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

// attribute returns the Python repr of one attribute of the reference's ModelConf
// (mocked_tfserving.py:50-57). It returns false if there is no attribute of that name.
func (m *entry) attribute(field string) (string, bool) {
	switch field {
	case "model_name":
		return pysem.Repr(m.config.Name), true
	case "base_path":
		return pysem.Repr(m.config.BasePath), true
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

func (m *entry) versionData() string {
	switch {
	case m.unlimited:
		return "None"
	case m.latest:
		return strconv.FormatUint(uint64(m.data), 10)
	}
	numbers := make([]any, len(m.numbers))
	for i, n := range m.numbers {
		numbers[i] = int(n)
	}
	return pysem.Repr(numbers)
}

// versionAttribute returns the Python repr of one attribute of the ModelVersion that the request
// names. It returns false if there is no attribute of that name.
func (m *entry) versionAttribute(choice Choice, field string) (string, bool) {
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
			return pysem.Repr(*label), true
		}
		return "None", true
	case "state":
		return strconv.Itoa(int(m.versions[j].state)), true
	}
	return "", false
}
