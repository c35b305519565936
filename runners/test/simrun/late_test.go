package simrun_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// followLate runs a job of which all but the chief wait for files, and whose checkpoints an
// evaluator follows, while names become visible late for part of the time. What it gives is all
// that processes did, and the trace.
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

// The goal is that a loop that is leapt over, of a worker that waits or an evaluator that looks,
// goes on in time when what it looks at becomes visible without anybody's doing.
func TestLateFilesMakeNoDifferenceToLeaps(t *testing.T) {
	events, leaps := followLate(t, true), followLate(t, false)
	if diff := cmp.Diff(events, leaps); diff != "" {
		t.Errorf("what was seen (-events +leaps):\n%s", diff)
	}
	if len(leaps) < 50 {
		t.Errorf("got %d observations, want a job that trained", len(leaps))
	}
}
