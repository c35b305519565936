package simrun

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners"
)

// Divergence finds the first event in which the runs of c and other differ, see
// runners.Tracer. other must be a *Cluster.
func (c *Cluster) Divergence(other runners.Cluster) (text string, from, to uint64, equal bool) {
	o, ok := other.(*Cluster)
	if !ok {
		return "the other run is not a simulation", 0, 0, false
	}
	d := vtime.FirstDivergence(c.world.Engine().Trace(), o.world.Engine().Trace())
	if d == nil {
		return "", 0, 0, true
	}
	return d.String(), d.From + 1, d.To + 1, false
}

// ChoiceSites lists the sites at which random choices were made, see runners.Chooser.
func (c *Cluster) ChoiceSites() []runners.ChoiceSite {
	var list []runners.ChoiceSite
	for _, s := range c.world.Engine().Sites() {
		list = append(list, runners.ChoiceSite{Node: s.Node, Site: s.Name, Times: s.Times})
	}
	return list
}

// Tape returns the random choices so far that differ from the seed's, see runners.Taped.
func (c *Cluster) Tape() ([]runners.Choice, []time.Duration) { return c.world.Engine().Chosen() }

var (
	_ runners.Taped   = (*Cluster)(nil)
	_ runners.Tracer  = (*Cluster)(nil)
	_ runners.Chooser = (*Cluster)(nil)
)
