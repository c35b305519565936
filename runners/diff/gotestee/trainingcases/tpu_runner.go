package trainingcases

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/summaries"
	"github.com/monosim/monosim/engine/training/tpurunner"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// tpuOps holds the operations on tpu_runner.py and model_registry.py.
var tpuOps = caseworld.Table{
	"tpu_runner.flags":         tpuFlags,
	"tpu_runner.TPURunner.run": tpuRun,
	"model_registry.sequence":  registrySequence,
}

func tpuFlags(*caseworld.Call) (any, error) {
	defaults := caseworld.Object()
	for _, flag := range tpurunner.Module().Flags {
		defaults.Set(flag.Name, flag.Default)
	}
	return defaults, nil
}

// tpuWorld stands in for everything that the runner calls, and records the calls.
type tpuWorld struct {
	notes
	given caseworld.Arguments
}

func (w *tpuWorld) LoadVariable(dir pysem.OptString, name string) (int64, error) {
	w.note("load_variable", dir.Any(), name)
	if !w.given.Has("global_step") {
		return 0, session.Raise("NotFoundError", "no checkpoint")
	}
	return int64(w.given.Integer("global_step")), nil
}

func (w *tpuWorld) CreateInputFn(mode string) (any, error) {
	return "input_" + mode, w.note("create_input_fn", mode)
}

func (w *tpuWorld) CreateModelFn() (any, error) { return nil, w.note("create_model_fn") }

func (w *tpuWorld) ConfigureTPU(tpu, zone, project pysem.OptString) error {
	w.note("client", tpu.Any(), zone.Any(), project.Any())
	w.note("configure_tpu_version")
	return w.note("wait_for_healthy")
}

func (w *tpuWorld) NumHosts(tpu, zone, project pysem.OptString) (int, error) {
	w.note("resolver", tpu.Any(), zone.Any(), project.Any())
	return w.given.IntegerOr("num_hosts", 1), nil
}

func (w *tpuWorld) NewEstimator(c tpurunner.EstimatorConfig) (tpurunner.Estimator, error) {
	w.note("TPUEstimator", caseworld.Object(
		"use_tpu", c.UseTPU, "train_batch_size", c.TrainBatchSize, "eval_batch_size", c.EvalBatchSize,
		"params", caseworld.Object(
			"model_dir", c.Params.ModelDir.Any(), "enable_host_call", c.Params.EnableHostCall, "num_replicas", c.Params.NumReplicas,
			"accelerator", c.Params.Accelerator, "host_call_every_n_steps", c.Params.HostCallEveryNSteps,
			"enable_stopping_signals", c.Params.EnableStoppingSignals, "cpu_test", c.Params.CPUTest),
		"embedding_config_spec", c.Embeddings,
		"config", caseworld.Object(
			"cluster", c.Cluster, "model_dir", c.ModelDir.Any(), "save_checkpoints_steps", c.SaveCheckpointsSteps.Any(),
			"iterations_per_loop", c.IterationsPerLoop, "host_call_every_n_steps", c.HostCallEveryNSteps, "feed_hook", c.FeedHook)))
	return w, nil
}

func (w *tpuWorld) Train(input any, maxSteps int64) error {
	return w.note("train", input, int(maxSteps))
}

func (w *tpuWorld) Evaluate(input any, steps int, checkpoint string) ([]summaries.Log, error) {
	w.note("evaluate", input, steps, checkpoint)
	if w.given.Has("gone") && slices.Contains(w.given.Strings("gone"), checkpoint) {
		return nil, session.Raise("NotFoundError", "gone")
	}
	return []summaries.Log{{Tag: "loss", Value: 0.5}}, nil
}

func (w *tpuWorld) Checkpoints(dir string, idle time.Duration, each func(string) (bool, error)) error {
	w.note("checkpoints_iterator", dir, int(idle/time.Second))
	if !w.given.Has("checkpoints") {
		return nil
	}
	for _, checkpoint := range w.given.Strings("checkpoints") {
		if more, err := each(checkpoint); err != nil || !more {
			return err
		}
	}
	return nil
}

func (w *tpuWorld) SummaryWriter(dir string) (tpurunner.SummaryWriter, error) {
	return tpuSummaries{w}, w.note("writer", dir)
}

type tpuSummaries struct{ w *tpuWorld }

func (s tpuSummaries) AddSummary(summary *framework.Summary, step int64) error {
	return s.w.note("summary", caseworld.PB(summary), int(step))
}

func (tpuSummaries) Close() error { return nil }

func tpuRun(c *caseworld.Call) (any, error) {
	w, given := &tpuWorld{given: c.In.Object("world"), notes: noNotes()}, c.In.Object("params")
	train, eval := given.ObjectOr("train"), given.ObjectOr("eval")
	perReplica := any(16)
	if train.Has("per_replica_batch_size") {
		perReplica = train.Value("per_replica_batch_size")
	}
	params := &tpurunner.TaskParams{
		Train: tpurunner.TrainParams{
			PerReplicaBatchSize: perReplica, MaxSteps: int64(train.IntegerOr("max_steps", 100)),
			SaveCheckpointsSteps: train.OptInteger("save_checkpoints_steps"), EndDate: train.OptStr("end_date"),
		},
		EvalPerReplicaBatchSize: eval.OptInteger("per_replica_batch_size"), EvalExamples: given.IntegerOr("eval_examples", 1000),
	}
	flags := absl.New(tpurunner.Module())
	err := parsed(c, flags)
	if err == nil {
		r := tpurunner.New(c.Env, w, flags, params)
		r.Quirks = c.Quirks
		err = r.Run(w)
	}
	accelerator := any(params.Accelerator)
	if params.Accelerator == "" {
		accelerator = nil
	}
	return caseworld.Object("result", caseworld.Attempt(nil, err), "log", w.log, "end_date", params.Train.EndDate.Any(), "accelerator", accelerator), nil
}
