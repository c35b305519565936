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
