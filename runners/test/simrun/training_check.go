package simrun

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
	"github.com/monosim/monosim/sim/fault"
)

// patchedLimit is the time limit of calls to servers in the reference's build of TensorFlow
// (third_party/org_tensorflow/tf.patch), for calls that TensorFlow itself does not limit. Calls of
// steps have no limit.
const patchedLimit = 10 * time.Minute

// watch makes the checker of the job's invariants and connects it to the job.
func (t *trainingState) watch(c *Cluster) {
	t.check = traincheck.New(*c.spec.Training, c.quirks)
	t.servers.Watcher = trainingWatcher{c}
	spec := c.spec.Training.WithDefaults()
	if t.servers.WaitForReady = !*spec.FailFast; spec.TensorFlow != cluster.TensorFlowStock {
		t.servers.CallLimit = patchedLimit
	}
	t.check.Present = func(name string) (job.Wait, bool) { return t.waits[name].Present() }
	t.check.Registered = func(name string) (string, bool) {
		addr, ok, err := c.Registered(name)
		return addr, ok && err == nil
	}
	t.check.Placed = func(name string) string {
		found, err := c.world.FindTrainer(name)
		if err != nil || found.Role == cluster.EvaluatorRole {
			return ""
		}
		return net.JoinHostPort(found.IP(), strconv.Itoa(cluster.TrainerPort))
	}
}

// trainingWatcher reports changes of variables to the checker.
type trainingWatcher struct{ c *Cluster }

func (w trainingWatcher) Assigned(host string, v *session.Variable, index int, value any) {
	w.c.training.check.Assigned(w.c.Now(), host, v.Name, index, value)
}

// Stepped reports steps to the checker. If they seem to follow a pause, it first counts
// steps that a leap has left uncounted, because those may fill the pause.
func (w trainingWatcher) Stepped(host string, n, value int64, took time.Duration) {
	now, check := w.c.Now(), w.c.training.check
	check.Counted(now, n, value)
	if check.Paused(now - took) {
		w.c.training.servers.Settle()
	}
	check.Stepped(host, now-took, now)
}

// Initialized first counts the steps that a leap has left uncounted, because they were made before.
func (w trainingWatcher) Initialized(string) {
	w.c.training.servers.Settle()
	w.c.training.check.Initialized(w.c.Now())
}

// happened checks the files right after an action that writes them or that had waited for
// them.
func (c *Cluster) happened(op string) {
	if op == "saved" || op == "restored" || op == "serving" && c.spec.Training.RestoreDir != "" {
		_ = c.lookAtTraining() // the error of a file is not looked at, because a later look finds it again
	}
}

// lookAtTraining checks the job's files and the invariants that have a time limit.
func (c *Cluster) lookAtTraining() error {
	if c.spec.Training == nil {
		return nil
	}
	c.training.servers.Settle()
	return c.training.check.Look(c.Now(), c)
}

// disturbed reports a fault to the checkers of agents and of the training job.
func (c *Cluster) disturbed(f runners.Fault, lasting, over bool) {
	if c.watch.agents != nil {
		if f.Kind == "agent.torn-writes" {
			c.watch.agents.WritesTake(f.Duration)
		}
		c.watch.agents.Disturbed(c.Now(), f.Kind+" "+operator.Hit(f), lasting, over)
	}
	c.training.servers.Reach = c.reaches
	c.training.servers.Changed()
	if c.training.check != nil {
		c.training.check.SaveTakes(c.Now(), c.world.Hazards().SaveTime)
		if f.Kind == fault.StoreLate && strings.HasPrefix(c.spec.Training.WithDefaults().ModelDir+"/", f.BasePath+"/") {
			lag := f.Duration
			if over {
				lag = 0
			}
			c.training.check.FilesLate(c.Now(), lag)
		}
		c.training.check.Disturbed(c.Now(), strings.TrimSpace(f.Kind+" "+operator.Hit(f)), lasting, over)
	}
}

// reaches says whether messages from a process's host to an address arrive, are refused, or
// get lost.
func (c *Cluster) reaches(host, addr string) session.Way {
	ip, _, _ := strings.Cut(addr, ":")
	switch n := c.world.Network(); {
	case c.world.IsStopped(ip):
		return session.Stopped
	case n.Refuses(host, ip):
		return session.Refused
	case !n.Reaches(host, ip):
		return session.Lost
	}
	return session.Open
}

// Invariants lists the broken invariants of the training job so far, without INV-8.
// Scenarios state themselves whether a job should make steps, and [Cluster.Training] reports
// INV-8.
func (c *Cluster) Invariants() []runners.Broken {
	if c.training.check == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.training.check.Broken()), func(b runners.Broken) bool { return b.Invariant == traincheck.Liveness })
}

// Training returns the checker of the training job, nil if there is no job.
func (c *Cluster) Training() *traincheck.Checker { return c.training.check }

var _ runners.Invariant = (*Cluster)(nil)
