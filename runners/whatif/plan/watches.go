package plan

import (
	"fmt"

	"github.com/monosim/monosim/runners/whatif/places"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// treeOf returns the tree of a model.
func (p *Plan) treeOf(m *Served) places.Tree {
	t := places.Tree{Entry: p.Containers("entry"), NumPS: m.NumPS, PerShard: make([]int, max(p.Shards(), 1))}
	for shard := range t.PerShard {
		t.PerShard[shard] = p.ReplicasOf("ps", shard)
	}
	if p.Fleet.Dense != nil {
		t.Dense = p.Containers("dense") * p.services("dense")
	}
	t.Mixed = p.Fleet.Mixed != nil
	if p.OwnPlace() {
		t.Places = p.Places()
	}
	return t
}

// Watches returns how many watches the agents hold in ZooKeeper (CAP-3.12). Package
// ensemble counts their other requests for any fleet; a test compares the two.
func (p *Plan) Watches() float64 {
	agents := 0.0
	var models []Served
	for i, m := range p.Served() {
		if m.Base == i {
			models = append(models, m)
		}
	}
	for _, tier := range p.Kinds() {
		agents += float64(p.Containers(tier) * p.services(tier))
	}
	if p.Model.AgentVersion == 3 {
		return agents * float64(1+len(models))
	}
	sum := 0.0
	for _, m := range models {
		t := p.treeOf(&m)
		sum += agents * float64(t.Lists()+t.Znodes())
	}
	return sum
}

// services returns how many agents a container of a tier runs.
func (p *Plan) services(tier string) int {
	if tier == "dense" {
		return max(p.Fleet.Dense.Services, 1)
	}
	return 1
}

// checkWatches warns about watches that need more memory than ZooKeeper has (CAP-3.16). It
// is only a warning, because many plans are simulated to see how far they are from that
// limit.
func (d *decoder) checkWatches(p *Plan) {
	if over := p.OverHeap(); over != "" {
		d.report("zookeeper.heap", doesNotFit, "%s%s", warned, over)
	}
}

// OverHeap says by how much watches exceed the memory of ZooKeeper, "" when they do not. A
// search never returns such a fleet.
func (p *Plan) OverHeap() string {
	z, watches := p.ZooKeeper, p.Watches()
	need := watches * float64(z.WatchBytes)
	if need <= float64(z.Heap) {
		return ""
	}
	return fmt.Sprintf("zookeeper needs %s for %.0f watches of %s but heap is %s", quantity.Format(quantity.Bytes, need), watches, z.WatchBytes.text(), z.Heap.text())
}

// MostDrain returns the longest time, in nanoseconds, for which ZooKeeper may work on a burst: a
// third of the session timeout, as long as a client waits from one heartbeat to the next.
func (z *ZooKeeper) MostDrain() float64 { return float64(z.SessionTimeout) / 3 }
