package simrun_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// trainAnHour runs a training job for an hour of virtual time. It has a chief, one PS for
// every five workers and a save every ten minutes, and one PS dies.
func trainAnHour(tb testing.TB, discovery string, workers int, noLeaps bool) *simrun.Cluster {
	spec := runners.Spec{Seed: 1, NoLeaps: noLeaps, Training: &runners.TrainingSpec{
		Workers: workers, PS: max(1, workers/5), SaveEvery: 10 * time.Minute, RestartAfter: 10 * time.Second, Discovery: discovery,
	}}
	built, err := (&simrun.Runner{KeepLog: 1}).Build(spec)
	if err != nil {
		tb.Fatal(err)
	}
	c := built.(*simrun.Cluster)
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	pass := func(d time.Duration) {
		tb.Helper()
		_, err := c.Pass(d, nil)
		must(err)
	}
	must(c.StartTraining())
	pass(25 * time.Minute)
	must(c.BeginFault(runners.Fault{Kind: "trainer.killed", Pod: "ps0"}))
	pass(10 * time.Minute)
	_, err = c.Operate("SaveCheckpoint")
	must(err)
	pass(time.Hour - c.Now())
	return c
}

// Goal: an hour of a job is the same with leaps and without. Compared are the trace, the
// counts, and the job's step, barrier and checkpoints.
func TestTrainingHourWithoutLeaps(t *testing.T) {
	if testing.Short() {
		t.Skip("an hour of a job, step by step")
	}
	leaps, events := trainAnHour(t, "zookeeper", 20, false), trainAnHour(t, "zookeeper", 20, true)
	defer leaps.Close()
	defer events.Close()
	if diff := cmp.Diff(events.TrainingStatus(), leaps.TrainingStatus()); diff != "" {
		t.Errorf("status (-events +leaps):\n%s", diff)
	}
	got, want := leaps.Stats(), events.Stats()
	if diff := cmp.Diff(want.Counts, got.Counts); got.TraceHash != want.TraceHash || diff != "" {
		t.Errorf("trace %016x, want %016x; counts (-events +leaps):\n%s", got.TraceHash, want.TraceHash, diff)
	}
	t.Logf("%d events, %d steps", got.Counts.Events, leaps.TrainingStatus().GlobalStep)
}

// The goal is the cost of an hour of 1,000 workers, 200 PS and a chief: less than 5 s of
// processor time where processes know from TF_CONFIG where all are, and less than 12 s with
// ZooKeeper, whose cost is the square of them in the reference, too. A curve of growth is printed beside:
// ns/event, and from the second size on what the hour costs in events and in time as a power of
// the workers, 1 where it grows as they do and 2 with their square.
func BenchmarkTrainingHour(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // the same setting as in the program (cmd/monosim)
	type cost struct{ workers, events, nanos float64 }
	for _, discovery := range []string{"primus", "zookeeper"} {
		var last cost
		for _, workers := range []int{10, 100, 200, 300, 400, 1000} {
			b.Run(fmt.Sprintf("%s/workers=%d", discovery, workers), func(b *testing.B) {
				now := cost{workers: float64(workers)}
				for b.Loop() {
					c := trainAnHour(b, discovery, workers, *noLeaps)
					b.ReportMetric(float64(c.TrainingStatus().GlobalStep), "steps")
					now.events = float64(c.Stats().Counts.Events)
					c.Close()
				}
				now.nanos = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(now.events, "events")
				b.ReportMetric(now.nanos/now.events, "ns/event")
				b.ReportMetric(float64(time.Hour.Nanoseconds())/now.nanos, "virtual/wall")
				if last.workers > 0 {
					more := math.Log(now.workers / last.workers)
					b.ReportMetric(math.Log(now.events/last.events)/more, "power/events")
					b.ReportMetric(math.Log(now.nanos/last.nanos)/more, "power/time")
				}
				last = now
			})
		}
	}
}

// Goal: if the chief chooses other PS because ps0 is missing among redundant PS, the step is
// read from the PS that it chose.
func TestTheStepIsThatOfThePSThatTheJobChose(t *testing.T) {
	built, err := (&simrun.Runner{}).Build(runners.Spec{Seed: 1, Training: &runners.TrainingSpec{PS: 2, RedundantPS: 1, Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	c := built.(*simrun.Cluster)
	defer c.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.StartTraining())
	must(c.BeginFault(runners.Fault{Kind: "trainer.killed", Pod: "ps0"}))
	_, err = c.Pass(10*time.Minute, nil)
	must(err)
	if got, want := c.TrainingStatus().GlobalStep, c.Training().Step(); got != want || want <= 0 {
		t.Errorf("got step %d, want %d as the job counted", got, want)
	}
}

// Goal: a PS that was started again, and whose variables nobody has initialized yet, has no step, as
// on TensorFlow 2.4.4. Method: kill the PS of a job, and look before the chief restores.
func TestAPSThatNobodyHasInitializedHasNoStep(t *testing.T) {
	retries := 6
	built, err := (&simrun.Runner{}).Build(runners.Spec{Seed: 1, Training: &runners.TrainingSpec{PS: 1, Workers: 1, MaxRetries: &retries}})
	if err != nil {
		t.Fatal(err)
	}
	c := built.(*simrun.Cluster)
	defer c.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	pass := func(d time.Duration) {
		t.Helper()
		_, err := c.Pass(d, nil)
		must(err)
	}
	must(c.StartTraining())
	pass(2 * time.Minute)
	if got := c.TrainingStatus().GlobalStep; got <= 0 {
		t.Errorf("got step %d of a PS that is at work, want some", got)
	}
	must(c.BeginFault(runners.Fault{Kind: "trainer.killed", Pod: "ps0"}))
	pass(20 * time.Second) // its session of ZooKeeper ends
	must(c.StartTrainer("ps0"))
	pass(time.Second)
	if s, err := c.TrainerState("ps0"); err != nil || s.Addr == "" {
		t.Fatalf("got %+v, %v, want a server", s, err)
	}
	if got := c.TrainingStatus(); got.GlobalStep != -1 || got.Barrier {
		t.Errorf("got step %d and barrier %v of a PS that nobody has initialized, want -1 and none", got.GlobalStep, got.Barrier)
	}
	pass(5 * time.Minute)
	if got := c.TrainingStatus().GlobalStep; got < 0 {
		t.Errorf("got step %d after the chief has initialized it, want one", got)
	}
}
