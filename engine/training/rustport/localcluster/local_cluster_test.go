package localcluster_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/training/rustport/localcluster"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: the cluster does what TRN-4.1 says, texts included (oracle: rust). Method: workers are
// tasks in virtual time.

func config(workers int) localcluster.Config {
	return localcluster.Config{PSAddrs: []string{"p0", "p1"}, WorkerAddrs: make([]string, workers)}
}

func started(c *worldtest.Case, workers int) *localcluster.LocalCluster {
	l, err := localcluster.New(c.Env, config(workers), 0.5)
	c.Must(err)
	l.Start()
	return l
}

func TestAConfigurationSaysWhatIsWrongWithIt(t *testing.T) {
	for want, c := range map[string]localcluster.Config{ //lint:ordered each is looked at by itself
		"Invalid cluster configuration: At least one parameter server is required": {},
		"Invalid cluster configuration: At least one worker is required":           {PSAddrs: []string{"p"}},
		"Invalid cluster configuration: Task index 2 is out of range (max: 1)":     {PSAddrs: []string{"p"}, WorkerAddrs: []string{"a", "b"}, TaskIndex: 2},
		"Invalid cluster configuration: Task index 1 is out of range (max: 0)":     {PSAddrs: []string{"p"}, WorkerAddrs: []string{"a", "b"}, TaskIndex: 1, IsPS: true},
	} {
		if err := c.Validate(); err == nil || err.Error() != want {
			t.Errorf("%+v: got %v, want %s", c, err, want)
		}
	}
}

func TestAStepIsMadeEvenWhenAGradientFails(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		l := started(c, 1)
		l.RegisterParameter("w", []float32{1, 2})
		for _, try := range []struct {
			name     string
			gradient []float32
			want     string
		}{
			{"none", []float32{1}, "Parameter not found: none"},
			{"w", []float32{1}, "Communication error: Gradient size mismatch: expected 2, got 1"},
		} {
			if _, err := l.TrainStep(0, map[string][]float32{try.name: try.gradient}); err == nil || err.Error() != try.want {
				t.Errorf("%s: got %v, want %s", try.name, err, try.want)
			}
		}
		updated, err := l.TrainStep(0, map[string][]float32{"w": {2, 4}})
		c.Must(err)
		values, version, ok := l.Parameter("w")
		if want := []float32{0, 0}; !slices.Equal(updated["w"], want) || !slices.Equal(values, want) || version != 2 || !ok || l.Step(0) != 3 {
			t.Errorf("got %v, %v of version %d, step %d, want [0 0], version 2, step 3", updated, values, version, l.Step(0))
		}
	})
}

func TestStoppedWorkersAndWorkersThatAreNoneAreErrors(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		l := started(c, 1)
		_, none := l.SyncBarrier(7)
		l.Stop()
		_, step := l.TrainStep(0, nil)
		_, barrier := l.SyncBarrier(0)
		for want, err := range map[string][]error{ //lint:ordered each is looked at by itself
			"Invalid cluster configuration: Worker index 7 out of range": {none},
			"Communication error: Worker is not running":                 {step, barrier},
		} {
			for _, e := range err {
				if e == nil || e.Error() != want {
					t.Errorf("got %v, want %s", e, want)
				}
			}
		}
	})
}

// Goal (S15): each epoch is released separately. A late worker blocks only its own epoch. A worker
// that timed out still counts as arrived.
func TestAStragglerBlocksItsEpochOnly(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		l := started(c, 2)
		_, err := l.WaitForBarrier(0, 1500*time.Millisecond, time.Second)
		var late *localcluster.Error
		if !errors.As(err, &late) || err.Error() != "Barrier timeout at epoch 0 after 1500 ms" {
			t.Fatalf("got %v, want a timeout at epoch 0", err)
		}
		_, err = l.TrainStep(0, nil)
		c.Must(err)
		ahead, err := l.SyncBarrier(0)
		if want := "Waiting { epoch: 1, arrived: 1, required: 2 }"; err != nil || ahead.String() != want {
			t.Errorf("ahead: got %v %v, want %s", ahead, err, want)
		}
		straggler := c.Env.Tasks.Go("straggler", func() {
			c.Env.Tasks.Sleep(5 * time.Second)
			status, err := l.SyncBarrier(1)
			if want := "Released { epoch: 0, participants: 2 }"; err != nil || status.String() != want {
				t.Errorf("straggler: got %v %v, want %s: the other's arrival still counts", status, err, want)
			}
			_, err = l.TrainStep(1, nil)
			c.Must(err)
			_, err = l.SyncBarrier(1)
			c.Must(err)
		})
		start := c.Env.Clock.Now()
		status, err := l.WaitForBarrier(0, time.Minute, time.Second)
		if waited := c.Env.Clock.Now().Sub(start); err != nil || !status.Released || status.Epoch != 1 || waited < 5*time.Second || waited > 7*time.Second {
			t.Errorf("got %v %v after %v, want epoch 1 released with the straggler's arrival", status, err, waited)
		}
		straggler.Join()
	})
}

// Goal (INV-6): the barrier reports a release exactly when all workers have arrived, in any order.
func TestARepeatedArrivalCountsOnce(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		l := started(c, 3)
		for i, arrival := range []struct{ worker, arrived int }{{0, 1}, {0, 1}, {2, 2}, {2, 2}, {1, 3}, {0, 3}} {
			status, err := l.SyncBarrier(arrival.worker)
			if err != nil || status.Arrived != arrival.arrived || status.Released != (arrival.arrived == 3) {
				t.Errorf("arrival %d of worker %d: got %v %v, want %d of 3", i, arrival.worker, status, err, arrival.arrived)
			}
		}
	})
}

func TestAParameterHasItsServer(t *testing.T) {
	for _, p := range []struct {
		name    string
		n, want int
	}{{"", 3, 0}, {"a", 0, 0}, {"a", 7, 97 % 7}, {"ab", 1000, (97*31 + 98) % 1000}} {
		if got := localcluster.PSIndex(p.name, p.n); got != p.want {
			t.Errorf("%q of %d: got %d, want %d", p.name, p.n, got, p.want)
		}
	}
}
