package world

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Stats returns the run's counters so far.
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

// Broken checks an invariant of the simulation: every ZooKeeper watch has fired, was removed, or is
// still set. It returns the violation as text, or "".
func (w *World) Broken() string {
	if w.zk == nil {
		return ""
	}
	return w.zk.Counters().Unbalanced()
}

// Load returns how much data the cluster holds now, such as ZooKeeper's znodes. With
// Options.Traffic it includes ZooKeeper's request counters.
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

// Load returns how much data the pod's model servers hold now.
func (p *Pod) Load() []cluster.ModelServerLoad {
	var list []cluster.ModelServerLoad
	for _, s := range p.servers {
		if s.node == nil { // not counted, because the server is still starting
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
