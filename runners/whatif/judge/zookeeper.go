package judge

import "github.com/monosim/monosim/runners/whatif/plan"

// ZooKeeper is what the agents ask of the ensemble, by metric (CAP-3.12): watches and
// reads grow with the product of agents and replicas.
func ZooKeeper(p *plan.Plan) map[string]float64 {
	agents := float64(p.Containers("entry") + p.Containers("ps"))
	znodes := float64(p.Containers("entry"))
	for shard := range p.Shards() {
		znodes += float64(p.ReplicasOf("ps", shard) * p.CallsOf(shard))
	}
	if d := p.Fleet.Dense; d != nil {
		servers := float64(p.Containers("dense") * d.Services)
		agents += servers // each server process has a whole agent
		znodes += servers
	}
	tasks := float64(p.Override.NumPS + 1)
	const pathBytes = 70
	watches := agents * (1 + tasks + znodes)
	reads := watches / 60
	if p.Model.AgentVersion == 3 {
		// One child watch on the layout, one for each binding; service info every 60 s,
		// models every 30 s.
		watches = agents * (1 + tasks)
		reads = agents * (1./60 + 1./30)
	}
	z := p.ZooKeeper
	return map[string]float64{
		"zk.utilisation":  reads / float64(z.ReadOps),
		"zk.watch_memory": watches * float64(z.WatchBytes),
		"zk.max_reply":    (1 + tasks + znodes) * pathBytes,
	}
}
