package tpurunner_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/training/modelregistry"
	"github.com/monosim/monosim/engine/training/tpurunner"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a runner finds its task by module and class in a registry (row D3 of TRN-3: "runner tests
// use valid dotted task names as resolved by model lookup"; TRN-2.4 for the rest). Method: modules
// that register tasks, and a platform that records which task was trained.

// trainer is an estimator that records up to which step it is told to train.
type trainer struct {
	follower
	trained []int64
}

func (f *trainer) Train(_ any, maxSteps int64) error {
	f.trained = append(f.trained, maxSteps)
	return nil
}

func (f *trainer) NewEstimator(tpurunner.EstimatorConfig) (tpurunner.Estimator, error) { return f, nil }

// tasks returns a registry of modules, each with one task class. steps holds each module's last
// training step.
func (f *trainer) tasks(c *worldtest.Case, steps map[string]int64) *modelregistry.Registry[*tpurunner.TaskParams] {
	modules := map[string]modelregistry.Module[*tpurunner.TaskParams]{}
	for name, most := range steps { //lint:ordered into a map
		modules[name] = func(r *modelregistry.Registry[*tpurunner.TaskParams]) error {
			return r.RegisterSingleTaskModel(&modelregistry.Class[*tpurunner.TaskParams]{Module: name, Name: "Small", Task: func() (*tpurunner.TaskParams, error) {
				return &tpurunner.TaskParams{
					Train:       tpurunner.TrainParams{MaxSteps: most, PerReplicaBatchSize: 1},
					Instantiate: func() (tpurunner.Task, error) { return f, nil },
				}, nil
			}})
		}
	}
	return modelregistry.New(c.Env.Log, modules)
}

func TestATaskIsRunByItsDottedName(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		f := &trainer{follower: follower{c: c}}
		tasks := f.tasks(c, map[string]int64{"tasks.rank": 5, "monolith.tasks.click.params.model": 7})
		for _, try := range []struct {
			args  []string
			fails string
			text  string
		}{
			{args: []string{"--task=tasks.rank.Small"}},
			{args: []string{"--task=monolith.tasks.click.params.model.Small"}},
			{args: []string{"--task=tasks.rank.Large"}, fails: "LookupError", text: "Model tasks.rank.Large not found from list of above known models."},
			{args: []string{"--task=Small"}, fails: "ValueError", text: "Invalid model name Small"},
			{fails: "TypeError", text: "argument of type 'NoneType' is not iterable"},
		} {
			flags := absl.New(tpurunner.Module())
			_, err := flags.Parse(nil, try.args)
			c.Must(err)
			err = tpurunner.Main(c.Env, f, flags, tasks)
			var failed *pysem.Error
			if errors.As(err, &failed); err == nil && try.fails != "" || err != nil && (failed == nil || failed.Type != try.fails || failed.Message != try.text) {
				t.Errorf("%q: got %v, want %s %s", try.args, err, try.fails, try.text)
			}
		}
		if want := []int64{5, 7}; !slices.Equal(f.trained, want) {
			t.Errorf("trained to the steps %v, want %v", f.trained, want)
		}
	})
}
