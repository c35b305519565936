package plan

import "github.com/monosim/monosim/runners/whatif/places"

// Places returns the places of a shard's containers in turn: idcs by their weights, and within an
// idc its clusters in turn.
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
			// Take the idc that is furthest below its share.
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

// OwnPlace reports whether agents tell a container of those in its own idc and cluster only:
// dc_aware, which agents of version 3 do not heed (replica_manager.py:283).
func (p *Plan) OwnPlace() bool { return p.Override.DCAware && p.Model.AgentVersion == 1 }

// ownFullest returns the utilisation of the fullest replicas of a shard at a rate, where the
// requests of each place stay there.
func (p *Plan) ownFullest(tier string, shard int, offered float64) float64 {
	list, most := p.Places(), 0.0
	entries, there := p.placed("entry", list), p.calledAt(tier, shard, list)
	for place, n := range entries { //lint:order a maximum
		if there[place] > 0 {
			most = max(most, offered*p.ownShare(place, n)/float64(there[place]))
		}
	}
	return most
}

// calledAt returns how many containers a call of a tier, of PS of a shard, may come to at each place.
func (p *Plan) calledAt(tier string, shard int, list []places.Place) map[places.Place]int {
	if tier == "ps" {
		return places.Placed(p.ReplicasOf(tier, shard), list)
	}
	return p.placed(tier, list)
}

// placed returns how many containers of a tier, of all shards, are at each place.
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

// checkPlaces refuses a fleet in which an entry is told of no replica of some shard: its agent
// waits for one and starts no server (agent_v1.py:117).
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
