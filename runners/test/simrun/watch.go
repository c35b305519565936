package simrun

import (
	"fmt"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun/agentcheck"
	"github.com/monosim/monosim/sim/world"
	"github.com/monosim/monosim/sim/zookeeper/history"
)

// watch holds the checkers of a cluster's agents and of ZooKeeper's history. The zero value
// checks nothing.
type watch struct {
	// agents checks the agents' invariants. It is nil if there are no agents or Spec.Watch is
	// not set.
	agents *agentcheck.Checker
	// history records ZooKeeper's operations for a check of its guarantees. It is nil in a run
	// with leaps.
	history *history.History
	looked  time.Duration
}

// begin begins to check the cluster, if its spec asks for it.
func (w *watch) begin(c *Cluster) {
	if !c.spec.Watch {
		return
	}
	if len(c.pods) > 0 {
		w.agents = agentcheck.New(agentView{c})
	}
	if c.spec.NoLeaps {
		w.history = &history.History{}
	}
}

// until returns when the next check is due, but no later than end.
func (w *watch) until(now, end time.Duration) time.Duration {
	if w.agents == nil {
		return end
	}
	return min(end, max(w.looked+agentcheck.LookEvery, now))
}

// look checks the agents' registrations, if a check is due.
func (w *watch) look(now time.Duration) error {
	if w.agents == nil || now < w.looked+agentcheck.LookEvery {
		return nil
	}
	w.looked = now
	return w.agents.Look(now)
}

// agentView is the cluster as the checker of agents observes it.
type agentView struct{ *Cluster }

// Agents lists the agents of a pod whose processes run.
func (v agentView) Agents(pod string) []agent.Agent {
	if p := v.world.Pod(pod); p != nil {
		return slices.Collect(v.running(p))
	}
	return nil
}

// Changes returns the number of changes in the cluster, including the starts of agents.
func (v agentView) Changes() uint64 { return v.world.Changes() + v.begun }

// Losing reports whether answers of ZooKeeper are still to be lost.
func (v agentView) Losing() bool { return v.world.Network().Losing(world.ZooKeeperHost) }

// Reloading reports whether the model server of a pod waits for the models of a configuration, that
// of its start or of a reload.
func (v agentView) Reloading(pod string) bool {
	s, err := v.server(pod, "")
	return err == nil && s.Server().Awaits()
}

// PodNames lists the names in a directory of a pod.
func (v agentView) PodNames(pod, path string) ([]string, error) {
	p, err := v.world.FindPod(pod)
	if err != nil {
		return nil, err
	}
	return namesIn(p.Machine().FS, path)
}

// Kept returns the first violation of an invariant, nil if it was kept. See runners.Watched.
func (c *Cluster) Kept(invariant string) error {
	if invariant == historyKept {
		return c.historyKept()
	}
	if c.watch.agents == nil {
		return nil
	}
	for _, b := range c.watch.agents.Broken() {
		if b.Invariant == invariant {
			return b
		}
	}
	return nil
}

// historyKept is the id of the invariant that ZooKeeper keeps its guarantees.
const historyKept = "history"

// historyKept checks ZooKeeper's guarantees against what its clients have seen. A run with
// leaps cannot check them and returns nil.
func (c *Cluster) historyKept() error {
	if c.watch.history == nil {
		return nil
	}
	if err := c.watch.history.Check(); err != nil {
		return runners.Broken{Invariant: historyKept, At: c.Now(), Text: err.Error()}
	}
	return nil
}

// Whole checks that the cluster is in its wanted state, see runners.Watched.
func (c *Cluster) Whole() error {
	if c.spec.Training != nil {
		if err := c.trainingWhole(); err != nil {
			return err
		}
	}
	if c.watch.agents == nil {
		return nil
	}
	return c.watch.agents.Whole()
}

// Quiet begins to watch for actions that a calm cluster does not do, see runners.Watched.
func (c *Cluster) Quiet() func() error {
	agents := func() error { return nil }
	if c.watch.agents != nil {
		agents = c.watch.agents.Quiet()
	}
	training := c.trainingGoesOn()
	return func() error {
		if err := training(); err != nil {
			return err
		}
		return agents()
	}
}

// trainingWhole checks that every process of the job is running, and that the job has made a
// step.
func (c *Cluster) trainingWhole() error {
	for _, name := range c.TrainerNames() {
		s, err := c.TrainerState(name)
		if err != nil {
			return err
		}
		if !s.Running || s.Addr == "" && name != evaluator {
			return runners.Broken{Invariant: "at-work", At: c.Now(), Text: name + " is not at work, want it to be"}
		}
	}
	if c.TrainingStatus().GlobalStep < 0 && !c.training.check.Unheard() { // INV-8 reports a job in which a process waits for a lost answer
		return runners.Broken{Invariant: "grows", At: c.Now(), Text: "the job has no step, want one"}
	}
	return nil
}

// evaluator is the name of the job's process that serves nothing.
const evaluator = "evaluator"

// standsStill is how long a job's step may stay the same, in addition to the time of writing
// two checkpoints. A save waits 30 s for workers, and a worker that has lost its session
// retries after 30 s.
const standsStill = 2 * time.Minute

// trainingGoesOn begins to check that the step of a job grows, and that every worker makes steps. A job in which a process waits for a
// lost answer is exempt (traincheck.Checker.Unheard), because INV-8 reports it.
func (c *Cluster) trainingGoesOn() func() error {
	if c.spec.Training == nil {
		return func() error { return nil }
	}
	last, since := c.TrainingStatus().GlobalStep, c.Now()
	began := since
	return func() error {
		unheard := c.training.check.Unheard()
		if unheard {
			began = c.Now()
		}
		if step := c.TrainingStatus().GlobalStep; step != last || unheard {
			last, since = step, c.Now()
		}
		if limit := standsStill + 2*c.world.Hazards().SaveTime; c.Now()-since > limit {
			return runners.Broken{Invariant: "grows", At: c.Now(), Text: "the step of the job stands still, want it to grow every " + limit.String()}
		} else if who, since := c.training.check.Idle(began, limit); who != "" {
			return runners.Broken{Invariant: "grows", At: c.Now(), Text: fmt.Sprintf("%s makes no step since %v, and the others do, want it to", who, since)}
		}
		return nil
	}
}

var _ runners.Watched = (*Cluster)(nil)
