package simrun

import (
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/sim/fault"
)

// Faults lists all kinds of faults of package sim/fault.
func (r *Runner) Faults() []runners.FaultKind {
	return lists.MapOrNil(fault.Kinds(), func(k *fault.Kind) runners.FaultKind { return k.FaultKind })
}

// BeginFault begins a fault now, see sim/fault.
func (c *Cluster) BeginFault(f runners.Fault) error {
	op := "fault.begin"
	if k, err := fault.Find(f.Kind); err == nil && k.End == nil {
		op = "fault.happen"
	}
	c.remark("operator", op, f.Kind, operator.Hit(f))
	if err := fault.Begin(c.world, f); err != nil {
		return err
	}
	c.disturbed(f, op == "fault.begin", false)
	return nil
}

// EndFault ends a fault now and cancels the end that EndFaultAfter scheduled.
func (c *Cluster) EndFault(f runners.Fault) error {
	c.endings.Forget(f)
	c.remark("operator", "fault.end", f.Kind, operator.Hit(f))
	if err := fault.End(c.world, f); err != nil {
		return err
	}
	c.disturbed(f, true, true)
	return nil
}

// EndFaultAfter makes a fault end by itself after d.
func (c *Cluster) EndFaultAfter(f runners.Fault, d time.Duration) error {
	c.endings.Add(f, c.Now()+d)
	return nil
}

var _ runners.Scheduler = (*Cluster)(nil)
