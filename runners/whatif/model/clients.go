package model

import (
	"math/rand/v2"
	"slices"
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

// byIDC reports whether the containers of a tier get only the load of their own idc.
func (s *Spec) byIDC(tier int) bool {
	return s.Clients != nil && (tier == Entry || s.OwnPlace || s.IDCAware)
}

// Crowded returns the total load of a shard, divided by the load of its fullest container under a
// condition. That is the number of containers that the condition leaves, unless each idc has its
// own clients.
func (s *Spec) Crowded(tier, shard int) float64 {
	if !s.byIDC(tier) {
		return float64(s.Live(tier)[shard])
	}
	count := func(tier, shard int) []int {
		t, in := &s.Tiers[tier], make([]int, len(s.Clients))
		for k := range t.Replicas[shard] {
			if !slices.Contains(s.Control.Remove, Which{tier, shard, k}) {
				in[t.Placement[k%len(t.Placement)].IDC]++
			}
		}
		return in
	}
	gone := make([]bool, len(s.Clients))
	for idc, n := range count(Entry, 0) {
		gone[idc] = n == 0
	}
	return crowded(s.Control.Plan.ClientsWithout(gone), count(tier, shard))
}

// crowded returns the total load divided by the load of the fullest container. shares holds the
// share of the load of each idc, and in its number of containers. An idc without containers is left
// out: its load fails at once and waits nowhere.
func crowded(shares []float64, in []int) (least float64) {
	for idc, n := range in {
		if share := shares[idc]; n > 0 && share > 0 && (least == 0 || float64(n)/share < least) {
			least = float64(n) / share
		}
	}
	return least
}
