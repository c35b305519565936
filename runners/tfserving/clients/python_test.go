package clients_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pythontest"
)

// startPython starts a Python program of this directory. It gets the given environment
// variables and few others, so that no proxy setting affects the loopback.
func startPython(t *testing.T, python, name string, variables ...string) *pythontest.Program {
	t.Helper()
	cmd := pythontest.Command(t, python, "-B", name)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TF_CPP_MIN_LOG_LEVEL=3"}, variables...)
	return pythontest.Start(t, cmd)
}

// protoRoot is the directory from which the .proto files are imported.
const protoRoot = "../../../engine/proto"

// generateStubs generates Python modules from this project's .proto files. They are
// packages, so that they take precedence over installed ones.
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
	if out, err := pythontest.Command(t, python, args...).CombinedOutput(); err != nil {
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
