package simrun

import (
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/training/rustport/localcluster"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
)

// localTraining is a LocalCluster that runs in a process of the operator's machine.
type localTraining struct {
	life    *vtime.Process
	cluster *localcluster.LocalCluster
	waits   []runners.TrainingAnswer
	steps   map[int]uint64 // number of steps made, by worker
}

// localPoll is the time between two polls of a waiting worker.
const localPoll = 100 * time.Millisecond

// StartLocal starts a local cluster with one PS.
func (c *Cluster) StartLocal(workers int) error {
	machine := c.world.Operator()
	life := machine.Node.NewProcess("local-cluster")
	config := localcluster.Config{PSAddrs: []string{"ps"}}
	for i := range workers {
		config.WorkerAddrs = append(config.WorkerAddrs, fmt.Sprintf("worker%d", i))
	}
	built, err := localcluster.New(machine.Env(life, nil), config, 1)
	if err != nil {
		return err
	}
	built.Start()
	// waits for ever, because the process has to live on between calls
	life.Start("main", func() { life.Rest("what comes", func() {}, nil) })
	if c.training.check == nil {
		c.training.check = traincheck.New(runners.TrainingSpec{}, c.quirks)
	}
	c.training.check.LocalStarted(workers)
	c.training.local = &localTraining{life: life, cluster: built, steps: map[int]uint64{}}
	return nil
}

// onLocal calls fn with the local cluster. It returns an error if none was started.
func (c *Cluster) onLocal(fn func(l *localTraining) error) error {
	if c.training.local == nil {
		return errors.New("local cluster: found none, want one that was started")
	}
	return fn(c.training.local)
}

// LocalSteps makes a worker do n steps.
func (c *Cluster) LocalSteps(worker, n int) error {
	return c.onLocal(func(l *localTraining) error {
		for range n {
			if _, err := l.cluster.TrainStep(worker, nil); err != nil {
				return err
			}
			l.steps[worker]++
		}
		return nil
	})
}

// LocalBarrier makes a worker wait at the barrier of its current step.
func (c *Cluster) LocalBarrier(worker int, timeout time.Duration) error {
	return c.onLocal(func(l *localTraining) error {
		at := len(l.waits)
		l.waits = append(l.waits, runners.TrainingAnswer{Text: "waits"})
		l.life.Go("barrier", func() {
			epoch := l.steps[worker]
			c.training.check.LocalArrived(c.Now(), worker, epoch)
			status, err := l.cluster.WaitForBarrier(worker, timeout, localPoll)
			c.training.check.LocalAnswered(c.Now(), worker, epoch, err == nil && status.Released)
			l.waits[at] = runners.TrainingAnswer{Text: status.String(), Err: err}
		})
		return c.world.Settle()
	})
}

// LocalBarriers returns the answers to LocalBarrier calls so far.
func (c *Cluster) LocalBarriers() []runners.TrainingAnswer {
	if c.training.local == nil {
		return nil
	}
	return c.training.local.waits
}
