package model

import (
	"math/rand/v2"
	"slices"

	"github.com/monosim/monosim/runners/whatif/places"
)

// clients records which entry containers the clients of each idc use, for a plan in which clients
// use only those of their own idc.
type clients struct {
	w      *world
	moved  []bool    // marks the idcs whose clients were moved to other idcs
	shares []float64 // share of the requests that comes from the clients of each idc; nil if any request may come to any idc
	live   [][]int32 // running entry containers of each idc
}

// beginClients distributes the clients over the idcs. If the spec's condition removes all entry
// containers of an idc, the clients of that idc have moved to the other idcs before the start.
func (w *world) beginClients() {
	c := &w.clients
	if c.w = w; w.spec.Clients == nil {
		return
	}
	n := len(w.spec.Clients)
	c.moved, c.shares, c.live = make([]bool, n), w.spec.Clients, make([][]int32, n)
	if len(w.spec.Control.Remove) == 0 {
		return
	}
	has := make([]bool, n)
	for i := range w.servers {
		if s := &w.servers[i]; s.tier == Entry && s.up {
			has[s.loc.IDC] = true
		}
	}
	for idc, is := range has {
		if !is {
			c.move(idc, true)
		}
	}
}

// move sends the clients of an idc to the other idcs, or back if away is false.
func (c *clients) move(idc int, away bool) {
	c.moved[idc] = away
	c.shares = c.w.spec.Control.Plan.ClientsWithout(c.moved)
}

func (c *clients) refresh(w *world) {
	if c.shares == nil {
		return
	}
	for idc := range c.live {
		c.live[idc] = c.live[idc][:0]
	}
	for _, i := range w.live {
		idc := w.servers[i].loc.IDC
		c.live[idc] = append(c.live[idc], i)
	}
}

// comeTo returns the entry containers among which a request may be sent.
func (c *clients) comeTo(all []int32, rng *rand.Rand) []int32 {
	if c.shares == nil {
		return all
	}
	u := rng.Float64()
	for idc, share := range c.shares {
		if u -= share; u < 0 {
			return c.live[idc]
		}
	}
	// rounding left a remainder of the shares: it goes to the idc with the largest share
	return c.live[slices.Index(c.shares, slices.Max(c.shares))]
}

// byPlace reports whether containers of a tier may get different loads because they are in
// different idcs or clusters.
func (s *Spec) byPlace(tier int) bool {
	if tier == Entry {
		return s.Clients != nil
	}
	return s.Has(Entry) && s.Reach != places.Anywhere
}

// layout returns how many places (clusters of idcs) there are, and how many of them each idc has.
func (s *Spec) layout() (places, clusters int) {
	clusters = 1
	for t := range s.Tiers {
		for _, loc := range s.Tiers[t].Placement {
			clusters = max(clusters, loc.Cluster+1)
		}
	}
	return max(s.IDCs, 1) * clusters, clusters
}

// callers returns which part of the calls to a tier comes from each place (cluster of an idc). For
// the entry tier, it returns which part of the requests arrives at each place. The function at
// returns the capacity of a tier at each place; for PS, that of one shard. shares is the share of
// the requests that comes to each idc, or nil if any request may come to any idc.
func (s *Spec) callers(tier int, at func(tier int) []float64, shares []float64) []float64 {
	_, clusters := s.layout()
	list := places.Callers(at(Entry), shares, clusters)
	if tier == PS && s.FromDense {
		list = s.Reach.Through(list, at(Dense), clusters)
	}
	return list
}

// spread returns how the load of a tier spreads over places (clusters of idcs): for each place, the
// load of one unit of capacity there. The load of all requests together is 1.
func (s *Spec) spread(tier int, at func(tier int) []float64, shares []float64) []float64 {
	list, capacity := s.callers(tier, at, shares), at(tier)
	if tier == Entry {
		for k, n := range capacity {
			list[k] /= max(n, 1e-9)
		}
		return list
	}
	_, clusters := s.layout()
	return s.Reach.Spread(list, capacity, clusters)
}

// fewest returns among how few containers of a tier a caller chooses, for the caller that has the
// smallest choice.
func (s *Spec) fewest(tier int, at func(tier int) []float64, shares []float64) float64 {
	_, clusters := s.layout()
	return s.Reach.Fewest(s.callers(tier, at, shares), at(tier), clusters)
}

// Crowded returns how many containers, each as full as the fullest one, could carry the load of a
// shard. They are the containers that remain under the spec's condition (a failure named in
// must_hold_under). The result may be smaller than their number: if callers call only near
// containers, or each idc has its own clients, some containers get more load than others.
func (s *Spec) Crowded(tier, shard int) float64 {
	if !s.byPlace(tier) {
		return float64(s.Live(tier)[shard])
	}
	at := func(of int) []float64 {
		if s.Mixed && of != PS { // in a mixed container, every tier has one process in each container that is left
			return s.left(PS, s.shards(PS)...)
		}
		return s.left(of, map[bool]int{true: shard}[of == PS])
	}
	var shares []float64
	if s.Clients != nil {
		shares = s.Control.Plan.ClientsWithout(s.without(at(Entry)))
	}
	return crowded(s.spread(tier, at, shares))
}

// shards lists the shards of a tier.
func (s *Spec) shards(tier int) []int {
	list := make([]int, len(s.Tiers[tier].Replicas))
	for k := range list {
		list[k] = k
	}
	return list
}

// left returns how many containers of the given shards of a tier remain at each place (cluster of
// an idc) under the spec's condition.
func (s *Spec) left(tier int, shards ...int) []float64 {
	n, clusters := s.layout()
	t, in := &s.Tiers[tier], make([]float64, n)
	for _, shard := range shards {
		for k := range t.Replicas[shard] {
			if !slices.Contains(s.Control.Remove, Which{tier, shard, k}) {
				in[t.Placement[k%len(t.Placement)].IDC*clusters+t.Placement[k%len(t.Placement)].Cluster]++
			}
		}
	}
	return in
}

// without marks the idcs that have no entry container.
func (s *Spec) without(entries []float64) []bool {
	gone := make([]bool, max(s.IDCs, 1))
	for idc := range gone {
		clusters := len(entries) / len(gone)
		gone[idc] = slices.Max(entries[idc*clusters:(idc+1)*clusters]) == 0
	}
	return gone
}

// crowded returns how many containers, each as full as the fullest one, would carry the whole load.
// loads holds the load of a container at each place. If no caller reaches a container, the result
// is 0: its calls then fail at once and wait nowhere.
func crowded(loads []float64) float64 {
	if most := slices.Max(loads); most > 0 {
		return 1 / most
	}
	return 0
}
