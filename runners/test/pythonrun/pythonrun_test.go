package pythonrun_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/pythonrun"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/runners/test/simrun"
)

// newOptions returns options with a monosim binary built for the test. It skips the test if
// the reference is missing.
func newOptions(t *testing.T, timeScale float64) pythonrun.Options {
	t.Helper()
	o := pythonrun.Options{Source: pythontest.Reference(t), Python: pythontest.Find(t)}
	program := filepath.Join(t.TempDir(), "monosim")
	if text, err := exec.Command("go", "build", "-o", program, "../../../cmd/monosim").CombinedOutput(); err != nil {
		t.Fatalf("build monosim: %v\n%s", err, text)
	}
	o.Loopback = loopback.Options{Monosim: program, TimeScale: timeScale, Dir: t.TempDir()}
	return o
}

// newRunner makes a runner from newOptions. It skips the test where the reference cannot be
// run.
func newRunner(t *testing.T, timeScale float64) *pythonrun.Runner {
	t.Helper()
	r, err := pythonrun.New(newOptions(t, timeScale))
	if err != nil {
		t.Skip(err)
	}
	return r
}

// Goal: the reference's own agents do the same as the simulated ones. Method: one scenario
// for each agent version and one for its fake model server, with logs compared. make
// check-runners compares all scenarios.
func TestTheReferenceDoesAsTheSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	r := newRunner(t, 0.2)
	report := &steps.Report{}
	c := compare.Comparison{
		Suite:   steps.Suite{FS: features.FS, Paths: []string{"rollout.feature:4", "rollout.feature:54", "tfserving_fake.feature:64"}, Seed: 1},
		Runners: []runners.Runner{&simrun.Runner{}, r}, Logs: true,
		Slower: func(_ string, times int) (runners.Runner, string) {
			if times > 1 {
				return nil, ""
			}
			return newRunner(t, 0.6), ""
		},
	}
	m, _, err := c.Run(context.Background(), report)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Status != steps.Passed {
			t.Errorf("%s: %v", r.Name, r.Failure())
		}
	}
	for _, row := range m.Scenarios {
		if log := row.Cells[1].Log; log != compare.Same {
			t.Errorf("%s: want a log as the simulation's, got %+v", row.Name, row.Cells[1])
		}
	}
}

// Goal: a spec that the reference cannot satisfy, such as repaired quirks, is refused before
// anything starts.
func TestWhatTheReferenceCannotBe(t *testing.T) {
	r := newRunner(t, 1)
	for _, spec := range []runners.Spec{
		{Conf: runners.ConfV3, Quirks: "fixed"}, {Conf: runners.ConfV3, Quirks: "-Q22"}, {Conf: runners.ConfV3, Python: "2.7"},
	} {
		if c, err := r.Build(spec); !errors.Is(err, runners.ErrUnsupported) {
			t.Errorf("quirks %q, Python %q: want that it is not supported, got %v, %v", spec.Quirks, spec.Python, c, err)
		}
	}
}

// Goal: a missing checkout, interpreter or package is reported before anything starts.
func TestWhatIsMissingIsSaid(t *testing.T) {
	source := t.TempDir()
	agent := filepath.Join(source, "monolith", "agent_service", "agent.py")
	if err := errors.Join(os.MkdirAll(filepath.Dir(agent), 0o755), os.WriteFile(agent, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	script := func(text string) string {
		name := filepath.Join(t.TempDir(), "python")
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return name
	}
	t.Setenv("MONOLITH_SRC", "")
	for _, c := range []struct {
		o    pythonrun.Options
		says string
	}{
		{pythonrun.Options{}, "found no MONOLITH_SRC"},
		{pythonrun.Options{Source: t.TempDir()}, "agent.py: no such file or directory; want a checkout of bytedance/monolith"},
		{pythonrun.Options{Source: source, Python: "no-such-python"}, "no-such-python"},
		{pythonrun.Options{Source: source, Python: script("echo \"No module named 'kazoo'\"; exit 1")}, "No module named 'kazoo'; want a Python with what runners/diff/python/requirements.txt lists"},
		{pythonrun.Options{Source: source, Python: script("exit 1")}, ": exit status 1; want a Python with"},
		{pythonrun.Options{Source: source, Python: script("echo 3.11"), Loopback: loopback.Options{TimeScale: 0.01}}, "time scale: found 0.01, want 0.1 at least"},
	} {
		if _, err := pythonrun.New(c.o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: want an error with %q, got %v", c.o, c.says, err)
		}
	}
}

// A runner needs a checkout of the reference. Without it, New returns an error that says so.
func Example() {
	_, err := pythonrun.New(pythonrun.Options{Source: "nowhere"})
	fmt.Println(err)

	// Output:
	// MONOLITH_SRC: stat nowhere/monolith/agent_service/agent.py: no such file or directory; want a checkout of bytedance/monolith
}
