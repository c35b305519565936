// Package evaluation is the process that evaluates the checkpoints of a training job, in a program
// of its own: tpu_runner.py in mode eval, over the job's directory.
//
// Two things to use first:
//
//   - [Run] follows a directory until a checkpoint of the last step, or until none comes any more.
//   - [Options] chooses the directory, and how long an evaluation takes.
//
// Nothing is really computed: an evaluation takes its time, finds its checkpoint there or gone, and
// writes the global step as its result. The loop, which gives up after five hours, is tpurunner's.
// To change what an evaluation does: follower.Evaluate.
//
// Unstable: any commit may change it.
package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/summaries"
	"github.com/monosim/monosim/engine/training/tpurunner"
)

// Options configures [Run].
type Options struct {
	// ModelDir contains the checkpoints. The results are written to its subdirectory eval.
	ModelDir string
	// MaxSteps is the global step of the last checkpoint. 0 means that there is no last one.
	MaxSteps int64
	// Setup is how long an evaluation takes before it reads its checkpoint. Takes is how long it
	// takes after that.
	Setup, Takes time.Duration
	// Happened is called for each checkpoint with op "evaluated", or "passed-over" if it is gone.
	Happened func(op, path, note string)
	// During, if set, is called for each evaluation, and has to call evaluate.
	During func(checkpoint string, evaluate func())
	// Quirks is the set of the reference's bugs to keep.
	Quirks quirks.Set
}

// These are the sizes of an evaluation. They only have to be consistent.
const (
	perReplicaBatch = 1
	evalExamples    = 8
)

// Run evaluates each new latest checkpoint of the directory (tpu_runner.py:384). It returns after
// the last step's checkpoint, or after five hours without a new one. It skips a checkpoint that is
// gone. A checkpoint name without a step raises an IndexError, unless Q198 is repaired.
func Run(e *env.Env, o Options) error {
	flags := absl.New(tpurunner.Module())
	if _, err := flags.Parse(e.Files, []string{"--mode=" + tpurunner.ModeEval, "--model_dir=" + o.ModelDir}); err != nil {
		return err
	}
	last := cmp.Or(o.MaxSteps, math.MaxInt64)
	params := &tpurunner.TaskParams{
		Train: tpurunner.TrainParams{MaxSteps: last, PerReplicaBatchSize: 0}, EvalPerReplicaBatchSize: pysem.Some(perReplicaBatch), EvalExamples: evalExamples,
	}
	f := &follower{e: e, Options: o}
	r := tpurunner.New(e, f, flags, params)
	r.Quirks = o.Quirks
	return r.Run(f)
}

// follower implements the platform (without a TPU), the task and the task's estimator.
type follower struct {
	Options
	e *env.Env
}

// Evaluate evaluates a checkpoint.
func (f *follower) Evaluate(_ any, _ int, checkpoint string) (logs []summaries.Log, err error) {
	if f.During == nil {
		return f.evaluate(checkpoint)
	}
	f.During(checkpoint, func() { logs, err = f.evaluate(checkpoint) })
	return logs, err
}

// evaluate sets up, reads the checkpoint and evaluates it. It raises a NotFoundError if the
// checkpoint is gone by the time it is read.
func (f *follower) evaluate(checkpoint string) ([]summaries.Log, error) {
	f.e.Tasks.Sleep(f.Setup)
	step, err := f.stepIn(checkpoint)
	if err != nil {
		if pysem.TypeOf(err) == "NotFoundError" {
			f.Happened("passed-over", checkpoint, "")
		}
		return nil, err
	}
	f.e.Tasks.Sleep(f.Takes)
	f.Happened("evaluated", checkpoint, fmt.Sprintf("step %d", step))
	return []summaries.Log{{Tag: "global_step", Value: float64(step)}}, nil
}

// stepIn reads the global step from a checkpoint.
func (f *follower) stepIn(checkpoint string) (int64, error) {
	return checkpoints.Int64(f.e.Files, checkpoint, "global_step")
}

// LoadVariable reads the global step of the latest checkpoint.
func (f *follower) LoadVariable(dir pysem.OptString, _ string) (int64, error) {
	latest, err := checkpoints.Latest(f.e, dir.V, checkpoints.Filename)
	if err != nil {
		return 0, err
	}
	if latest == "" {
		return 0, session.Raise("ValueError", "Couldn't find 'checkpoint' file or checkpoints in given directory %s", dir.V)
	}
	return f.stepIn(latest)
}

// Checkpoints follows the directory.
func (f *follower) Checkpoints(dir string, idle time.Duration, each func(string) (bool, error)) error {
	return tpurunner.Follow(f.e, dir, idle, each)
}

// SummaryWriter creates a results file.
func (f *follower) SummaryWriter(dir string) (tpurunner.SummaryWriter, error) {
	return summaries.NewFileWriter(f.e, dir)
}

// ConfigureTPU does nothing, because there is no TPU.
func (f *follower) ConfigureTPU(_, _, _ pysem.OptString) error { return nil }

// NumHosts returns one.
func (f *follower) NumHosts(_, _, _ pysem.OptString) (int, error) { return 1, nil }

// NewEstimator returns the follower itself.
func (f *follower) NewEstimator(tpurunner.EstimatorConfig) (tpurunner.Estimator, error) {
	return f, nil
}

// CreateInputFn returns an input that is never read.
func (f *follower) CreateInputFn(mode string) (any, error) { return mode, nil }

// CreateModelFn returns no model, because nothing is computed.
func (f *follower) CreateModelFn() (any, error) { return nil, nil }

// Train is never called in mode eval.
func (f *follower) Train(any, int64) error {
	return pysem.Raise("AssertionError", "an evaluation does not train")
}

var (
	_ tpurunner.Platform = (*follower)(nil)
	_ tpurunner.Task     = (*follower)(nil)
)
