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

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Fleet holds the properties of a fleet that determine its load on ZooKeeper.
type Fleet struct {
	Version int // of the agents
	// Entry, PS and Dense count containers. Each dense container has Services agents.
	Entry, PS, Dense, Services int
	NumPS, NumShard            int
	// Others holds the numbers of PS of further models on the same containers. An agent of
	// version 1 serves one model, an agent of version 3 all of them.
	Others []int
	// Mixed says that each PS container serves the entry, too.
	Mixed bool
	// Clusters counts the pairs of idc and cluster that have containers. With DCAware
	// agents of version 1 keep these separate in ZooKeeper.
	Clusters int
	DCAware  bool
	// Flaps says that agents of version 1 have the fault of registering again every ten
	// seconds once they have lost a session (Q109). Expires says that an event of the plan
	// expires all sessions.
	Flaps, Expires bool
	// Bindings counts the sub-graphs that a container of version 3 registers, and Models
	// the models they belong to.
	Bindings, Models int
}

// Of returns the fleet of a plan, scaled by fleet.multiplier.
func Of(p *plan.Plan) Fleet {
	f := Fleet{
		Version: p.Model.AgentVersion, NumPS: max(p.Override.NumPS, 1), NumShard: max(p.Shards(), 1),
		Services: 1, Models: 1, Clusters: 0, Flaps: p.Override.Quirks == "python", Expires: expires(p),
	}
	scaled := func(n int) int { return int(math.Ceil(float64(n)*p.Fleet.Multiplier - 1e-9)) }
	f.Entry = scaled(p.Fleet.Entry.Replicas.Default)
	replicas := p.Fleet.PS.Replicas
	f.PS = scaled(replicas.Default) * f.NumShard
	if replicas.Hottest > 0 {
		f.PS += scaled(replicas.Hottest) - scaled(replicas.Default)
	}
	if d := p.Fleet.Dense; d != nil {
		f.Dense, f.Services = scaled(d.Replicas.Default), max(d.Services, 1)
	}
	for _, idc := range p.Fleet.IDCs {
		f.Clusters += max(len(idc.Clusters), 1)
	}
	f.Clusters = max(f.Clusters, 1)
	for i, m := range p.Served() {
		switch {
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

// expires reports whether an event expires all sessions, directly or because ZooKeeper is
// away for longer than they last.
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

// Agents returns the number of agents, each with a session. A dense container has one for
// each service.
func (f Fleet) Agents() int { return f.Entry + f.PS + f.Dense*f.Services }

// Tasks returns the number of tasks: the PS, the entry, and dense if it has its own
// containers.
func (f Fleet) Tasks() int {
	tasks := f.NumPS + 1
	if f.Dense > 0 {
		tasks++
	}
	return tasks
}

// Replicas returns the number of znodes with which version 1 registers replicas. PS i is in
// shard i mod NumShard.
func (f Fleet) Replicas() int {
	ps := int(math.Round(float64(f.PS) * float64(f.NumPS) / float64(f.NumShard)))
	entry := f.Entry
	if f.Mixed {
		entry += f.PS
	}
	return ps + entry + f.Dense*f.Services
}

// entries returns the number of replicas of the entry.
func (f Fleet) entries() int {
	if f.Mixed {
		return f.Entry + f.PS
	}
	return f.Entry
}

// Times returns the fleet with a multiple of its containers, rounded up.
func (f Fleet) Times(multiple float64) Fleet {
	scaled := func(n int) int { return int(math.Ceil(float64(n)*multiple - 1e-9)) }
	f.Entry, f.PS, f.Dense = scaled(f.Entry), scaled(f.PS), scaled(f.Dense)
	return f
}
