package loopback_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/realrun/loopback"
)

// program is a built monosim, for all tests.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "loopback-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	program = filepath.Join(dir, "monosim")
	code := 2
	if text, err := exec.Command("go", "build", "-o", program, "../../../cmd/monosim").CombinedOutput(); err == nil {
		code = m.Run()
	} else {
		fmt.Fprintf(os.Stderr, "build monosim: %v\n%s", err, text)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// options are those of the tests: ten times the clock.
func options(t testing.TB) loopback.Options {
	return loopback.Options{Monosim: program, TimeScale: 0.1, Dir: t.TempDir()}
}

// Goal: what the simulated model server does is what a process of it does. Method: the
// same scenario, by processes.
func TestScenariosOfAModelServer(t *testing.T) {
	steps.Run(t, features.FS, steps.Suite{
		Runner: loopback.New(options(t)), Paths: []string{"tfserving_labels.feature:21", "tfserving_loading.feature:59"}, Explain: -1,
	})
}

// running lists the processes whose command line names a directory.
func running(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err == nil && strings.Contains(string(text), dir) {
			found = append(found, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return found
}

// Goal: nothing of a cluster is left once it is closed. Method: one with a model server is
// built, used and closed, and processes and files that name its directory are looked for.
func TestCloseLeavesNothing(t *testing.T) {
	o := options(t)
	c, err := loopback.New(o).Build(runners.Spec{BareServer: &runners.BareServerSpec{Flags: []string{"--model_config_file=/etc/models.conf"}}})
	if err != nil {
		t.Fatal(err)
	}
	model := runners.ServedModel{Name: "ctr", BasePath: "/models/ctr", Platform: "tensorflow"}
	for _, err := range []error{
		c.ExportVersion("/models/ctr", 1, 1e6),
		c.(runners.Caller).WriteModelConfig("/etc/models.conf", []runners.ServedModel{model}),
		c.StartPod(runners.BareServer),
		runners.Within(c, 10*time.Minute, func() error {
			versions, err := c.ModelStatus(runners.BareServer, "", "ctr")
			if err == nil && len(versions) != 1 {
				err = fmt.Errorf("versions: got %v, want one", versions)
			}
			return err
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(running(t, o.Dir)) < 2 {
		t.Errorf("while it runs: found %q, want a ZooKeeper and a model server", running(t, o.Dir))
	}
	c.Close()
	if left := running(t, o.Dir); len(left) > 0 {
		t.Errorf("processes: found %q, want none", left)
	}
	if left, err := os.ReadDir(o.Dir); err != nil || len(left) > 0 {
		t.Errorf("files: found %v, %v, want none", left, err)
	}
}
