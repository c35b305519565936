package simrun

import "github.com/monosim/monosim/runners/test/simrun/agentcheck"

// Forget makes the cluster's checker of agents look at everything anew each time, as if all had
// changed. It must be called before the cluster starts.
func (c *Cluster) Forget() { c.watch.agents = agentcheck.New(&forgetful{agentView: agentView{c}}) }

type forgetful struct {
	agentView
	n uint64
}

func (f *forgetful) Changes() uint64 {
	f.n++
	return f.n
}
