package job_test

import (
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/world"
)

// neverReady is a cluster whose variables are never initialized.
type neverReady struct{ *session.Servers }

func (c neverReady) Connect(e *env.Env, addrs map[string]string, main string) session.Link {
	return idleLink{c.Servers.Connect(e, addrs, main)}
}

type idleLink struct{ session.Link }

func (idleLink) Ready([]string) (bool, error) { return false, nil }

// As in TensorFlow's SessionManager.wait_for_session, the worker checks for the last time when the
// time is up. It tries again after RetryWait.
func TestAWorkerWaitsForVariablesAsLongAsItIsTold(t *testing.T) {
	training := cluster.TrainingSpec{PS: 1, Workers: 1, SessionTimeout: 2 * time.Minute}
	spec, servers := cluster.Spec{Seed: 1, Training: &training}, neverReady{session.NewServers(time.Millisecond)}
	var began time.Time
	var waited []time.Duration
	w, err := world.New(spec, world.Options{Trainer: func(e *env.Env, tr *world.Trainer) int {
		return job.Main(e, job.Options{Spec: training, Role: tr.Role, Index: tr.Index, Servers: servers, Happened: func(op, _, note string) {
			switch {
			case tr.Name != "worker1":
			case op == "serving":
				began = e.Clock.Now()
			case op == "retry":
				if note != "DeadlineExceededError: Session was not ready after waiting 120 secs." {
					t.Errorf("got %s", note)
				}
				waited = append(waited, e.Clock.Now().Sub(began).Truncate(10*time.Second))
			}
		}})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.StartTraining(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Run(vtime.Limits{Until: 6 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{2 * time.Minute, 270 * time.Second}; !slices.Equal(waited, want) {
		t.Errorf("got errors after %v, want them after %v", waited, want)
	}
}

// steps is a watcher that notes when a worker makes steps.
type steps struct {
	session.Watcher
	host string
	now  func() time.Duration
	at   []time.Duration
}

func (s *steps) Stepped(host string, _, _ int64, _ time.Duration) {
	if host == s.host {
		s.at = append(s.at, s.now())
	}
}

func (*steps) Assigned(string, *session.Variable, int, any) {}
func (*steps) Initialized(string)                           {}

// Goal: a session that is aborted in a step is made again with the same hooks (TRN-8.17). Method: the
// only PS is started again at its address, with the step that it had lost, below the one that a worker
// begins at. The worker has waited for that, and does not wait again.
func TestAWorkerWhoseSessionIsMadeAgainDoesNotStartSlowlyAgain(t *testing.T) {
	// without a saved state, the worker begins at step 138
	training := cluster.TrainingSpec{PS: 1, Workers: 1, SlowStartSteps: 200}
	servers := session.NewServers(time.Millisecond)
	watcher, ps := &steps{}, ""
	servers.Watcher = watcher
	var retries []string
	w, err := world.New(cluster.Spec{Seed: 1, Training: &training}, world.Options{Trainer: func(e *env.Env, tr *world.Trainer) int {
		if tr.Name == "worker1" {
			watcher.host, watcher.now = e.Host.Hostname(), e.Clock.Elapsed
		}
		return job.Main(e, job.Options{Spec: training, Role: tr.Role, Index: tr.Index, Servers: servers, Happened: func(op, path, note string) {
			if op == "serving" && tr.Role == job.PS {
				ps = path
			}
			if op == "retry" {
				retries = append(retries, note)
			}
		}})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.StartTraining(); err != nil {
		t.Fatal(err)
	}
	run := func(until time.Duration) {
		t.Helper()
		if _, err := w.Run(vtime.Limits{Until: until}); err != nil {
			t.Fatal(err)
		}
	}
	const restart = 5 * time.Minute
	run(restart)
	if len(watcher.at) == 0 || watcher.at[0] < time.Minute {
		t.Fatalf("the worker made its first of %d steps at %v, want it after a slow start", len(watcher.at), watcher.at[:min(1, len(watcher.at))])
	}
	servers.Stop(ps)
	servers.Start(ps)
	watcher.at = nil
	run(restart + 40*time.Second)
	// A worker looks every 30 s whether the chief has initialized the variables.
	if len(watcher.at) == 0 || watcher.at[0] > restart+35*time.Second || len(retries) > 0 {
		t.Errorf("the worker made %d steps after the PS was started again, with %v, want some from 30 s after that on", len(watcher.at), retries)
	}
}
