package plan

import (
	"fmt"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Watches is how many watches the agents hold in ZooKeeper (CAP-3.12). Package ensemble says
// what else they ask, for any fleet; a test holds the two together.
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
		tasks := float64(max(m.NumPS, 1) + 1)
		replicas := float64(p.Containers("entry")) + float64(p.Containers("ps"))*float64(max(m.NumPS, 1))/float64(max(p.Shards(), 1))
		if p.Fleet.Dense != nil {
			tasks++
			replicas += float64(p.Containers("dense") * p.services("dense"))
		}
		sum += agents * (1 + tasks + replicas)
	}
	return sum
}

// services is how many agents a container of a tier has.
func (p *Plan) services(tier string) int {
	if tier == "dense" {
		return max(p.Fleet.Dense.Services, 1)
	}
	return 1
}

// checkWatches warns of watches that take more memory than ZooKeeper has (CAP-3.16). The fleet
// is simulated all the same: to see how far it is from that is what many plans are for.
func (d *decoder) checkWatches(p *Plan) {
	if over := p.OverHeap(); over != "" {
		d.report("zookeeper.heap", doesNotFit, "%s%s", warned, over)
	}
}

// OverHeap says by how much watches exceed the memory of ZooKeeper, "" when they do not. A search
// takes no such fleet for an answer.
func (p *Plan) OverHeap() string {
	need := p.Watches() * float64(p.ZooKeeper.WatchBytes)
	if need <= float64(p.ZooKeeper.Heap) {
		return ""
	}
	size := func(b float64) string { return quantity.Format(quantity.Bytes, b) }
	return fmt.Sprintf("zookeeper needs %s for %.0f watches of %s but heap is %s", size(need), p.Watches(), size(float64(p.ZooKeeper.WatchBytes)), size(float64(p.ZooKeeper.Heap)))
}
