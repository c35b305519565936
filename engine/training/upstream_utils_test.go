package training_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: finding the code base, patching and copying pass the reference's own tests
// (monolith/utils_test.py).

// sources holds the files of the reference's own tests, at the paths where the tests find them.
var sources = map[string]string{"/src/__main__/monolith/utils_test.py": "", "/src/__main__/monolith/path_utils.py": ""}

func findMain(t *testing.T) (*env.Env, string) {
	t.Helper()
	e := envtest.New(sources, nil)
	main, err := training.FindMain(e.Files, "/src/__main__/monolith/path_utils.py")
	if err != nil {
		t.Fatal(err)
	}
	return e, main
}

func TestUpstreamMonolithUtils_testFindMain(t *testing.T) {
	if _, main := findMain(t); pysem.Basename(main) != "__main__" {
		t.Errorf("got %s, want a directory __main__", main)
	}
}

func TestUpstreamMonolithUtils_testGetLibopsPath(t *testing.T) {
	e, main := findMain(t)
	if path := training.LibopsPath(main, "monolith/utils_test.py"); !env.Exists(e.Files, path) {
		t.Errorf("got %s, which is not there", path)
	}
}

func TestUpstreamMonolithUtils_testLoadMonitoredSession(t *testing.T) {
	if diff := cmp.Diff([]string{"AbortedError"}, training.PreemptionErrors(true)); diff != "" {
		t.Errorf("preemption errors (-want +got):\n%s", diff)
	}
}

func TestUpstreamMonolithUtils_testMultiThreadedCopy(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		c.Must(c.Env.Files.MkdirAll("src/subdir"))
		c.Must(c.Env.Files.WriteFile("src/file.txt", []byte("root")))
		c.Must(c.Env.Files.WriteFile("src/subdir/innerfile.txt", []byte("inner")))
		o := training.DefaultCopyOptions()
		o.MaxWorkers = 2
		c.Must(training.CopyRecursively(c.Env, "src", "dst", o))
		text, err := c.Env.Files.ReadFile("dst/subdir/innerfile.txt")
		if err != nil || string(text) != "inner" {
			t.Errorf("got %q, error %v, want inner", text, err)
		}
	})
}
