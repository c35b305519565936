package tfsclients_test

import (
	"bufio"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pythonProgram is one of the programs beside the tests, that obeys orders.
type pythonProgram struct {
	name string
	in   io.Writer
	out  *bufio.Reader
}

// findPython is the interpreter: $PYTHON or python3. It skips the test without one.
func findPython(t *testing.T) string {
	t.Helper()
	interpreter := os.Getenv("PYTHON")
	if interpreter == "" {
		interpreter = "python3"
	}
	path, err := exec.LookPath(interpreter)
	if err != nil {
		t.Skipf("no Python: %v", err)
	}
	return path
}

// has says whether the interpreter finds the modules. It does not import them.
func has(t *testing.T, python string, modules ...string) bool {
	t.Helper()
	script := "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(m) is None for m in sys.argv[1:]))"
	return exec.CommandContext(t.Context(), python, append([]string{"-c", script}, modules...)...).Run() == nil
}

// startPython runs a program until the end of the test. It gets the variables and,
// so that no proxy stands before the loopback, few others.
func startPython(t *testing.T, python, name string, variables ...string) *pythonProgram {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, "-B", name)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TF_CPP_MIN_LOG_LEVEL=3"}, variables...)
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // the end of the test has killed it
		if t.Failed() {
			t.Logf("%s has said:\n%s", name, said.String())
		}
	})
	return &pythonProgram{name: name, in: in, out: bufio.NewReader(out)}
}

// order sends an order and reads its answer. It must be called by the test's own
// goroutine.
func (p *pythonProgram) order(t *testing.T, name string, given any, answer any) {
	t.Helper()
	line, err := json.Marshal(map[string]any{name: given})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	line, err = p.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%s: no answer to %s: %v", p.name, name, err)
	}
	var failure struct{ Failed string }
	if err := json.Unmarshal(line, &failure); err == nil && failure.Failed != "" {
		t.Fatalf("%s: %s %v: %s", p.name, name, given, failure.Failed)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		t.Fatalf("%s: answer %s: %v", p.name, line, err)
	}
}

// protoRoot has the .proto files under the paths that they are imported by.
const protoRoot = "../../engine/proto"

// generateStubs makes Python modules of our .proto files. They are packages, so
// that they go before those that are installed.
func generateStubs(t *testing.T, python string) string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for _, top := range []string{"tensorflow/core", "tensorflow_serving"} {
		err := filepath.WalkDir(filepath.Join(protoRoot, top), func(path string, entry fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".proto") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"-m", "grpc_tools.protoc", "-I", protoRoot, "--python_out=" + dir, "--grpc_python_out=" + dir}, files...)
	if out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput(); err != nil {
		t.Fatalf("grpc_tools.protoc: %v\n%s", err, out)
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || path == dir {
			return err
		}
		return os.WriteFile(filepath.Join(path, "__init__.py"), nil, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
