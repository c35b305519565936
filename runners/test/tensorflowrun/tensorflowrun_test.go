package tensorflowrun_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/runners/test/tensorflowrun"
)

// newRunner makes a runner with a monosim that is built for the test. It skips the test if
// the reference or TensorFlow is missing.
func newRunner(t *testing.T) *tensorflowrun.Runner {
	t.Helper()
	program := filepath.Join(t.TempDir(), "monosim")
	r := runnerOf(t, program, 0.3)
	buildMonosim(t, program)
	return r
}

// runnerOf makes a runner whose jobs take scale seconds of wall time for each second of theirs.
func runnerOf(t *testing.T, program string, scale float64) *tensorflowrun.Runner {
	t.Helper()
	r, err := tensorflowrun.New(tensorflowrun.Options{Loopback: loopback.Options{Monosim: program, TimeScale: scale, Dir: t.TempDir()}})
	if err != nil {
		t.Skip(err)
	}
	return r
}

func buildMonosim(t *testing.T, program string) {
	t.Helper()
	if text, err := exec.Command("go", "build", "-o", program, "../../../cmd/monosim").CombinedOutput(); err != nil {
		t.Fatalf("build monosim: %v\n%s", err, text)
	}
}

// Goal: a job does the same on real TensorFlow as in the simulation. Method: run a job from
// start to end, and compare each process's actions with those of the simulated one. make
// check-runners compares all scenarios.
func TestTensorFlowDoesAsTheSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	report := &steps.Report{}
	c := compare.Comparison{
		Suite:   steps.Suite{FS: features.FS, Paths: []string{"training/life.feature:5"}, Seed: 1},
		Runners: []runners.Runner{&simrun.Runner{}, newRunner(t)}, Logs: true,
		Slack: compare.DefaultSlack,
	}
	m, _, err := c.Run(context.Background(), report)
	if err != nil {
		t.Fatal(err)
	}
	if cell := m.Scenarios[0].Cells[1]; cell.Log != compare.Same && cell.Verdict != compare.Busy {
		t.Errorf("want the same as in the simulation, got %+v", cell)
	}
}

// Goal: a spec that TensorFlow cannot satisfy is refused with a reason before anything starts.
func TestWhatTensorFlowCannotBe(t *testing.T) {
	r := newRunner(t)
	job := func(change func(*runners.TrainingSpec)) runners.Spec {
		spec := runners.Spec{Training: &runners.TrainingSpec{PS: 1}}
		change(spec.Training)
		return spec
	}
	repaired := job(func(*runners.TrainingSpec) {})
	repaired.Quirks = "fixed"
	for says, spec := range map[string]runners.Spec{
		"it has no training job": {},
		"all of its quirks":      repaired,
		"application master":     job(func(s *runners.TrainingSpec) { s.ApplicationMaster = true }),
		"TPU":                    job(func(s *runners.TrainingSpec) { s.Evaluator = true }),
		"export":                 job(func(s *runners.TrainingSpec) { s.ExportDir = "/train/export" }),
		"one port":               job(func(s *runners.TrainingSpec) { s.Discovery = "mlp" }),
	} {
		backend := (*runners.BackendError)(nil)
		if c, err := r.Build(spec); !errors.As(err, &backend) || !strings.Contains(err.Error(), says) {
			t.Errorf("want that it is not supported, because of %q, got %v, %v", says, c, err)
		}
	}
}

// Goal: a missing checkout, interpreter or package is reported before anything starts.
func TestWhatIsMissingIsSaid(t *testing.T) {
	source := t.TempDir()
	training := filepath.Join(source, "monolith", "native_training", "cpu_training.py")
	if err := errors.Join(os.MkdirAll(filepath.Dir(training), 0o755), os.WriteFile(training, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(python, []byte("#!/bin/sh\necho \"No module named 'tensorflow'\"; exit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MONOLITH_SRC", "")
	t.Setenv("TENSORFLOW_PYTHON", "")
	for _, c := range []struct {
		o    tensorflowrun.Options
		says string
	}{
		{tensorflowrun.Options{}, "found no MONOLITH_SRC"},
		{tensorflowrun.Options{Source: source}, "found no TENSORFLOW_PYTHON, want it to name a Python 3.8"},
		{tensorflowrun.Options{Source: t.TempDir(), Python: python}, "cpu_training.py: no such file or directory; want a checkout of bytedance/monolith"},
		{tensorflowrun.Options{Source: source, Python: "no-such-python"}, "no-such-python"},
		{tensorflowrun.Options{Source: source, Python: python}, "No module named 'tensorflow'; want what runners/diff/python/requirements-tensorflow.txt lists"},
		{tensorflowrun.Options{Source: source, Python: python, Loopback: loopback.Options{TimeScale: 0.01}}, "time scale: found 0.01, want 0.1 at least"},
	} {
		if _, err := tensorflowrun.New(c.o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: want an error with %q, got %v", c.o, c.says, err)
		}
	}
}

// A runner needs a checkout of the reference. Without it, New returns an error that says so.
func Example() {
	_, err := tensorflowrun.New(tensorflowrun.Options{Source: "nowhere", Python: "python3.8"})
	fmt.Println(err)

	// Output:
	// MONOLITH_SRC: stat nowhere/monolith/native_training/cpu_training.py: no such file or directory; want a checkout of bytedance/monolith
}
