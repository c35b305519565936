package plan

import (
	"fmt"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Tree is what agents of version 1 keep in ZooKeeper for one model (replica_manager.py:74-143).
type Tree struct {
	Entry, Dense int   // replicas
	PerShard     []int // containers of each shard
	NumPS        int
	// Places holds the places of a shard's containers in turn, where they are kept apart
	// (dc_aware); nil otherwise.
	Places []Place
}

// Znodes returns the number of replicas. PS i is in shard i mod num_shard.
func (t *Tree) Znodes() int {
	sum := t.Entry + t.Dense
	for shard, containers := range t.PerShard {
		sum += containers * hosted(t.NumPS, shard, len(t.PerShard))
	}
	return sum
}

// Tasks returns the number of tasks, with dc_aware the sum over all places.
func (t *Tree) Tasks() int {
	sum := t.tasks(t.Entry, 1) + t.tasks(t.Dense, 1)
	for shard, containers := range t.PerShard {
		sum += t.tasks(containers, hosted(t.NumPS, shard, len(t.PerShard)))
	}
	return sum
}

// tasks returns how many tasks a number of containers are that host so many.
func (t *Tree) tasks(containers, hosted int) int {
	switch {
	case containers == 0:
		return 0
	case t.Places == nil:
		return hosted
	}
	return hosted * len(PlacedOf(containers, t.Places))
}

// Lists returns how many lists of children there are: the model's, those of places, and those
// of tasks.
func (t *Tree) Lists() int {
	lists := 1 + t.Tasks()
	if t.Places != nil {
		used := map[Place]bool{}
		for _, n := range append([]int{t.Entry, t.Dense}, t.PerShard...) {
			for place := range PlacedOf(n, t.Places) { //lint:order a set
				used[place] = true
			}
		}
		lists += len(used)
	}
	return lists
}

// treeOf returns the tree of a model.
func (p *Plan) treeOf(m *Served) Tree {
	t := Tree{Entry: p.Containers("entry"), NumPS: m.NumPS, PerShard: make([]int, max(p.Shards(), 1))}
	for shard := range t.PerShard {
		t.PerShard[shard] = p.ReplicasOf("ps", shard)
	}
	if p.Fleet.Dense != nil {
		t.Dense = p.Containers("dense") * p.services("dense")
	}
	if p.OwnPlace() {
		t.Places = p.Places()
	}
	return t
}

// Watches returns how many watches the agents hold in ZooKeeper (CAP-3.12). Package
// ensemble counts their other requests for any fleet; a test compares the two.
func (p *Plan) Watches() float64 {
	agents, models := 0.0, p.Served()
	for _, tier := range TierNames {
		if t := p.Fleet.Tier(tier); t != nil {
			agents += float64(p.Containers(tier) * p.services(tier))
		}
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
func MostDrain(z *ZooKeeper) float64 { return float64(z.SessionTimeout) / 3 }
