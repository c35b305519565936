// Package tpurunner runs a task on a TPU, over an interface to the TPU and to TensorFlow
// (tpu_runner.py).
//
// Two things to use first:
//
//   - [New] reads the flags of [Module] and the task's parameters.
//   - [Runner.Run] trains, or evaluates each checkpoint that another job writes. [Main] does both
//     for the task that the flag task names.
//
// To change:
//
//   - the flags: flags.go
//   - how a task is found: package modelregistry
//   - how a directory of checkpoints is followed in virtual time: [Follow]
//
// Unstable: any commit may change it.
package tpurunner

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/modelregistry"
	"github.com/monosim/monosim/engine/training/summaries"
)

// TaskParams holds those parameters of a task that the runner uses.
type TaskParams struct {
	Train TrainParams
	// EvalPerReplicaBatchSize is the batch size of an evaluation. None means the batch size of
	// training.
	EvalPerReplicaBatchSize pysem.OptInt
	// EvalExamples is the number of examples in an evaluation.
	EvalExamples int
	// Accelerator is set to "tpu" by the runner.
	Accelerator string
	// Instantiate makes the task, for [Main].
	Instantiate func() (Task, error)
}

// TrainParams holds the parameters of training.
type TrainParams struct {
	// PerReplicaBatchSize is a number of Python. What cannot be multiplied is a TypeError of a run
	// on a TPU.
	PerReplicaBatchSize any
	MaxSteps            int64
	// SaveCheckpointsSteps, when set, replaces the value of the flag save_checkpoints_steps.
	SaveCheckpointsSteps pysem.OptInt
	// EndDate is the last day of the input. It is unset for a task without a last day. If it is
	// set, the flag overwrite_end_date replaces it.
	EndDate pysem.OptString
}

// Task makes the input and the model that an estimator trains or evaluates.
type Task interface {
	// CreateInputFn makes the input of a mode, train or eval.
	CreateInputFn(mode string) (any, error)
	CreateModelFn() (any, error)
}

// EmbeddingTask is a Task with tables of embeddings.
type EmbeddingTask interface {
	Task
	// FeatureAndTableConfig returns the features and tables of the embeddings. Two empty lists mean
	// that the task has no embeddings.
	FeatureAndTableConfig() (features, tables []string, err error)
}

// Params holds what the estimator passes to the model (tpu_runner.py:182).
type Params struct {
	ModelDir              pysem.OptString
	EnableHostCall        bool
	NumReplicas           int
	Accelerator           string
	HostCallEveryNSteps   int
	EnableStoppingSignals bool
	CPUTest               bool
}

// String returns the parameters as Python's repr of a dict.
func (p Params) String() string {
	d := &pysem.Dict{}
	d.Set("model_dir", p.ModelDir.Any())
	d.Set("enable_host_call", p.EnableHostCall)
	d.Set("num_replicas", p.NumReplicas)
	d.Set("accelerator", p.Accelerator)
	d.Set("host_call_every_n_steps", p.HostCallEveryNSteps)
	d.Set("enable_stopping_signals", p.EnableStoppingSignals)
	d.Set("cpu_test", p.CPUTest)
	return pysem.Repr(d)
}

// EstimatorConfig holds the arguments for making an estimator.
type EstimatorConfig struct {
	UseTPU  bool
	ModelFn any
	// TrainBatchSize is the batch size of all replicas together. EvalBatchSize is None on the CPU.
	TrainBatchSize, EvalBatchSize any
	Params                        Params
	// Embeddings means that the task has embedding tables. Partition says how they are partitioned,
	// None on the CPU.
	Embeddings bool
	Partition  pysem.OptString
	Pipeline   bool
	// Cluster means that the estimator runs in the cluster of a TPU. ModelDir is None on the CPU.
	Cluster              bool
	ModelDir             pysem.OptString
	SaveCheckpointsSteps pysem.OptInt
	IterationsPerLoop    int
	HostCallEveryNSteps  int
	// FeedHook adds a hook that handles the end of the input.
	FeedHook bool
}

// Estimator trains and evaluates.
type Estimator interface {
	// Train trains up to a global step.
	Train(input any, maxSteps int64) error
	// Evaluate evaluates a checkpoint. If the checkpoint was deleted, it is a NotFoundError.
	Evaluate(input any, steps int, checkpoint string) ([]summaries.Log, error)
}

// Platform stands for TensorFlow and the TPU, as far as the runner uses them.
type Platform interface {
	// LoadVariable returns a variable's value in the latest checkpoint of a directory. A TypeError,
	// a ValueError or a NotFoundError means that there is no such value.
	LoadVariable(dir pysem.OptString, name string) (int64, error)
	// ConfigureTPU sets the version of the TPU and waits until it is healthy.
	ConfigureTPU(tpu, zone, project pysem.OptString) error
	// NumHosts returns the number of hosts in the TPU's cluster.
	NumHosts(tpu, zone, project pysem.OptString) (int, error)
	NewEstimator(c EstimatorConfig) (Estimator, error)
	// Checkpoints calls the function each for every new checkpoint in a directory. It ends when the
	// function returns false, or when no new checkpoint has come for the time idle.
	Checkpoints(dir string, idle time.Duration, each func(checkpoint string) (more bool, err error)) error
	// SummaryWriter makes a writer of summaries in a directory.
	SummaryWriter(dir string) (SummaryWriter, error)
}

// SummaryWriter writes a file of summaries.
type SummaryWriter interface {
	summaries.Writer
	Close() error
}

// Runner runs a task (tpu_runner.py:142).
type Runner struct {
	summaries.BaseRunner
	// Quirks is the set of the reference's faults that are kept.
	Quirks jobquirks.Set

	e         *env.Env
	platform  Platform
	flags     *absl.Flags
	params    *TaskParams
	saveSteps pysem.OptInt
}

// New makes a runner from a program's flags, which are those of [Module]. It changes params as the
// flags say.
func New(e *env.Env, platform Platform, flags *absl.Flags, params *TaskParams) *Runner {
	r := &Runner{e: e, platform: platform, flags: flags, params: params, saveSteps: params.Train.SaveCheckpointsSteps}
	if r.saveSteps.Set {
		e.Log.Logf(env.Info, "Overwrite save_checkpoints_steps by task_param.train: %s", r.saveSteps)
	} else {
		if v, err := flags.Value("save_checkpoints_steps"); err == nil && v != nil {
			r.saveSteps = pysem.Some(flags.Int("save_checkpoints_steps"))
		}
		e.Log.Logf(env.Info, "Use save_checkpoints_steps by FLAGS: %s", r.saveSteps)
	}
	params.Accelerator = "tpu"
	if date := flags.Text("overwrite_end_date"); date.V != "" && params.Train.EndDate.Set {
		params.Train.EndDate = date
		e.Log.Logf(env.Info, "Use flag end_date %s to replace parameter train.end_date.", date)
	}
	return r
}

// Main runs the task whose class the flag task names (tpu_runner.py:410). Without the flag it is a
// TypeError. Other errors are those of Registry.GetParams.
func Main(e *env.Env, platform Platform, flags *absl.Flags, tasks *modelregistry.Registry[*TaskParams]) error {
	name := flags.Text("task")
	if !name.Set {
		return pysem.Raise("TypeError", "argument of type 'NoneType' is not iterable")
	}
	params, err := tasks.GetParams(name.V)
	if err != nil {
		return err
	}
	return New(e, platform, flags, params).run(params.Instantiate)
}

// Run trains or evaluates, as the flag mode says (tpu_runner.py:321). On the CPU every mode but
// train raises an AssertionError. Elsewhere a mode other than train and eval raises a TypeError,
// after the estimator was made.
func (r *Runner) Run(task Task) error { return r.run(func() (Task, error) { return task, nil }) }

func (r *Runner) run(instantiate func() (Task, error)) error {
	step, err := r.currentStep()
	if err != nil {
		return err
	}
	r.e.Log.Logf(env.Info, "Current step :%d", step)
	task, err := instantiate()
	if err != nil {
		return err
	}
	embeddings, err := hasTables(task)
	if err != nil {
		return err
	}
	input, err := task.CreateInputFn(ModeTrain)
	if err != nil {
		return err
	}
	model, err := task.CreateModelFn()
	if err != nil {
		return err
	}
	mode := r.flags.Text("mode").V
	if r.flags.Bool("cpu_test") && mode != ModeTrain {
		return pysem.Raise("AssertionError", "Cpu test can only work with train mode.")
	}
	estimator, replicas, err := r.estimator(model, embeddings)
	if err != nil {
		return err
	}
	switch mode {
	case ModeTrain:
		return estimator.Train(input, r.params.Train.MaxSteps)
	case ModeEval:
		return r.evaluate(task, estimator, replicas)
	}
	return pysem.Raise("TypeError", "%s has not been supported.", mode)
}

// currentStep returns the global step of the latest checkpoint, 0 if there is no checkpoint.
func (r *Runner) currentStep() (int64, error) {
	step, err := r.platform.LoadVariable(r.flags.Text("model_dir"), "global_step")
	switch pysem.TypeOf(err) {
	case "TypeError", "ValueError", "NotFoundError":
		return 0, nil
	}
	return step, err
}

func hasTables(task Task) (bool, error) {
	t, ok := task.(EmbeddingTask)
	if !ok {
		return false, nil
	}
	features, tables, err := t.FeatureAndTableConfig()
	return len(features) > 0 && len(tables) > 0, err
}

// estimator makes the estimator and returns how many replicas it has.
func (r *Runner) estimator(model any, embeddings bool) (Estimator, int, error) {
	hostCall := r.flags.Int("host_call_every_n_steps")
	c := EstimatorConfig{
		ModelFn: model, Embeddings: embeddings, Pipeline: r.flags.Bool("pipeline_execution"), SaveCheckpointsSteps: r.saveSteps,
		IterationsPerLoop: r.flags.Int("iterations_per_loop"), HostCallEveryNSteps: hostCall, TrainBatchSize: cpuBatchSize,
		Params: Params{
			ModelDir: r.flags.Text("model_dir"), EnableHostCall: hostCall > 0, NumReplicas: 1, Accelerator: r.params.Accelerator,
			HostCallEveryNSteps: hostCall, EnableStoppingSignals: r.flags.Bool("enable_stopping_signals"), CPUTest: r.flags.Bool("cpu_test"),
		},
	}
	if hostCall == 0 {
		c.HostCallEveryNSteps = hostCallAtLeast
	}
	if !r.flags.Bool("cpu_test") {
		if err := r.onTPU(&c); err != nil {
			return nil, 0, err
		}
	}
	r.e.Log.Logf(env.Info, "params: %s", c.Params)
	e, err := r.platform.NewEstimator(c)
	return e, c.Params.NumReplicas, err
}

// onTPU completes a configuration for a TPU (tpu_runner.py:200).
func (r *Runner) onTPU(c *EstimatorConfig) error {
	tpu, zone, project := r.flags.Text("tpu"), r.flags.Text("tpu_zone"), r.flags.Text("gcp_project")
	if r.flags.Bool("enable_tpu_version_config") {
		r.e.Log.Logf(env.Info, "Enable tpu version config, reset remote tpu version with %s", tensorFlowVersion)
		if err := r.platform.ConfigureTPU(tpu, zone, project); err != nil {
			return err
		}
	}
	hosts, err := r.platform.NumHosts(tpu, zone, project)
	if err != nil {
		return err
	}
	c.Params.NumReplicas = replicasPerHost * hosts
	c.UseTPU, c.Cluster, c.ModelDir, c.Partition = true, true, c.Params.ModelDir, r.flags.Text("partition_strategy")
	c.FeedHook = c.Params.EnableStoppingSignals
	c.TrainBatchSize, err = pysem.Multiply(c.Params.NumReplicas, r.params.Train.PerReplicaBatchSize)
	if err != nil {
		return err
	}
	r.e.Log.Logf(env.Info, "num_hosts: %d total_replicas: %d train_global_batch_size: %s", hosts, c.Params.NumReplicas, pysem.Str(c.TrainBatchSize))
	c.EvalBatchSize = c.TrainBatchSize
	if size := r.params.EvalPerReplicaBatchSize; size.Set {
		c.EvalBatchSize = size.V * c.Params.NumReplicas
	}
	return nil
}

// evaluate evaluates each checkpoint that another job writes. It ends after the checkpoint of the
// last step.
//
// Cost: an evaluation grows with the number of examples. There is one evaluation for each
// checkpoint, and each writes an event file of its own. Between checkpoints the directory is listed
// once a second, for at most five hours.
func (r *Runner) evaluate(task Task, estimator Estimator, replicas int) error {
	input, err := task.CreateInputFn(ModeEval)
	if err != nil {
		return err
	}
	steps, err := r.evalSteps(replicas)
	if err != nil {
		return err
	}
	dir := r.flags.Text("model_dir")
	if !dir.Set {
		return pysem.Raise("TypeError", "expected str, bytes or os.PathLike object, not NoneType")
	}
	output := pysem.JoinStrings(dir.V, "eval")
	if err := gfile.MakeDirs(r.e.Files, output); err != nil {
		return err
	}
	return r.platform.Checkpoints(dir.V, evalIdleTimeSeconds*time.Second, func(checkpoint string) (bool, error) {
		return r.evaluateOne(estimator, input, steps, checkpoint, output)
	})
}

// evalSteps returns the number of batches in an evaluation. If no batch size is set for
// evaluations, it is a TypeError. With Q198 repaired the batch size of training is used, as the
// estimator does.
func (r *Runner) evalSteps(replicas int) (int, error) {
	size := r.params.EvalPerReplicaBatchSize
	if !size.Set && !r.Quirks.Keeps(jobquirks.Q198) {
		size.V, size.Set = r.params.Train.PerReplicaBatchSize.(int)
	}
	if !size.Set {
		return 0, pysem.Raise("TypeError", "unsupported operand type(s) for *: 'NoneType' and 'int'")
	}
	batch := size.V * replicas
	if batch == 0 {
		return 0, pysem.Raise("ZeroDivisionError", "integer division or modulo by zero")
	}
	steps := r.params.EvalExamples / batch
	if r.params.EvalExamples%batch != 0 && (r.params.EvalExamples < 0) != (batch < 0) {
		steps--
	}
	r.e.Log.Logf(env.Info, "Evaluation: total_examples:%d eval_batch_size:%d num_eval_steps: %d", r.params.EvalExamples, batch, steps)
	return steps, nil
}

// evaluateOne evaluates a checkpoint, and reports whether more will come. A checkpoint that was
// deleted is skipped. A name without a step is an error, or with Q198 repaired only a warning.
func (r *Runner) evaluateOne(estimator Estimator, input any, steps int, checkpoint, output string) (bool, error) {
	step, err := stepOf(checkpoint)
	if err != nil && !r.Quirks.Keeps(jobquirks.Q198) {
		r.e.Log.Logf(env.Warning, "Could not find current step value")
		return true, nil
	}
	if err != nil {
		return false, err
	}
	r.e.Log.Logf(env.Info, "Starting to evaluate step: %d", step)
	begun := r.e.Clock.Now()
	logs, err := estimator.Evaluate(input, steps, checkpoint)
	if pysem.TypeOf(err) == "NotFoundError" {
		r.e.Log.Logf(env.Info, "Checkpoint %s no longer exists, skipping checkpoint", checkpoint)
		return true, nil
	}
	if err != nil {
		return false, err
	}
	r.e.Log.Logf(env.Info, "Eval results: %s. Elapsed seconds: %d", pysem.Repr(resultsOf(logs)), r.e.Clock.Now().Sub(begun)/time.Second)
	w, err := r.platform.SummaryWriter(output)
	if err != nil {
		return false, err
	}
	if err := r.WriteSummary(logs, w, step); err != nil {
		return false, err
	}
	if err := w.Close(); err != nil {
		return false, err
	}
	if step >= r.params.Train.MaxSteps {
		r.e.Log.Logf(env.Info, "Evaluation finished after training step %d", step)
		return false, nil
	}
	return true, nil
}

// resultsOf returns the results of an evaluation as a Python dict from tags to values.
func resultsOf(logs []summaries.Log) *pysem.Dict {
	d := &pysem.Dict{}
	for _, l := range logs {
		d.Set(l.Tag, l.Value)
	}
	return d
}

// stepOf returns the step in a checkpoint's name, the number between its first two dashes.
func stepOf(checkpoint string) (int64, error) {
	parts := strings.Split(pysem.Basename(checkpoint), "-")
	if len(parts) < 2 {
		return 0, pysem.Raise("IndexError", "list index out of range")
	}
	n, err := pysem.ParseInt(parts[1])
	if err != nil {
		return 0, err
	}
	return n.Int64(), nil
}

// pollCheckpoints is how long Follow sleeps between two checks of a directory (checkpoint_utils.py
// of TensorFlow 2.4).
const pollCheckpoints = time.Second

// Follow calls the function each whenever a directory has a new latest checkpoint
// (tf.train.checkpoints_iterator). It ends when the function returns false, or when no new
// checkpoint has come for the time idle.
func Follow(e *env.Env, dir string, idle time.Duration, each func(checkpoint string) (more bool, err error)) error {
	last := ""
	for {
		next, err := waitForNew(e, dir, last, idle)
		if err != nil || next == "" {
			return err
		}
		last = next
		if more, err := each(next); err != nil || !more {
			return err
		}
	}
}

// waitForNew waits until the latest checkpoint differs from last and returns it. After limit it
// returns "".
func waitForNew(e *env.Env, dir, last string, limit time.Duration) (string, error) {
	stop := e.Clock.Now().Add(limit)
	for {
		latest, err := checkpoints.Latest(e, dir, checkpoints.Filename)
		if err != nil {
			return "", err
		}
		if latest != "" && latest != last {
			return latest, nil
		}
		if e.Clock.Now().Add(pollCheckpoints).After(stop) {
			return "", nil
		}
		e.Tasks.Sleep(pollCheckpoints)
	}
}
