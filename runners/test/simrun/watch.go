package simrun

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun/agentcheck"
	"github.com/monosim/monosim/sim/zookeeper/history"
)

// watch checks the invariants of a cluster's agents. The zero value checks nothing.
type watch struct {
	// agents is nil without agents, and where nobody asked for it.
	agents *agentcheck.Checker
	// history is that of ZooKeeper; nil where clients leap.
	history *history.History
	looked  time.Duration
}

// begin watches the cluster if its spec asks for it.
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

// until returns when the next look is due, end at the latest.
func (w *watch) until(now, end time.Duration) time.Duration {
	if w.agents == nil {
		return end
	}
	return min(end, max(w.looked+agentcheck.LookEvery, now))
}

// look looks at the agents' registrations where that is due.
func (w *watch) look(now time.Duration) error {
	if w.agents == nil || now < w.looked+agentcheck.LookEvery {
		return nil
	}
	w.looked = now
	return w.agents.Look(now)
}

// agentView is what the check of agents may look at.
type agentView struct{ *Cluster }

// Agents lists the agents of a pod whose processes run.
func (v agentView) Agents(pod string) []agent.Agent {
	if p := v.world.Pod(pod); p != nil {
		return slices.Collect(v.running(p))
	}
	return nil
}

// PodNames lists the names in a directory of a pod.
func (v agentView) PodNames(pod, path string) ([]string, error) {
	p, err := v.world.FindPod(pod)
	if err != nil {
		return nil, err
	}
	return namesIn(p.Machine().FS, path)
}

// Kept returns the first break of an invariant; see runners.Watched.
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

// historyKept is the id of what ZooKeeper promises.
const historyKept = "history"

// historyKept checks what ZooKeeper's clients have seen, in a run without leaps.
func (c *Cluster) historyKept() error {
	if c.watch.history == nil {
		return nil
	}
	if err := c.watch.history.Check(); err != nil {
		return runners.Broken{Invariant: historyKept, At: c.Now(), Text: err.Error()}
	}
	return nil
}

// Whole checks that all is as it should be; see runners.Watched.
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

// Quiet begins to watch for what a calm cluster does not do; see runners.Watched.
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

// trainingWhole checks that every process of the job is at work, and that the job has a step.
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
	if c.TrainingStatus().GlobalStep < 0 {
		return runners.Broken{Invariant: "grows", At: c.Now(), Text: "the job has no step, want one"}
	}
	return nil
}

// evaluator is the process of a job that serves nothing.
const evaluator = "evaluator"

// standsStill is how long a job's step may stay the same, beside the time that two writes of a
// checkpoint take: a save waits 30 s for workers, and a worker that has lost its session tries again
// after 30 s.
const standsStill = 2 * time.Minute

// trainingGoesOn checks that the step of a job grows from now on, except while it stands still by a
// rule of the reference's runtime, which INV-8 tells.
func (c *Cluster) trainingGoesOn() func() error {
	if c.spec.Training == nil {
		return func() error { return nil }
	}
	last, since := c.TrainingStatus().GlobalStep, c.Now()
	return func() error {
		if step := c.TrainingStatus().GlobalStep; step != last || c.training.check.Unheard() {
			last, since = step, c.Now()
		}
		if limit := standsStill + 2*c.world.Hazards().SaveTime; c.Now()-since > limit {
			return runners.Broken{Invariant: "grows", At: c.Now(), Text: "the step of the job stands still, want it to grow every " + limit.String()}
		}
		return nil
	}
}

var _ runners.Watched = (*Cluster)(nil)
