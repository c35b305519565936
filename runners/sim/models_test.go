package sim

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writeTree makes files below a fresh directory and returns it.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestReadModelsFindsVersionsAtAnyDepth(t *testing.T) {
	graphs, err := readModels(writeTree(t, map[string]string{
		"ctr/exported_models/entry/7/saved_model.pb":   "1234567890",
		"ctr/exported_models/entry/8/saved_model.pb":   "12345678901234567890",
		"ctr/exported_models/entry/8/variables/v.data": "1",
		"ctr/exported_models/ps_0/7/saved_model.pb":    "1",
	}))
	if err != nil {
		t.Fatal(err)
	}
	type found struct {
		Model, Name string
		SizeBytes   int64
		Versions    []int64
	}
	var got []found
	for _, g := range graphs {
		got = append(got, found{g.modelOf("fallback"), g.Name, g.SizeBytes, g.Versions})
	}
	want := []found{{"ctr", "entry", 21, []int64{7, 8}}, {"ctr", "ps_0", 1, []int64{7}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
}
