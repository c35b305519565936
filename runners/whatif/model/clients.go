package model

import (
	"math/rand/v2"
	"slices"

	"github.com/monosim/monosim/runners/whatif/places"
)

// clients holds the clients of each idc, for a plan in which they use only the entry containers of
// their own idc.
type clients struct {
	w      *world
	moved  []bool    // marks the idcs whose clients were moved to other idcs
	shares []float64 // share of the requests that come to each idc; nil if any request may come to any idc
	live   [][]int32 // entry containers of each idc that are up
}

// beginClients spreads the clients over the idcs. If a condition removes all entry containers of an
// idc, the clients of that idc have moved to the other idcs.
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

// move sends the clients of an idc elsewhere, or back.
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

// comeTo returns the entry containers that a request may come to.
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
	return c.live[slices.Index(c.shares, slices.Max(c.shares))] // rounding
}

// byPlace reports whether the load of a tier's containers may depend on where they are.
func (s *Spec) byPlace(tier int) bool {
	if tier == Entry {
		return s.Clients != nil
	}
	return s.Has(Entry) && s.Reach != places.Anywhere
}

// layout returns how many places there are, and how many clusters an idc has.
func (s *Spec) layout() (places, clusters int) {
	clusters = 1
	for t := range s.Tiers {
		for _, loc := range s.Tiers[t].Placement {
			clusters = max(clusters, loc.Cluster+1)
		}
	}
	return max(s.IDCs, 1) * clusters, clusters
}

// callers returns the part of the calls to a tier that comes from each place. For the entry tier it
// returns the part of the requests that arrives at each place. at returns the capacity of a tier at
// each place, for PS the capacity of one shard. shares holds the share of the requests that comes
// to each idc; nil if any may come to any.
func (s *Spec) callers(tier int, at func(tier int) []float64, shares []float64) []float64 {
	_, clusters := s.layout()
	list := places.Callers(at(Entry), shares, clusters)
	if tier == PS && s.FromDense {
		list = s.Reach.Through(list, at(Dense), clusters)
	}
	return list
}

// spread returns, for each place, the load of one unit of a tier's capacity there, if the load of
// all requests together is 1.
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

// fewest returns the smallest number of containers of a tier that any caller can choose among.
func (s *Spec) fewest(tier int, at func(tier int) []float64, shares []float64) float64 {
	_, clusters := s.layout()
	return s.Reach.Fewest(s.callers(tier, at, shares), at(tier), clusters)
}

// Crowded returns how many containers, each as full as the fullest, could carry the load of a shard
// under a condition. That may be fewer than the condition leaves: if callers call only near
// containers, or each idc has its own clients, some containers get more load than others.
func (s *Spec) Crowded(tier, shard int) float64 {
	if !s.byPlace(tier) {
		return float64(s.Live(tier)[shard])
	}
	at := func(of int) []float64 {
		if s.Mixed && of != PS { // each container that is left has one process of this tier
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

// left returns how many containers of some shards of a tier a condition leaves at each place.
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

// crowded returns how many containers, each as full as the fullest, would carry the whole load.
// loads holds the load of a container at each place. The result is 0 if no caller reaches a
// container: its calls then fail at once and wait nowhere.
func crowded(loads []float64) float64 {
	if most := slices.Max(loads); most > 0 {
		return 1 / most
	}
	return 0
}
