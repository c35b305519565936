package simrun

import (
	"strings"

	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
	"github.com/monosim/monosim/sim/fault"
)

// watch begins to check the job's invariants.
func (t *trainingState) watch(c *Cluster) {
	t.check = traincheck.New(*c.spec.Training, c.quirks)
	t.servers.Watcher = trainingWatcher{c}
}

// trainingWatcher passes changes of variables to the check.
type trainingWatcher struct{ c *Cluster }

func (w trainingWatcher) Assigned(host string, v *session.Variable, index int, value any) {
	w.c.training.check.Assigned(w.c.Now(), host, v.Name, index, value)
}

func (w trainingWatcher) Initialized(string) { w.c.training.check.Initialized(w.c.Now()) }

// happened checks the files right after something was done to them, or after a wait for them.
func (c *Cluster) happened(op string) {
	if op == "saved" || op == "restored" || op == "serving" && c.spec.Training.RestoreDir != "" {
		_ = c.lookAtTraining() // a later look finds the same error of a file
	}
}

// lookAtTraining checks what is due in the training job, and its files.
func (c *Cluster) lookAtTraining() error {
	if c.spec.Training == nil {
		return nil
	}
	c.training.check.SaveTakes(c.world.Hazards().SaveTime)
	return c.training.check.Look(c.Now(), c)
}

// disturbed reports a fault to the check.
func (c *Cluster) disturbed(f runners.Fault, lasting, over bool) {
	c.training.servers.Reach = c.reaches
	c.training.servers.Changed()
	if c.training.check != nil {
		if f.Kind == fault.StoreLate && strings.HasPrefix(c.spec.Training.WithDefaults().ModelDir+"/", f.BasePath+"/") {
			lag := f.Duration
			if over {
				lag = 0
			}
			c.training.check.FilesLate(c.Now(), lag)
		}
		c.training.check.Disturbed(c.Now(), f.Kind+" "+operator.Hit(f), lasting, over)
	}
}

// reaches reports whether the host of a process and the host of an address reach each other.
func (c *Cluster) reaches(host, addr string) bool {
	ip, _, _ := strings.Cut(addr, ":")
	return c.world.Network().Reaches(host, ip)
}

// Invariants lists the invariants of the training job that broke so far.
func (c *Cluster) Invariants() []runners.Broken {
	if c.training.check == nil {
		return nil
	}
	return c.training.check.Broken()
}

var _ runners.Invariant = (*Cluster)(nil)
