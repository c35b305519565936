// Package ensemble computes the load of a fleet on ZooKeeper by formulas, for any size.
// Package control checks the formulas with real agents.
//
// Two things to use first:
//
//   - [Of] returns the [Fleet] of a plan; [Fleet.Load] returns its load on ZooKeeper.
//   - [Fleet.Curve] returns the load of smaller and larger fleets, with the limit that is reached first.
//
// To change:
//
//   - which properties of a fleet count: fleet.go
//   - a formula or a limit: load.go
//
// Unstable: any commit may change it.
package ensemble

import (
	"math"

	"github.com/monosim/monosim/runners/whatif/burst"
	"github.com/monosim/monosim/runners/whatif/places"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// Fleet holds the properties of a fleet that determine its load on ZooKeeper.
type Fleet struct {
	Version int // version of the agents: 1 or 3
	// Entry, PS and Dense are numbers of containers. Each dense container has Services agents.
	Entry, PS, Dense, Services int
	NumPS, NumShard            int
	// Extra is how many more containers the largest shard has than each other shard.
	Extra int
	// Others holds the number of PS of each further model on the same containers. An agent of
	// version 1 serves a single model, an agent of version 3 serves all.
	Others []int
	// Mixed says that each PS container also serves the entry.
	Mixed bool
	// MixedDense says that each PS container also serves the dense part.
	MixedDense bool
	// DCAware says that agents of version 1 register containers separately for each location.
	DCAware bool
	// Places lists the locations that a shard's containers take in turn. nil puts all containers
	// in one location.
	Places []places.Place
	// Starts is the distribution of the agents' starting times, which are drawn with Seed. Ways
	// holds, for each part of the agents, how long they wait from one request to the next.
	Starts burst.Starts
	Ways   []Way
	Seed   uint64
	// Polls holds, for each tier, the period in nanoseconds in which its model servers look for
	// versions in the store. 0 means never.
	Polls [3]int64
	// Flaps says that agents of version 1 have the fault Q109: after one lost session they
	// register again every ten seconds. Expires says that an event of the plan expires all
	// sessions.
	Flaps, Expires bool
	// Shares says that all agents of version 1 in a dense container register at the same znode
	// (Q2).
	Shares bool
	// Bindings is the number of sub-graphs that a container of version 3 registers. Models is the
	// number of models to which these sub-graphs belong.
	Bindings, Models int
}

// Way is a part of the agents, all with the same round trip time to ZooKeeper.
type Way struct {
	Share float64 // share of all agents that belong to this part
	Gap   float64 // nanoseconds from one request to the next
}

// Of returns the fleet of a plan, scaled by fleet.multiplier.
func Of(p *plan.Plan) Fleet {
	f := Fleet{
		Version: p.Model.AgentVersion, NumPS: max(p.Override.NumPS, 1), NumShard: max(p.Shards(), 1),
		Services: 1, Models: 1, Flaps: p.Override.Quirks == "python", Shares: p.SharesZnode(), Expires: expires(p),
	}
	scaled := func(n int) int { return int(math.Ceil(float64(n)*p.Fleet.Multiplier - 1e-9)) }
	f.Entry = scaled(p.Fleet.Entry.Replicas.Default)
	replicas := p.Fleet.PS.Replicas
	f.PS = scaled(replicas.Default) * f.NumShard
	if replicas.Hottest > 0 {
		f.Extra = scaled(replicas.Hottest) - scaled(replicas.Default)
		f.PS += f.Extra
	}
	if p.Fleet.Mixed != nil {
		f.Mixed, f.MixedDense, f.Entry = true, p.Fleet.Dense != nil, 0
	} else if d := p.Fleet.Dense; d != nil {
		f.Dense, f.Services = scaled(d.Replicas.Default), max(d.Services, 1)
	}
	f.DCAware, f.Places, f.Seed = p.OwnPlace(), p.Places(), p.Seed
	f.Starts, f.Ways = p.Fleet.AgentStarts(), waysOf(p, f.Places)
	f.Polls = pollsOf(p)
	for i, m := range p.Served() {
		switch {
		case m.Base != i: // m is not a model of its own, but a class of requests to another model
		case i == 0:
			f.NumPS = max(m.NumPS, 1)
			f.Bindings = max((f.NumPS+f.NumShard-1)/f.NumShard, 1)
		default:
			f.Others = append(f.Others, m.NumPS)
			f.Bindings += (m.NumPS + f.NumShard - 1) / f.NumShard
			f.Models++
		}
	}
	return f
}

// waysOf returns the agents' round trip times to ZooKeeper. An agent waits for each answer
// before it sends the next request.
func waysOf(p *plan.Plan, all []places.Place) []Way {
	z := p.Fleet.IDCIndex(p.ZooKeeper.IDC)
	fixed := float64(p.Network.PerRPC + p.ZooKeeper.Pause)
	near := Way{Gap: 2*p.Network.SameIDC.Mean + fixed}
	far := Way{Gap: 2*float64(p.Network.CrossIDC.Latency) + fixed}
	for _, place := range all {
		if place.IDC == z {
			near.Share += 1 / float64(len(all))
		} else {
			far.Share += 1 / float64(len(all))
		}
	}
	return []Way{near, far}
}

// pollsOf returns how often the servers of each tier look for versions, as periods in
// nanoseconds.
func pollsOf(p *plan.Plan) [3]int64 {
	polls := [3]int64{int64(p.Override.FSPoll), int64(p.Override.FSPollPS), int64(p.Override.FSPoll)}
	if p.Model.AgentVersion == 3 {
		// agents do not pass the flag on to the server, so the default of 1 s applies
		// (utils.py:654)
		polls = [3]int64{1e9, 1e9, 1e9}
	}
	return polls
}

// expires reports whether an event of the plan expires all sessions, either directly or by
// an outage of ZooKeeper that is longer than the session timeout.
func expires(p *plan.Plan) bool {
	for _, e := range p.Events {
		z := e.ZooKeeper
		away := e.LoseIDC != "" && e.LoseIDC == p.ZooKeeper.IDC || z != nil && !z.LeaderLoss && !z.ExpireAll
		if z != nil && z.ExpireAll || away && (e.For == 0 || e.For > p.ZooKeeper.SessionTimeout) {
			return true
		}
	}
	return false
}

// Containers returns the number of containers.
func (f Fleet) Containers() int { return f.Entry + f.PS + f.Dense }

// Agents returns the number of agents, each of which has a session. A dense container has
// one agent for each service.
func (f Fleet) Agents() int { return f.Entry + f.PS + f.Dense*f.Services }

// tree returns the znodes that the agents of version 1 register for the model.
func (f Fleet) tree() places.Tree {
	t := places.Tree{Mixed: f.Mixed, Entry: f.entries(), Dense: f.Dense * f.Services, NumPS: f.NumPS, PerShard: make([]int, max(f.NumShard, 1))}
	if f.Shares {
		t.Dense = f.Dense
	}
	each := max(f.PS-f.Extra, 0)
	for shard := range t.PerShard {
		t.PerShard[shard] = each / len(t.PerShard)
		if shard < each%len(t.PerShard) {
			t.PerShard[shard]++
		}
	}
	t.PerShard[0] += min(f.Extra, f.PS)
	if f.MixedDense {
		t.Dense = f.PS
	}
	if f.DCAware {
		t.Places = f.Places
	}
	return t
}

// entries returns the number of replicas of the entry.
func (f Fleet) entries() int {
	if f.Mixed {
		return f.Entry + f.PS
	}
	return f.Entry
}

// Times returns the fleet with its numbers of containers multiplied and rounded up.
func (f Fleet) Times(multiple float64) Fleet {
	scaled := func(n int) int { return int(math.Ceil(float64(n)*multiple - 1e-9)) }
	f.Entry, f.PS, f.Dense, f.Extra = scaled(f.Entry), scaled(f.PS), scaled(f.Dense), scaled(f.Extra)
	return f
}
