package simrun_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// followLate runs a job in which all processes but the chief wait for files, and an
// evaluator follows the checkpoints. For part of the time, file names become visible late.
// It returns all observations of the processes, and the trace.
func followLate(t *testing.T, noLeaps bool) (seen []string) {
	spec := runners.Spec{Seed: 1, NoLeaps: noLeaps, Training: &runners.TrainingSpec{
		Workers: 2, PS: 1, SaveEvery: time.Minute, MaxToKeep: 2, Evaluator: true, RestoreDir: "/train/old",
	}}
	built, err := (&simrun.Runner{OnObservation: func(o runners.Observation) {
		seen = append(seen, fmt.Sprintf("%v %s %s %s %s", o.At, o.Pod, o.Op, o.Path, o.Note))
	}}).Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	c := built.(*simrun.Cluster)
	defer c.Close()
	for name, text := range map[string]string{"/train/old/m-7.index": "7", "/train/old/checkpoint": "model_checkpoint_path: 'm-7' all_model_checkpoint_paths: 'm-7'"} { //lint:ordered each by itself
		do(t, c.StoreFile(name, []byte(text)))
	}
	late := runners.Fault{Kind: "store.late", BasePath: "/train/model", Duration: 100 * time.Second}
	do(t, c.BeginFault(late))
	do(t, c.StartTraining())
	pass(t, c, 20*time.Minute)
	do(t, c.EndFault(late))
	pass(t, c, 20*time.Minute)
	return append(seen, fmt.Sprintf("%+v %+v %016x", c.TrainingStatus(), c.Invariants(), c.Stats().TraceHash))
}

// Goal: a waiting loop that leaps over its idle turns still continues in time when a file
// becomes visible without any event. This holds for a worker that waits and for an evaluator
// that polls.
func TestLateFilesMakeNoDifferenceToLeaps(t *testing.T) {
	events, leaps := followLate(t, true), followLate(t, false)
	if diff := cmp.Diff(events, leaps); diff != "" {
		t.Errorf("what was seen (-events +leaps):\n%s", diff)
	}
	if len(leaps) < 50 {
		t.Errorf("got %d observations, want a job that trained", len(leaps))
	}
}
