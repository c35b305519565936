package tfserving

import (
	"encoding/json"
	"os"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	configpb "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	bundlepb "github.com/monosim/monosim/engine/proto/tensorflow_serving/servables/tensorflow"
)

// Goal: a server of tfs-2.4 takes a field in a config file where 2.4.0 has it, no later one, and one of tfs-head takes
// all (TFS-1.3, TFS-15.1). Method: the fields of all messages that files hold, against those recorded from releases.
func TestFieldsOfConfigFilesAreTheProfiles(t *testing.T) {
	data, err := os.ReadFile("../../engine/proto/upstream/upstream.json")
	if err != nil {
		t.Fatal(err)
	}
	var releases map[string]map[string]struct{ Fields map[string]any }
	if err := json.Unmarshal(data, &releases); err != nil {
		t.Fatal(err)
	}
	old, compared := messages{profile: Profile24, once: NoLatestOnce}, 0
	const patched = "tensorflow.serving.BatchingParameters.support_diff_dim_size_inputs" // by monolith (TFS-16.1)
	seen := map[protoreflect.FullName]bool{}
	var compare func(m protoreflect.MessageDescriptor)
	compare = func(m protoreflect.MessageDescriptor) {
		if seen[m.FullName()] || m.FullName().Parent() == "google.protobuf" {
			return
		}
		seen[m.FullName()] = true
		for i := range m.Fields().Len() {
			field := m.Fields().Get(i)
			_, serving := releases["serving 2.4.0"][string(m.FullName())].Fields[string(field.Name())]
			_, core := releases["tensorflow 2.4.4"][string(m.FullName())].Fields[string(field.Name())]
			known := serving || core || m.IsMapEntry()
			if lacks := old.lack(field); lacks == known && field.FullName() != patched {
				t.Errorf("%s: 2.4 has it: %v, tfs-2.4 lacks it: %v", field.FullName(), known, lacks)
			}
			if compared++; old.lack(field) {
				continue // what it holds is not reached
			}
			if of := field.Message(); of != nil {
				compare(of)
			}
		}
	}
	compare((&configpb.ModelServerConfig{}).ProtoReflect().Descriptor())
	compare((&configpb.MonitoringConfig{}).ProtoReflect().Descriptor())
	compare((&bundlepb.SavedModelBundleSourceAdapterConfig{}).ProtoReflect().Descriptor())
	if compared < 150 {
		t.Errorf("compared %d fields: too few", compared)
	}
}
