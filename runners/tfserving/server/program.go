package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Variable is the environment variable that names a tensorflow_model_server to test with.
// The reference's agents use it, too (tfs_wrapper.py:31).
const Variable = "MONOLITH_TFS_BINARY"

// Monosim builds monosim and returns its path. The file is named tensorflow_model_server, so
// that it accepts that program's command line.
func Monosim(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "monosim"), "github.com/monosim/monosim/cmd/monosim")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	link := filepath.Join(dir, "tensorflow_model_server")
	if err := os.Symlink("monosim", link); err != nil {
		t.Fatal(err)
	}
	return link
}

// Real returns the path in the environment variable Variable. It skips the test if that is
// not set.
func Real(t *testing.T) string {
	t.Helper()
	program := os.Getenv(Variable)
	if program == "" {
		t.Skipf("%s names no tensorflow_model_server", Variable)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s: %v", Variable, err)
	}
	return path
}

var versionLine = regexp.MustCompile(`TensorFlow ModelServer: (\d+)\.(\d+)`)

// After24 reports whether a program is newer than TensorFlow Serving 2.4, the version that
// the reference uses. It runs the program with --version.
func After24(t *testing.T, program string) bool {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, "--version").CombinedOutput()
	m := versionLine.FindSubmatch(out)
	if m == nil {
		t.Fatalf("%s --version: %v, want a version in\n%s", program, err, out)
	}
	major, minor := number(t, m[1]), number(t, m[2])
	return major > 2 || major == 2 && minor > 4
}

func number(t *testing.T, digits []byte) int {
	t.Helper()
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
