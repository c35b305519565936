package plan

import (
	"slices"

	"github.com/monosim/monosim/runners/whatif/places"
)

// Places returns the locations that a shard's containers take in turn: idcs in proportion to
// their weights, and within an idc its clusters in turn.
func (p *Plan) Places() []places.Place {
	weights := make([]int, len(p.Fleet.IDCs))
	total := 0
	for i, idc := range p.Fleet.IDCs {
		weights[i] = 1
		if p.Fleet.Placement != nil {
			weights[i] = p.Fleet.Placement[idc.Name]
		}
		total += weights[i]
	}
	var list []places.Place
	placed := make([]int, len(weights))
	rounds := 1
	for _, idc := range p.Fleet.IDCs {
		rounds = lcm(rounds, len(idc.Clusters))
	}
	for k := range total * rounds {
		best := -1
		for i, w := range weights {
			// Choose the idc that is furthest below its share.
			if w > 0 && (best < 0 || w*(k+1)-placed[i]*total > weights[best]*(k+1)-placed[best]*total) {
				best = i
			}
		}
		list = append(list, places.Place{IDC: best, Cluster: placed[best] % len(p.Fleet.IDCs[best].Clusters)})
		placed[best]++
	}
	return list
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// OwnPlace reports whether agents tell a container only about replicas in its own idc and
// cluster. That is the case with dc_aware, which agents of version 3 ignore
// (replica_manager.py:283).
func (p *Plan) OwnPlace() bool { return p.Override.DCAware && p.Model.AgentVersion == 1 }

// Reach says which replicas callers may call, depending on the locations of caller and replica.
func (p *Plan) Reach() places.Reach {
	switch {
	case p.OwnPlace():
		return places.Own
	case p.Client.Balance.IDCAware:
		return places.Nearest
	}
	return places.Anywhere
}

// Crowded returns how many containers could carry the load of a shard if each of them were as full
// as the fullest one is while all run. This is less than their number if the load is uneven: if
// callers prefer near containers, or each idc has its own clients.
func (p *Plan) Crowded(tier string, shard int) float64 { return p.crowds()(tier, shard) }

// crowds returns a function that computes Crowded. Its calls share the list of locations, which is
// computed only once.
func (p *Plan) crowds() func(tier string, shard int) float64 {
	reach, list := p.Reach(), []places.Place(nil)
	if reach != places.Anywhere {
		list = p.Places()
	}
	clusters := 1
	for _, idc := range p.Fleet.IDCs {
		clusters = max(clusters, len(idc.Clusters))
	}
	at := func(counts map[places.Place]int) []float64 {
		all := make([]float64, len(p.Fleet.IDCs)*clusters)
		for place, n := range counts { //lint:order one entry each
			all[place.IDC*clusters+place.Cluster] = float64(n)
		}
		return all
	}
	return func(tier string, shard int) float64 {
		load := 0.0
		switch {
		case tier == "entry" && p.Workload.Places != nil:
			load = p.fullestEntries(1)
		case tier != "entry" && reach != places.Anywhere && !p.Evacuates():
			callers := places.Callers(at(p.placed("entry", list)), p.Clients(), clusters)
			if s := p.Service.Dense; tier == "ps" && s != nil && s.FanOut == "dense" {
				callers = reach.Through(callers, at(p.placed("dense", list)), clusters)
			}
			load = slices.Max(reach.Spread(callers, at(p.calledAt(tier, shard, list)), clusters))
		}
		if load == 0 {
			return float64(p.ReplicasOf(tier, shard))
		}
		return 1 / load
	}
}

// calledAt returns, for each location, how many containers a call to a tier may reach there.
// For ps it counts those of the given shard.
func (p *Plan) calledAt(tier string, shard int, list []places.Place) map[places.Place]int {
	if tier == "ps" {
		return places.Placed(p.ReplicasOf(tier, shard), list)
	}
	return p.placed(tier, list)
}

// placed returns how many containers of a tier, over all shards, are in each location.
func (p *Plan) placed(tier string, list []places.Place) map[places.Place]int {
	if p.Fleet.Mixed == nil {
		return places.Placed(p.Containers(tier), list)
	}
	sum := map[places.Place]int{}
	for shard := range p.Shards() {
		for place, n := range places.Placed(p.ReplicasOf("ps", shard), list) { //lint:order sums
			sum[place] += n
		}
	}
	return sum
}

// checkPlaces refuses a fleet in which an entry container never learns of any replica of some
// shard. The agent of this container would wait for a replica and never start the server
// (agent_v1.py:117).
func (d *decoder) checkPlaces(p *Plan) {
	if !p.OwnPlace() {
		return
	}
	list := p.Places()
	entries := p.placed("entry", list)
	for _, tier := range []string{"ps", "dense"} {
		if p.Fleet.Tier(tier) == nil {
			continue
		}
		shards := 1
		if tier == "ps" {
			shards = p.Shards()
		}
		for shard := range shards {
			there := p.calledAt(tier, shard, list)
			for _, place := range list {
				if entries[place] > 0 && there[place] == 0 {
					idc := p.Fleet.IDCs[place.IDC]
					d.report("fleet."+tier+".replicas", doesNotFit, "dc_aware: %d entry containers are in %s:%s, where no replica of shard %d of %s is; they would never serve (%d replicas over %d places)",
						entries[place], idc.Name, idc.Clusters[place.Cluster], shard, tier, p.ReplicasOf(tier, shard), len(list))
					return
				}
			}
		}
	}
}
