package pythontest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Name returns the command of the Python interpreter: $PYTHON, or python3.
func Name() string {
	if name := os.Getenv("PYTHON"); name != "" {
		return name
	}
	return "python3"
}

// limit ends a Python program that hangs. A program with TensorFlow takes a minute on a busy
// machine.
const limit = 5 * time.Minute

// Command makes a command whose process is killed at the end of the test, or after five minutes.
func Command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return exec.CommandContext(ctx, name, args...)
}

// Find returns the path of the Python interpreter. It skips the test if there is none.
func Find(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath(Name())
	if err != nil {
		t.Skipf("no Python: %v", err)
	}
	return path
}

// Reference returns the path of the checkout of the reference, from MONOLITH_SRC. It skips the test
// if that is not set.
func Reference(t testing.TB) string {
	t.Helper()
	source := os.Getenv("MONOLITH_SRC")
	if source == "" {
		t.Skip("MONOLITH_SRC names no checkout of the reference")
	}
	source, err := filepath.Abs(source)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// Has reports whether the interpreter can find the modules. It does not import them, except for the
// packages that contain them.
func Has(t testing.TB, python string, modules ...string) bool {
	t.Helper()
	script := "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(m) is None for m in sys.argv[1:]))"
	return Command(t, python, append([]string{"-c", script}, modules...)...).Run() == nil
}

// TensorFlow returns the path of the interpreter in TENSORFLOW_PYTHON. It must have the TensorFlow
// of runners/diff/python/requirements-tensorflow.txt. The test is skipped if the variable names no
// program.
func TensorFlow(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath(os.Getenv("TENSORFLOW_PYTHON"))
	if err != nil {
		t.Skipf("no Python with TensorFlow: %v", err)
	}
	return path
}
