package modelexport_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/modelexport"
)

// FuzzExportState: Goal: reading any state file, whole or cut off, either raises one of Python's
// exceptions or gives a state. That state reads the same after it has been written again.
func FuzzExportState(f *testing.F) {
	whole := "entries {\n  export_dir: \"/m/1\"\n  global_step: 7\n}\n"
	for _, text := range []string{"", whole, whole[:len(whole)-3], "entries {", "x: 1", "\xff", "entries { global_step: 99999999999999999999 }", "entries: <export_dir: '\\377'>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := envtest.New(map[string]string{"m/" + modelexport.StateFile: text}, nil)
		state, err := modelexport.ExportSaverListenerState(e.Files, "m")
		if err != nil {
			if !slices.Contains([]string{"ParseError", "UnicodeDecodeError"}, pysem.TypeOf(err)) {
				t.Errorf("%q: got %v, want an exception of Python", text, err)
			}
			return
		}
		if err := modelexport.OverwriteExportSaverListenerState(e.Files, "m", state); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := modelexport.ExportSaverListenerState(e.Files, "m")
		if err != nil || !proto.Equal(state, again) {
			t.Errorf("%q: got %v, error %v once it was written, want %v", text, again, err, state)
		}
	})
}
