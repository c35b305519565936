package plan

import (
	"fmt"

	"github.com/monosim/monosim/runners/whatif/places"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// treeOf returns the znodes that agents of version 1 keep for a model.
func (p *Plan) treeOf(m *Served) places.Tree {
	t := places.Tree{Entry: p.Containers("entry"), NumPS: m.NumPS, PerShard: make([]int, max(p.Shards(), 1))}
	for shard := range t.PerShard {
		t.PerShard[shard] = p.ReplicasOf("ps", shard)
	}
	if p.Fleet.Dense != nil {
		t.Dense = p.Containers("dense")
		if !p.SharesZnode() {
			t.Dense *= p.services("dense")
		}
	}
	t.Mixed = p.Fleet.Mixed != nil
	if p.OwnPlace() {
		t.Places = p.Places()
	}
	return t
}

// Watches returns how many watches the agents hold in ZooKeeper (CAP-3.12). Package ensemble
// computes the same number together with other requests, and a test compares both.
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

// SharesZnode reports whether all agents of a dense container register at the same znode. Agents of
// version 1 do this, because they do not read the replica id that would tell them apart (Q2).
func (p *Plan) SharesZnode() bool {
	return p.Model.AgentVersion == 1 && p.Override.Quirks == "python"
}

// services returns how many agents a container of a tier has.
func (p *Plan) services(tier string) int {
	if tier == "dense" {
		return max(p.Fleet.Dense.Services, 1)
	}
	return 1
}

// checkWatches warns if watches need more memory than ZooKeeper has (CAP-3.16). It is only a
// warning, because many plans are simulated to find out how far they are from that limit.
func (d *decoder) checkWatches(p *Plan) {
	if over := p.OverHeap(); over != "" {
		d.report("zookeeper.heap", doesNotFit, "%s%s", warned, over)
	}
}

// OverHeap says by how much the watches exceed ZooKeeper's memory. It returns "" if they do not. A
// search never returns a fleet that exceeds this memory.
func (p *Plan) OverHeap() string {
	z, watches := p.ZooKeeper, p.Watches()
	need := watches * float64(z.WatchBytes)
	if need <= float64(z.Heap) {
		return ""
	}
	return fmt.Sprintf("zookeeper needs %s for %.0f watches of %s but heap is %s", quantity.Format(quantity.Bytes, need), watches, z.WatchBytes.text(), z.Heap.text())
}

// MostDrain returns the longest time, in nanoseconds, that ZooKeeper may take to work off a
// burst. It is a third of the session timeout, which is the interval of a client's
// heartbeats.
func (z *ZooKeeper) MostDrain() float64 { return float64(z.SessionTimeout) / 3 }
