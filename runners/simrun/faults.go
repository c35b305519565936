package simrun

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/fault"
)

// Faults lists the kinds of sim/fault.
func (r *Runner) Faults() []runners.FaultKind {
	var kinds []runners.FaultKind
	for _, k := range fault.Kinds() {
		kinds = append(kinds, k.FaultKind)
	}
	return kinds
}

// BeginFault brings a fault about at the present instant; see sim/fault.
func (c *Cluster) BeginFault(f runners.Fault) error {
	op := "fault.begin"
	if k, err := fault.Find(f.Kind); err == nil && k.End == nil {
		op = "fault.happen"
	}
	c.remark("operator", op, f.Kind, hit(f))
	return fault.Begin(c.world, f)
}

// EndFault ends a fault that was begun; it does not end by itself any more then.
func (c *Cluster) EndFault(f runners.Fault) error {
	c.endings = slices.DeleteFunc(c.endings, func(e ending) bool { return e.fault.Kind == f.Kind && hit(e.fault) == hit(f) })
	c.remark("operator", "fault.end", f.Kind, hit(f))
	return fault.End(c.world, f)
}

// hit says in a few words what a fault is about.
func hit(f runners.Fault) string {
	words := []string{f.Pod, f.Server, f.BasePath, strings.Join(f.From, ", ")}
	if len(f.To) > 0 {
		words = append(words, "and "+strings.Join(f.To, ", "))
	}
	if f.N != 0 {
		words = append(words, strconv.FormatInt(f.N, 10))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// ending is a fault that ends by itself.
type ending struct {
	at    time.Duration
	fault runners.Fault
}

// EndFaultAfter ends a fault once d has passed from now.
func (c *Cluster) EndFaultAfter(f runners.Fault, d time.Duration) error {
	c.endings = append(c.endings, ending{c.Now() + d, f})
	slices.SortStableFunc(c.endings, func(a, b ending) int { return int(a.at - b.at) })
	return nil
}

// endFaults ends the faults whose time has come.
func (c *Cluster) endFaults() error {
	for len(c.endings) > 0 && c.endings[0].at <= c.Now() {
		f := c.endings[0].fault
		c.endings = c.endings[1:]
		if err := c.EndFault(f); err != nil {
			return err
		}
	}
	return nil
}

// untilFaultEnds is end, or the time of the next fault that ends by itself if that is
// earlier.
func (c *Cluster) untilFaultEnds(end time.Duration) time.Duration {
	if len(c.endings) > 0 {
		return min(end, c.endings[0].at)
	}
	return end
}

var _ runners.Scheduler = (*Cluster)(nil)
