package tfserving

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	protobufs "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	configpb "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	bundlepb "github.com/monosim/monosim/engine/proto/tensorflow_serving/servables/tensorflow"
)

// Goal: a server of tfs-2.4 takes a field or a value of an enum in a config file where 2.4.0 has it, no later one, and one of tfs-head takes
// all (TFS-1.3, TFS-15.1). Method: the fields and values of all messages that files hold, against those recorded from releases.
func TestFieldsOfConfigFilesAreTheProfiles(t *testing.T) {
	data, err := os.ReadFile("../../engine/proto/upstream/upstream.json")
	if err != nil {
		t.Fatal(err)
	}
	var releases map[string]map[string]struct{ Fields, Values map[string]any }
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
				continue // the fields below it cannot be reached
			}
			if of := field.Message(); of != nil {
				compare(of)
			}
			if of := field.Enum(); of != nil && !seen[of.FullName()] {
				seen[of.FullName()] = true
				for i := range of.Values().Len() {
					value := of.Values().Get(i)
					_, serving := releases["serving 2.4.0"][string(of.FullName())].Values[string(value.Name())]
					_, core := releases["tensorflow 2.4.4"][string(of.FullName())].Values[string(value.Name())]
					if lacks := old.lackValue(value); lacks == (serving || core) {
						t.Errorf("%s: 2.4 has it: %v, tfs-2.4 lacks it: %v", value.FullName(), serving || core, lacks)
					}
					compared++
				}
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

// Goal: a name that 2.4 does not know is an error in the words of its parser; numbers of an open enum are all taken.
func TestLaterValuesOfEnums(t *testing.T) {
	for text, want := range map[string]string{ //lint:ordered each is looked at by itself
		"constant_folding: AGGRESSIVE":        "",
		"constant_folding: EXPERIMENTAL_BOTH": `text of tensorflow.RewriterConfig: 1:36: Unknown enumeration value of "EXPERIMENTAL_BOTH" for field "constant_folding".`,
		"constant_folding: 5":                 "",
	} {
		for _, profile := range []Profile{Profile24, ProfileHead} {
			err := messages{profile: profile, once: NoLatestOnce}.texts().Unmarshal(text, &protobufs.RewriterConfig{})
			if got := fmt.Sprint(err); profile == ProfileHead && err != nil || profile == Profile24 && got != cmp.Or(want, "<nil>") {
				t.Errorf("%s, %s: got %s, want %s", profile, text, got, want)
			}
		}
	}
}
