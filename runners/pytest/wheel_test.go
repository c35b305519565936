package pytest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/tfserving/server"
)

// Goal: pytest finds the wheel's fixtures without any configuration, and they run the monosim
// program of this source tree. This also holds for the files that monosim init writes. Method: the
// wheel is built offline and unpacked into a folder on Python's path.
func TestTheWheel(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a wheel and waits for processes")
	}
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "pip", "pytest", "flit_core") {
		t.Skip("PYTHON has no pytest or flit_core: pip install pytest flit_core")
	}
	dir := t.TempDir()
	source, site := filepath.Join(dir, "source"), filepath.Join(dir, "site")
	if err := os.CopyFS(source, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", dir, source},
		{"install", "--quiet", "--no-index", "--no-deps", "--target", site, "--find-links", dir, "monosim-fixtures"},
	} {
		args = append([]string{"-m", "pip", "--disable-pip-version-check"}, args...)
		if out, err := pythontest.Command(t, python, args...).CombinedOutput(); err != nil {
			t.Fatalf("pip: %v\n%s", err, out)
		}
	}
	monosim := filepath.Join(filepath.Dir(server.Monosim(t)), "monosim")
	begun := filepath.Join(dir, "begun")
	if out, err := exec.CommandContext(t.Context(), monosim, "init", begun).CombinedOutput(); err != nil {
		t.Fatalf("monosim init: %v\n%s", err, out)
	}
	for _, where := range []string{filepath.Join(source, "tests"), begun} {
		cmd := pythontest.Command(t, python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
		cmd.Env, cmd.Dir = append(os.Environ(), "PYTHONPATH="+site, "MONOSIM="+monosim), where
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("pytest in %s: %v\n%s", where, err, out)
		}
	}
}
