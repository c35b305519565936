package textpb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	"github.com/monosim/monosim/engine/proto/textpb"
)

// Goal: a text that is well without Merge is the same with it, and one that is not ends in an
// error and never in a panic.
func FuzzMerge(f *testing.F) {
	for _, text := range []string{
		"", "last_checkpoint_save_timestamp: 5 last_checkpoint_save_timestamp: 6", "exempt_model_checkpoint_paths: [\"a\", 'b' \"c\"]", "a{<[;,#\"\\",
		"last_checkpoint_save_timestamp: 5;last_checkpoint_save_timestamp\n:#\n6,", "last_checkpoint_save_timestamp: 5 last_checkpoint_save_timestamp: -",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		merged, parsed := &nativetraining.MonolithCheckpointState{}, &nativetraining.MonolithCheckpointState{}
		err := textpb.Merge(text, merged)
		if textpb.Unmarshal(text, parsed) != nil {
			return
		}
		if diff := cmp.Diff(parsed, merged, protocmp.Transform()); err != nil || diff != "" {
			t.Errorf("%q: %v (-parsed +merged):\n%s", text, err, diff)
		}
	})
}
