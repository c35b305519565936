package estimator_test

import (
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/estimator"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// modes notes in which mode the configuration is when all is trained in one process.
type modes struct {
	estimator.Training
	log []string
}

func (m *modes) LocalTrain(_ *estimator.Model, c *runnerutils.RunnerConfig, _ estimator.LocalRun) error {
	m.log = append(m.log, c.Mode)
	return nil
}

func (*modes) User() string { return "u" }

// Training goes on in the mode of the evaluation before it, and in its own with Q260 repaired.
func TestQ260_EvaluatingLeavesItsMode(t *testing.T) {
	for _, c := range []struct {
		quirks quirks.Set
		want   []string
	}{
		{quirks.Python, []string{"train", "eval", "eval"}},
		{quirks.Python.Repair(quirks.Q260), []string{"train", "eval", "train"}},
	} {
		e := envtest.New(nil, nil)
		flags := runnerutils.NewFlags()
		if _, err := flags.Parse(e.Files, nil); err != nil {
			t.Fatal(err)
		}
		run := estimator.RunConfigClass.New()
		run.IsLocal = true
		m := &modes{}
		est, err := estimator.FromRunConfig(runnerutils.Process{Env: e, Flags: flags, Quirks: c.quirks}, m, &estimator.Model{Name: "m"}, &run)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []func() error{
			func() error { return est.Train(estimator.Limits{}, nil) },
			func() error { return est.Evaluate(pysem.OptInt{}, nil) },
			func() error { return est.Train(estimator.Limits{}, nil) },
		} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(m.log, c.want) {
			t.Errorf("trained in the modes %v, want %v", m.log, c.want)
		}
	}
}
