package export_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/sim/tfserving/serve/export"
)

// files returns the contents of all files below a directory, by path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Goal: an exported version has its file, whether its directory existed or not, and no temporary
// files are left.
func TestVersionsAreExported(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "models", "m")
	if err := os.MkdirAll(filepath.Join(base, "2", "assets.extra"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, model := range []string{"one", "two"} {
		if err := export.Version(base, int64(i+1), []byte(model)); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"1/saved_model.pb": "one", "2/saved_model.pb": "two"}
	if diff := cmp.Diff(want, files(t, base)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	left, err := os.ReadDir(filepath.Dir(base))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the base path: got %v, %v, want nothing", left, err)
	}
}
