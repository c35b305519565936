package checkpoints_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/tensorbundle"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: what recorded cases cannot show of checkpoints: when they were written, files that cannot be
// read, and the numbers in TensorFlow's own files.

func TestWhenACheckpointWasWritten(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		files := c.Env.Files
		c.Must(files.MkdirAll("/m"))
		c.Env.Tasks.Sleep(1500 * time.Millisecond)
		c.Must(files.WriteFile("/m/a-1.index", nil))
		first := float64(c.Env.Clock.Now().UnixMilli()) / 1000
		c.Env.Tasks.Sleep(time.Minute)
		c.Must(files.WriteFile("/m/a-1", nil)) // the index counts
		c.Must(files.WriteFile("/m/b-1", nil))
		for prefix, want := range map[string]float64{"/m/a-1": first, "/m/b-1": first + 60} { //lint:ordered each by itself
			if seconds, ok := checkpoints.ModTime(files, prefix); !ok || seconds != want {
				t.Errorf("%s: got %v, %v, want %v", prefix, seconds, ok, want)
			}
		}
		if _, ok := checkpoints.ModTime(files, "/m/c-1"); ok {
			t.Error("a checkpoint that is not there has a time")
		}
	})
}

func TestAStateThatCannotBeReadIsNone(t *testing.T) {
	e := envtest.New(map[string]string{"/m/checkpoint": "model_checkpoint_path: \"a-1\""}, nil)
	files := &envtest.Failing{Files: e.Files}
	e.Files, e.Log = files, envtest.Quiet{}
	if state, err := checkpoints.State(e, "/m", "checkpoint"); state != nil || err != nil {
		t.Errorf("a file that cannot be read: got %v, %v, want neither", state, err)
	}
	if state, err := checkpoints.State(e, "/m", "checkpoint"); err != nil || state.GetModelCheckpointPath() != "/m/a-1" {
		t.Errorf("a file that can be read again: got %v, %v, want a-1", state, err)
	}
}

func TestNumbersOfACheckpoint(t *testing.T) {
	index, data := tensorbundle.Write([]tensorbundle.Tensor{tensorbundle.Int64Scalar("global_step", 7)}, 1)
	e := envtest.New(map[string]string{"/m/a-7.index": string(index), "/m/a-7.data-00000-of-00001": string(data[0]), "/m/b-9.index": "9", "/m/c.index": "x"}, nil)
	for prefix, want := range map[string]int64{"/m/a-7": 7, "/m/b-9": 9} { //lint:ordered each by itself
		if got, err := checkpoints.Int64(e.Files, prefix, "global_step"); got != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", prefix, got, err, want)
		}
	}
	for prefix, tensor := range map[string]string{"/m/a-7": "other", "/m/c": "global_step", "/m/gone": "global_step"} { //lint:ordered each by itself
		if got, err := checkpoints.Int64(e.Files, prefix, tensor); err == nil {
			t.Errorf("%s of %s: got %d, want an error", tensor, prefix, got)
		}
	}
	for at := range 2 {
		files := &envtest.Failing{Files: e.Files, At: -1}
		_, err := checkpoints.Int64(files, "/m/a-7", "global_step")
		all := files.Calls
		if err != nil || all < 2 {
			t.Fatalf("got %d calls and %v, want some and no error", all, err)
		}
		files.Calls, files.At = 0, []int{0, all - 1}[at]
		if _, err := checkpoints.Int64(files, "/m/a-7", "global_step"); err == nil {
			t.Errorf("call %d of %d fails: got no error", files.At, all)
		}
	}
}
