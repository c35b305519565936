// Package upstream_test holds our messages of TensorFlow and TensorFlow Serving to
// upstream's own, as record.py recorded them in upstream.json.
//
// To record another release run record.py; what our messages have more or less
// than upstream's is listed in this file.
package upstream_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	_ "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	_ "github.com/monosim/monosim/engine/proto/tensorflow/core/util"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/servables/tensorflow"
)

//go:embed upstream.json
var recorded []byte

// fact describes what an upstream release has under one name: a message, an enum or a service.
type fact struct {
	File    string             `json:"file"`
	Fields  map[string]field   `json:"fields"`
	Values  map[string]float64 `json:"values"`
	Methods map[string]string  `json:"methods"`
}

type field struct {
	Number   int    `json:"number"`
	Type     string `json:"type"`
	JSON     string `json:"json"`
	OneOf    string `json:"oneof"`
	Optional bool   `json:"optional"`
}

// ours lists fields that no upstream release has. They come from monolith's patch and fork, and
// from the open pull request tensorflow/serving#2040 (TFS-16.1, TFS-21.1).
var ours = []string{
	"tensorflow.serving.BatchingParameters.support_diff_dim_size_inputs",
	"tensorflow.serving.FileSystemStoragePathSourceConfig.LatestOnce.num_versions",
	"tensorflow.serving.FileSystemStoragePathSourceConfig.ServableVersionPolicy.LatestOnce.num_versions",
	"tensorflow.serving.FileSystemStoragePathSourceConfig.ServableVersionPolicy.latest_once",
}

func releases(t *testing.T) map[string]map[string]fact {
	var all map[string]map[string]fact
	if err := json.Unmarshal(recorded, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFieldsAreUpstreams checks every field, value and method of our .proto files against
// upstream's releases. At least one release must have the same, and none may use its number for
// another (TFS-15.2, TFS-15.3, TFS-15.4, TFS-15.5).
func TestFieldsAreUpstreams(t *testing.T) {
	all := releases(t)
	compared := 0
	for name, mine := range declared() {
		var known []fact
		for _, release := range slices.Sorted(maps.Keys(all)) {
			if f, ok := all[release][name]; ok {
				known = append(known, f)
			}
		}
		for _, problem := range mine.problems(name, known) {
			t.Error(problem)
		}
		compared += len(mine.Fields) + len(mine.Values) + len(mine.Methods)
	}
	if compared < 250 {
		t.Errorf("compared %d fields, values and methods: too few", compared)
	}
}

func (f fact) problems(name string, known []fact) (problems []string) {
	for _, each := range slices.Sorted(maps.Keys(f.Fields)) {
		full := name + "." + each
		if slices.Contains(ours, full) {
			continue
		}
		if !slices.ContainsFunc(known, func(k fact) bool { return k.Fields[each] == f.Fields[each] }) {
			problems = append(problems, fmt.Sprintf("%s: no release has %+v", full, f.Fields[each]))
		}
		for _, k := range known {
			for other, theirs := range k.Fields {
				if theirs.Number == f.Fields[each].Number && other != each {
					problems = append(problems, fmt.Sprintf("%s: number %d is %s upstream", full, theirs.Number, other))
				}
			}
		}
	}
	for _, k := range known[:min(1, len(known))] {
		for each, number := range f.Values {
			if theirs, ok := k.Values[each]; ok && theirs != number {
				problems = append(problems, fmt.Sprintf("%s.%s: got %v, upstream has %v", name, each, number, theirs))
			}
		}
	}
	if f.Methods != nil && !slices.ContainsFunc(known, func(k fact) bool { return cmp.Equal(k.Methods, f.Methods) }) {
		problems = append(problems, fmt.Sprintf("%s: no release has the methods %v", name, f.Methods))
	}
	return problems
}

// partial lists messages of TensorFlow Serving of which our .proto files may lack fields, with the
// reasons. A control plane does not read them, or not all of them.
var partial = map[string]string{
	"tensorflow.serving.Config1":                           "of upstream's own tests",
	"tensorflow.serving.Config2":                           "of upstream's own tests",
	"tensorflow.serving.MessageWithAny":                    "of upstream's own tests",
	"tensorflow.serving.LogMetadata":                       "requests are not logged",
	"tensorflow.serving.PredictionLog":                     "log_metadata: requests are not logged",
	"tensorflow.serving.SessionBundleConfig":               "in_graph_batching_parameters: no graph runs",
	"tensorflow.serving.SessionRunRequest":                 "options: no server of either profile has SessionService",
	"tensorflow.serving.SessionRunResponse":                "metadata: as above",
	"tensorflow.serving.StaticStoragePathSourceConfig":     "no flag leads to this source",
	"tensorflow.serving.TfrtSavedModelConfig":              "the other runtime of HEAD",
	"tensorflow.serving.TfrtSavedModelSourceAdapterConfig": "the other runtime of HEAD",
	"tensorflow.serving.tools.RemoteOpRemapConfig":         "a tool of HEAD",
	"tensorflow.serving.ThreadPoolFactoryConfig":           "no graph runs",
}

// TestFilesAreWhole checks that our .proto files have all fields of upstream's requests and
// configs, and of the options of a session, which a file is held to.
func TestFilesAreWhole(t *testing.T) {
	mine := declared()
	for release, facts := range releases(t) {
		session := map[string]bool{}
		reach(facts, "tensorflow.ConfigProto", session)
		for name, theirs := range facts {
			if !strings.HasPrefix(name, "tensorflow.serving.") && !session[name] || partial[name] != "" {
				continue
			}
			for each := range theirs.Fields {
				full := name + "." + each
				if _, ok := mine[name].Fields[each]; !ok {
					t.Errorf("%s: %s is missing", release, full)
				}
			}
		}
	}
}

// reach adds the messages that a message has in its fields, and in theirs.
func reach(facts map[string]fact, message string, found map[string]bool) {
	if found[message] {
		return
	}
	found[message] = true
	for _, f := range facts[message].Fields {
		for _, word := range strings.Fields(f.Type) {
			if facts[word].Fields != nil {
				reach(facts, word, found)
			}
		}
	}
}

// declared returns our messages, enums and services in upstream's packages.
func declared() map[string]fact {
	facts := map[string]fact{}
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		if !strings.HasPrefix(string(file.Package()), "tensorflow") {
			return true
		}
		addMessages(facts, file.Messages())
		addEnums(facts, file.Enums())
		for i := range file.Services().Len() {
			addService(facts, file.Services().Get(i))
		}
		return true
	})
	return facts
}

func addMessages(facts map[string]fact, messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		m := messages.Get(i)
		if m.IsMapEntry() {
			continue
		}
		f := fact{Fields: map[string]field{}}
		for j := range m.Fields().Len() {
			f.Fields[string(m.Fields().Get(j).Name())] = fieldOf(m.Fields().Get(j))
		}
		facts[string(m.FullName())] = f
		addMessages(facts, m.Messages())
		addEnums(facts, m.Enums())
	}
}

func fieldOf(d protoreflect.FieldDescriptor) field {
	f := field{Number: int(d.Number()), Type: typeOf(d), JSON: d.JSONName(), Optional: d.HasOptionalKeyword()}
	if oneof := d.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
		f.OneOf = string(oneof.Name())
	}
	return f
}

func typeOf(d protoreflect.FieldDescriptor) string {
	switch {
	case d.IsMap():
		return fmt.Sprintf("map %s %s", typeOf(d.MapKey()), typeOf(d.MapValue()))
	case d.IsList():
		return "repeated " + elementOf(d)
	}
	return elementOf(d)
}

func elementOf(d protoreflect.FieldDescriptor) string {
	switch d.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return string(d.Message().FullName())
	case protoreflect.EnumKind:
		return string(d.Enum().FullName())
	}
	return d.Kind().String()
}

func addEnums(facts map[string]fact, enums protoreflect.EnumDescriptors) {
	for i := range enums.Len() {
		values := map[string]float64{}
		for j := range enums.Get(i).Values().Len() {
			v := enums.Get(i).Values().Get(j)
			values[string(v.Name())] = float64(v.Number())
		}
		facts[string(enums.Get(i).FullName())] = fact{Values: values}
	}
}

func addService(facts map[string]fact, s protoreflect.ServiceDescriptor) {
	methods := map[string]string{}
	for i := range s.Methods().Len() {
		m := s.Methods().Get(i)
		methods[string(m.Name())] = fmt.Sprintf(".%s -> .%s", m.Input().FullName(), m.Output().FullName())
	}
	facts[string(s.FullName())] = fact{Methods: methods}
}
