package world

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Stats returns the counts of the run so far.
func (w *World) Stats() cluster.Stats {
	s := cluster.Stats{TraceHash: w.engine.Hash(), Virtual: w.engine.Now(), Counts: cluster.Counts{
		Events: w.engine.Events(), RPCs: map[string]uint64{}, ZooKeeperRequests: map[string]uint64{},
	}}
	for _, c := range w.net.Calls() {
		s.RPCs[c.Method] = c.N
	}
	for _, host := range w.net.Hosts() {
		s.Messages += host.Counters().MessagesSent
	}
	if w.zk != nil {
		countZooKeeper(&s.Counts, w.zk.Counters())
	}
	return s
}

// Broken returns an invariant of the simulation that does not hold, "" when all hold: every watch that
// was set has fired, was removed, or is still held.
func (w *World) Broken() string {
	if w.zk == nil {
		return ""
	}
	return w.zk.Counters().Unbalanced()
}

// Load returns what the cluster holds now. With Options.Traffic it includes what ZooKeeper was asked.
func (w *World) Load() cluster.Load {
	var l cluster.Load
	if w.zk != nil {
		l.ZooKeeper = w.zk.Load()
	}
	for _, p := range w.pods {
		l.ModelServers = append(l.ModelServers, p.Load()...)
	}
	return l
}

// Load returns what the pod's model servers hold now.
func (p *Pod) Load() []cluster.ModelServerLoad {
	var list []cluster.ModelServerLoad
	for _, s := range p.servers {
		if s.node == nil { // the server is still starting
			continue
		}
		list = append(list, cluster.ModelServerLoad{
			Pod: p.Name, Kind: s.Kind, ResidentBytes: s.Server().ResidentBytes(), PeakBytes: s.Server().PeakBytes(),
		})
	}
	return list
}

func countZooKeeper(c *cluster.Counts, counters zookeeper.Counters) {
	c.ZooKeeperWrites, c.WatchesFired = counters.Writes, counters.Events
	c.WatchesSet, c.WatchesUsedUp = counters.WatchesSet, counters.WatchesFired
	c.WatchesRemoved, c.WatchesHeld = counters.WatchesRemoved, counters.WatchesHeld
	c.SessionsOpened, c.SessionsExpired = counters.SessionsOpened, counters.SessionsExpired
	for _, op := range zookeeper.OpCodes() {
		if n := counters.Requests(op); n > 0 {
			c.ZooKeeperRequests[op.String()] = n
		}
	}
}
