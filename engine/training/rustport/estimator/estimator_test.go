package estimator_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/rustport"
	"github.com/monosim/monosim/engine/training/rustport/estimator"
	"github.com/monosim/monosim/engine/training/rustport/runner"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: an estimator meets what rows TRN-4.6 and TRN-4.7 require, as far as recordings of the port
// do not show it. The recorded cases are in engine/training/rustport.

// constant is a model with a fixed loss.
type constant float64

func (m constant) Call(estimator.Mode) (float64, error) { return float64(m), nil }

// Example trains with limits of 4 and 100 more steps, both up to step 10, and saves every 3 steps.
func Example() {
	e := envtest.New(nil, nil)
	est := estimator.New(rustport.NewEstimatorConfig("/m"), constant(0.5))
	hook := estimator.NewCheckpointHook(e.Files, "/m", 3)
	hook.MaxToKeep = 2
	est.AddHook(hook)
	for _, l := range []estimator.Limits{
		{Steps: pysem.Some[uint64](4)}, {Steps: pysem.Some[uint64](100), MaxSteps: pysem.Some[uint64](10)},
	} {
		r, err := est.TrainWithLimits(l)
		fmt.Println(r.GlobalStep, r.Last.Loss, err)
	}
	names, err := e.Files.ReadDir("/m")
	fmt.Println(names, err)
	// Output:
	// 4 0.5 <nil>
	// 10 0.5 <nil>
	// [checkpoint-10.json checkpoint-9.json] <nil>
}

// Goal (TRN-4.6, oracle: seed): the newest checkpoint stays, even if the last step was saved twice.
// In the Rust port the pruning deletes it.
func TestTheCheckpointOfTheLastStepStays(t *testing.T) {
	for variant, want := range map[rustport.Variant][]string{rustport.AsRows: {"checkpoint-5.json"}, rustport.AsPort: {}} { //lint:ordered each by itself
		e := envtest.New(nil, nil)
		h := estimator.NewCheckpointHook(e.Files, "/m", 5)
		h.MaxToKeep, h.Variant = 1, variant
		if _, err := h.AfterStep(5, estimator.Metrics{}); err != nil {
			t.Fatal(err)
		}
		if err := h.End(5, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := e.Files.ReadDir("/m"); err != nil || !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("variant %d: got %v %v, want %v", variant, got, err, want)
		}
	}
}

func TestAFunctionSavesInPlaceOfTheHook(t *testing.T) {
	e := envtest.New(nil, nil)
	h := estimator.NewCheckpointHook(e.Files, "/m", 2)
	var saved []string
	h.MaxToKeep, h.Save = 1, func(file string, step uint64) error {
		saved = append(saved, fmt.Sprint(file, " ", step))
		if step == 6 {
			return errors.New("full")
		}
		return nil
	}
	for _, step := range []uint64{0, 2, 3, 4} {
		if _, err := h.AfterStep(step, estimator.Metrics{}); err != nil {
			t.Errorf("step %d: %v", step, err)
		}
	}
	if _, err := h.AfterStep(6, estimator.Metrics{}); err == nil || err.Error() != "full" {
		t.Errorf("got %v, want what the function said", err)
	}
	if want := []string{"/m/checkpoint-2.json 2", "/m/checkpoint-4.json 4", "/m/checkpoint-6.json 6"}; !slices.Equal(saved, want) {
		t.Errorf("got %v, want %v", saved, want)
	}
}

// Goal: if a file is in the place of the directory, saving fails, and the training returns the
// hook's error.
func TestACheckpointThatCannotBeWritten(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		c.Must(c.Env.Files.WriteFile("m", []byte("a file")))
		est := estimator.New(rustport.NewEstimatorConfig("m"), constant(1))
		est.AddHook(estimator.NewCheckpointHook(c.Env.Files, "m/x", 1))
		_, err := est.TrainWithLimits(estimator.Limits{Steps: pysem.Some[uint64](1)})
		if failed, ok := errors.AsType[*estimator.Error](err); !ok || failed.Kind != estimator.HookFailed {
			t.Errorf("got %v, want a HookFailed", err)
		}
	})
}

const restoreState = "model_checkpoint_path: \"model.ckpt-61\"\nall_model_checkpoint_paths: \"model.ckpt-61\"\nall_model_checkpoint_paths: \"model.ckpt-30\"\n"

// Goal (rows D16, D19, D25, D28, D32): an estimator made from a configuration has its directory and
// starts from its checkpoint. The configuration's variables are exported. The Initialized functions
// also set up its directory.
func TestAnEstimatorOfAConfiguration(t *testing.T) {
	said := rustport.NewRunConfig()
	said.ModelDir, said.RestoreDir, said.RestoreCkpt, said.LogStepCountSteps = "/m", pysem.Some("/r"), pysem.Some("model.ckpt-30"), 7
	said.TFGRPCWorkerCacheThreads, said.MonolithGRPCWorkerServiceHandlerMultiplier = pysem.Some(11), pysem.Some(9)
	want := rustport.NewEstimatorConfig("/m")
	want.LogStepCountSteps, want.WarmStartFrom = 7, pysem.Some("model.ckpt-30")

	e := envtest.New(map[string]string{"/r/checkpoint": restoreState}, nil)
	est := estimator.FromRunConfig(e, said, rustport.NewRunnerConfig(), constant(1))
	threads, _ := e.Host.LookupEnv("TF_GRPC_WORKER_CACHE_THREADS")
	multiplier, _ := e.Host.LookupEnv("MONOLITH_GRPC_WORKER_SERVICE_HANDLER_MULTIPLIER")
	if est.Config() != want || threads != "11" || multiplier != "9" {
		t.Errorf("got %+v, exported %q and %q, want %+v, 11 and 9", est.Config(), threads, multiplier, want)
	}
	if _, err := e.Files.ReadFile("/m/checkpoint"); err == nil {
		t.Error("not initialised: got a checkpoint, want none")
	}
	est, state, err := estimator.FromRunConfigInitialized(e, said, rustport.NewRunnerConfig(), constant(1))
	if err != nil || est.Config() != want || state.ModelCheckpointPath != "model.ckpt-30" {
		t.Errorf("initialised: got %v %v %v, want %+v and model.ckpt-30", est, state, err, want)
	}
	for _, file := range []string{"checkpoint", "monolith_checkpoint", "restore_ckpt"} {
		if _, err := e.Files.ReadFile("/m/" + file); err != nil {
			t.Errorf("initialised: %v", err)
		}
	}
	said.RestoreCkpt = pysem.Some("model.ckpt-7")
	_, _, err = estimator.FromRunConfigInitialized(e, said, rustport.NewRunnerConfig(), constant(1))
	if text := "Runner utils error: restore_ckpt model.ckpt-7 is not in checkpoint.all_model_checkpoint_paths"; err == nil || err.Error() != text {
		t.Errorf("got %v, want %s", err, text)
	}
}

// Goal (rows D21, D30): the estimator's functions run a process of a distributed training, and
// their errors have kind Distributed.
func TestADistributedRuntime(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		by, base := runner.NewMemory(), rustport.NewRunnerConfig()
		start := func(role rustport.Role) error {
			return estimator.RunDistributedRuntimeFromRunConfig(c.Env, by, rustport.NewRunConfig(), base, role, "127.0.0.1:0")
		}
		if err := start(rustport.Worker); err == nil || err.Error() != "Distributed runtime error: Timed out waiting for PS discovery: got 0 expected 1" {
			t.Errorf("without a PS: got %v, want a Distributed", err)
		}
		c.Env.Tasks.Go("ps", func() { c.Must(start(rustport.PS)) })
		c.Env.Tasks.Sleep(time.Second)
		c.Must(start(rustport.Worker))
		c.Must(estimator.RunDistributedRuntime(c.Env, by, base, runner.ConfigOf(base, rustport.Worker, "127.0.0.1:0")))
		if left, err := by.Discover("worker"); err != nil || len(left) != 0 {
			t.Errorf("got %v %v, want no worker left", left, err)
		}
	})
}
