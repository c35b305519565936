package tpurunner_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/summaries"
	"github.com/monosim/monosim/engine/training/tpurunner"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: an evaluation follows a training in another process, while old checkpoints are deleted
// (TRN-2.4, scenario S18). Recordings cannot show this, because time stands still in them. Method:
// a platform without a TPU, with checkpoints, summaries and time in the simulation.

// follower is a platform and estimator whose evaluations take virtual time, and are recorded.
type follower struct {
	c         *worldtest.Case
	takes     time.Duration
	evaluated []string
}

func (f *follower) LoadVariable(pysem.OptString, string) (int64, error) {
	return 0, session.Raise("NotFoundError", "none yet")
}
func (f *follower) ConfigureTPU(_, _, _ pysem.OptString) error    { return nil }
func (f *follower) NumHosts(_, _, _ pysem.OptString) (int, error) { return 1, nil }
func (f *follower) CreateInputFn(mode string) (any, error)        { return mode, nil }
func (f *follower) CreateModelFn() (any, error)                   { return nil, nil }
func (f *follower) Train(any, int64) error                        { return nil }
func (f *follower) NewEstimator(tpurunner.EstimatorConfig) (tpurunner.Estimator, error) {
	return f, nil
}

func (f *follower) Checkpoints(dir string, idle time.Duration, each func(string) (bool, error)) error {
	return tpurunner.Follow(f.c.Env, dir, idle, each)
}

func (f *follower) SummaryWriter(dir string) (tpurunner.SummaryWriter, error) {
	return summaries.NewFileWriter(f.c.Env, dir)
}

// Evaluate sleeps for the time of an evaluation. If the checkpoint was deleted meanwhile, it
// returns a NotFoundError.
func (f *follower) Evaluate(_ any, _ int, checkpoint string) ([]summaries.Log, error) {
	f.c.Env.Tasks.Sleep(f.takes)
	if !checkpoints.Exists(f.c.Env.Files, checkpoint) {
		f.evaluated = append(f.evaluated, pysem.Basename(checkpoint)+" is gone")
		return nil, session.Raise("NotFoundError", "%s", checkpoint)
	}
	f.evaluated = append(f.evaluated, pysem.Basename(checkpoint))
	return []summaries.Log{{Tag: "loss", Value: 0.5}}, nil
}

// follow evaluates the checkpoints of a training, which writes one every ten seconds and keeps two.
// It returns which were evaluated, and when that ended.
func follow(t *testing.T, count int, takes time.Duration) (evaluated []string, ended time.Duration) {
	t.Helper()
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		f, began := &follower{c: c, takes: takes}, c.Env.Clock.Now()
		c.Must(c.Env.Files.MkdirAll("m"))
		c.Env.Tasks.Go("training", func() {
			var kept []string
			for i := range count {
				c.Env.Tasks.Sleep(10 * time.Second)
				next := fmt.Sprintf("m/model.ckpt-%d", (i+1)*10)
				c.Must(c.Env.Files.WriteFile(next+checkpoints.IndexSuffix, nil))
				if kept = append(kept, next); len(kept) > 2 {
					c.Must(c.Env.Files.Remove(kept[0] + checkpoints.IndexSuffix))
					kept = kept[1:]
				}
				c.Must(checkpoints.UpdateState(c.Env.Files, "m", next, kept, checkpoints.Filename))
			}
		})
		flags := absl.New(tpurunner.Module())
		_, err := flags.Parse(nil, []string{"--mode=eval", "--model_dir=m"})
		c.Must(err)
		params := &tpurunner.TaskParams{Train: tpurunner.TrainParams{MaxSteps: 50, PerReplicaBatchSize: 0}, EvalPerReplicaBatchSize: pysem.Some(1), EvalExamples: 8}
		c.Must(tpurunner.New(c.Env, f, flags, params).Run(f))
		evaluated, ended = f.evaluated, c.Env.Clock.Now().Sub(began)
		files, err := c.Env.Files.ReadDir("m/eval")
		if err != nil || len(files) == 0 && len(evaluated) > 0 {
			t.Errorf("got the summaries %v, error %v, want some", files, err)
		}
	})
	return evaluated, ended
}

func TestAnEvaluationFollowsATraining(t *testing.T) {
	for _, c := range []struct {
		name  string
		count int
		takes time.Duration
		want  []string
		ends  time.Duration
	}{
		{"faster than the training", 5, 3 * time.Second, []string{"model.ckpt-10", "model.ckpt-20", "model.ckpt-30", "model.ckpt-40", "model.ckpt-50"}, 53 * time.Second},
		{"slower than the training", 5, 15 * time.Second, []string{"model.ckpt-10", "model.ckpt-20", "model.ckpt-30 is gone", "model.ckpt-50"}, 70 * time.Second},
		{"slower than retention", 5, 25 * time.Second, []string{"model.ckpt-10 is gone", "model.ckpt-30 is gone", "model.ckpt-50"}, 85 * time.Second},
	} {
		got, ended := follow(t, c.count, c.takes)
		if diff := cmp.Diff(c.want, got); diff != "" || ended != c.ends {
			t.Errorf("%s: ended after %v, want %v (-want +got):\n%s", c.name, ended, c.ends, diff)
		}
	}
}

func TestFollowingEndsWhenNothingComes(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		began := c.Env.Clock.Now()
		c.Must(tpurunner.Follow(c.Env, "m", 2*time.Hour, func(string) (bool, error) { return true, nil }))
		want := 2 * time.Hour
		if got := c.Env.Clock.Now().Sub(began); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// failing is a follower that fails in one of its methods.
type failing struct {
	follower
	in string
}

var errFailed = session.Raise("DataLossError", "failed")

func (f *failing) NewEstimator(tpurunner.EstimatorConfig) (tpurunner.Estimator, error) {
	return f, f.fails("estimator")
}

func (f *failing) Evaluate(input any, steps int, checkpoint string) ([]summaries.Log, error) {
	if f.in == "evaluate" {
		return nil, errFailed
	}
	return f.follower.Evaluate(input, steps, checkpoint)
}

func (f *failing) SummaryWriter(dir string) (tpurunner.SummaryWriter, error) {
	if f.in == "writer" {
		return nil, errFailed
	}
	w, err := f.follower.SummaryWriter(dir)
	return failingWriter{w, f.in}, err
}

// failingWriter is a file of results that fails in one of its methods.
type failingWriter struct {
	tpurunner.SummaryWriter
	in string
}

func (w failingWriter) Close() error {
	if w.in == "close" {
		return errFailed
	}
	return w.SummaryWriter.Close()
}

func (f *failing) fails(in string) error {
	if f.in == in {
		return errFailed
	}
	return nil
}

func (f *failing) LoadVariable(pysem.OptString, string) (int64, error) { return 3, f.fails("step") }
func (f *failing) ConfigureTPU(_, _, _ pysem.OptString) error          { return f.fails("configure") }
func (f *failing) NumHosts(_, _, _ pysem.OptString) (int, error)       { return 1, f.fails("hosts") }
func (f *failing) CreateInputFn(mode string) (any, error)              { return mode, f.fails("input " + mode) }
func (f *failing) CreateModelFn() (any, error)                         { return nil, f.fails("model") }
func (f *failing) Train(any, int64) error                              { return f.fails("train") }
func (f *failing) FeatureAndTableConfig() (features, tables []string, err error) {
	return nil, nil, f.fails("tables")
}

// Goal: a run ends with the error of whatever it calls of its platform and its task (tpu_runner.py:321-440).
func TestErrorsEndTheRun(t *testing.T) {
	train := []string{"step", "input train", "model", "configure", "hosts", "estimator", "tables", "train"}
	for mode, calls := range map[string][]string{"train": train, "eval": append(train[:len(train)-1:len(train)-1], "input eval")} { //lint:ordered each by itself
		for _, in := range calls {
			worldtest.Run(t, nil, func(c *worldtest.Case) {
				flags := absl.New(tpurunner.Module())
				_, err := flags.Parse(nil, []string{"--mode=" + mode, "--model_dir=m", "--enable_tpu_version_config"})
				c.Must(err)
				params := &tpurunner.TaskParams{Train: tpurunner.TrainParams{MaxSteps: 50, PerReplicaBatchSize: 1}, EvalPerReplicaBatchSize: pysem.Some(1), EvalExamples: 8}
				f := &failing{follower{c: c}, in}
				if err := tpurunner.New(c.Env, f, flags, params).Run(f); !errors.Is(err, errFailed) {
					t.Errorf("%s in mode %s: got %v, want its error", in, mode, err)
				}
			})
		}
	}
}

// Goal: an evaluation ends with any error but that of a checkpoint that is gone (tpu_runner.py:424).
func TestAnEvaluationThatFailsEndsTheRun(t *testing.T) {
	for _, in := range []string{"evaluate", "writer", "close"} {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			c.Must(c.Env.Files.MkdirAll("m"))
			c.Must(c.Env.Files.WriteFile("m/model.ckpt-50"+checkpoints.IndexSuffix, nil))
			c.Must(checkpoints.UpdateState(c.Env.Files, "m", "m/model.ckpt-50", nil, checkpoints.Filename))
			flags := absl.New(tpurunner.Module())
			_, err := flags.Parse(nil, []string{"--mode=eval", "--model_dir=m"})
			c.Must(err)
			params := &tpurunner.TaskParams{Train: tpurunner.TrainParams{MaxSteps: 50, PerReplicaBatchSize: 0}, EvalPerReplicaBatchSize: pysem.Some(1), EvalExamples: 8}
			f := &failing{follower{c: c}, in}
			if err := tpurunner.New(c.Env, f, flags, params).Run(f); !errors.Is(err, errFailed) {
				t.Errorf("%s: got %v, want its error", in, err)
			}
		})
	}
}
