package simrun

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun/freshness"
)

// measure makes the meter of a job that exports or pushes its parameters.
func (c *Cluster) measure() {
	if job := c.spec.Training; job.ExportDir != "" || job.ParameterSync {
		c.fresh = freshness.New(func(addr string) string { return c.world.HostAt(addr) })
	}
}

// Freshness returns the meter of the parameters and exports of the job, nil if the job has neither.
func (c *Cluster) Freshness() *freshness.Meter { return c.fresh }

// ParametersAge returns how old the parameters of a sub-graph in a pod are.
func (c *Cluster) ParametersAge(pod, model string) (age time.Duration, missing int64, err error) {
	if c.fresh == nil {
		return 0, 0, fmt.Errorf("parameters of %s: found a job without parameter_sync and export_dir, want one with them", model)
	}
	return c.fresh.Age(pod, model, c.Now())
}

// Pushes counts the successful pushes of a PS to a pod.
func (c *Cluster) Pushes(trainer, pod string) (n int) {
	for key, times := range c.training.deeds { //lint:ordered a sum
		if key.trainer == trainer && key.op == "pushed" && key.path != "" && c.world.HostAt(key.path) == pod {
			n += times
		}
	}
	return n
}

var _ runners.Fresh = (*Cluster)(nil)
