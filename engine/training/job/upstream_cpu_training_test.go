package job_test

import (
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/world"
)

// Goal: jobs end as in the reference's own tests (cpu_training_test.py, DistributedTrainTest), with
// every process exiting by itself with code 0 within 150 s. Method: as in the reference, start all
// PS and then the workers, each as a separate process, but in virtual time.

// failsOnce is a cluster in which a worker's first step fails.
type failsOnce struct {
	*session.Servers
	failed int
}

func (c *failsOnce) Connect(e *env.Env, addrs map[string]string, main string) session.Link {
	return &failingLink{c.Servers.Connect(e, addrs, main), c}
}

type failingLink struct {
	session.Link
	c *failsOnce
}

func (l *failingLink) Step(devices []string, d time.Duration, counter *session.Variable) (int64, error) {
	if l.c.failed == 0 {
		l.c.failed++
		return 0, session.Raise("DeadlineExceededError", "test ddl exceeded error")
	}
	return l.Link.Step(devices, d, counter)
}

// trains runs a job to its end and returns what its processes did, for example "chief saved".
func trains(t *testing.T, training cluster.TrainingSpec, servers session.Cluster) (deeds []string) {
	t.Helper()
	// The reference's chief waits until all workers have started. Here it has enough steps for
	// that.
	training.MaxSteps, training.MaxPending = 60, 2*time.Second
	spec := cluster.Spec{Seed: 1, Training: &training}
	w, err := world.New(spec, world.Options{Trainer: func(e *env.Env, tr *world.Trainer) int {
		return job.Main(e, job.Options{Spec: training, Role: tr.Role, Index: tr.Index, Servers: servers, Quirks: quirks.Python,
			Happened: func(op, _, _ string) { deeds = append(deeds, tr.Name+" "+op) }})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.StartTraining(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Run(vtime.Limits{Until: 150 * time.Second}); err != nil {
		t.Fatal(err)
	}
	for _, tr := range w.Trainers() {
		if tr.Process() != nil || tr.ExitCode() != 0 || tr.Starts() != 1 {
			t.Errorf("%s: got running %v, exit code %d, %d starts, want it ended with 0 at the first", tr.Name, tr.Process() != nil, tr.ExitCode(), tr.Starts())
		}
	}
	return deeds
}

func TestUpstreamDistributedTrain_test0_basic(t *testing.T) {
	trains(t, cluster.TrainingSpec{PS: 4, Workers: 2}, session.NewServers(time.Millisecond))
}

func TestUpstreamDistributedTrain_test0_with_redundant_ps(t *testing.T) {
	trains(t, cluster.TrainingSpec{PS: 4, RedundantPS: 2, Workers: 1}, session.NewServers(time.Millisecond))
}

func TestUpstreamDistributedTrain_test2_temporary_error(t *testing.T) {
	servers := &failsOnce{Servers: session.NewServers(time.Millisecond)}
	deeds := trains(t, cluster.TrainingSpec{PS: 1}, servers)
	if servers.failed != 1 || !slices.Contains(deeds, "chief retry") {
		t.Errorf("got %d errors and %v, want one, and another try", servers.failed, deeds)
	}
}
