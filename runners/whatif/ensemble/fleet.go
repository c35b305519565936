// Package ensemble says by formulas what a fleet asks of ZooKeeper, for any size. Package
// control holds the formulas to what real agents do.
//
// Two things to use first:
//
//   - [Of] reads a [Fleet] from a plan; [Fleet.Load] is what it asks of ZooKeeper.
//   - [Fleet.Curve] is that of smaller and larger ones, with the limit that is reached first.
//
// To change what of a fleet counts look in fleet.go; a formula or a limit, in load.go.
package ensemble

import (
	"math"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Fleet is what of a fleet ZooKeeper sees.
type Fleet struct {
	Version int // of the agents
	// Entry, PS and Dense are containers; each of Dense has Services agents.
	Entry, PS, Dense, Services int
	NumPS, NumShard            int
	// Others holds the numbers of PS of further models on the same containers: agents of
	// version 1 are of one model each, those of version 3 of all.
	Others []int
	// Mixed says that each of PS serves the entry, too.
	Mixed bool
	// Clusters is how many pairs of idc and cluster have containers; with DCAware agents
	// of version 1 keep these apart in ZooKeeper.
	Clusters int
	DCAware  bool
	// Flaps says that agents of version 1 have the fault that makes them register again every
	// ten seconds once they have lost a session (Q109); Expires that the plan has an event that
	// takes all sessions.
	Flaps, Expires bool
	// Bindings are the sub-graphs that a container of version 3 registers, Models how
	// many models they are of.
	Bindings, Models int
}

// Of returns the fleet of a plan, with its multiplier.
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

// expires reports whether all sessions may expire: ZooKeeper is away for longer than they last.
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

// Containers returns how many there are.
func (f Fleet) Containers() int { return f.Entry + f.PS + f.Dense }

// Agents returns how many sessions there are: each service of a dense container has one.
func (f Fleet) Agents() int { return f.Entry + f.PS + f.Dense*f.Services }

// Tasks returns the PS, the entry, and the dense servers if they are apart.
func (f Fleet) Tasks() int {
	tasks := f.NumPS + 1
	if f.Dense > 0 {
		tasks++
	}
	return tasks
}

// Replicas returns the znodes under which version 1 registers what containers serve. PS i is
// in shard i mod NumShard.
func (f Fleet) Replicas() int {
	ps := int(math.Round(float64(f.PS) * float64(f.NumPS) / float64(f.NumShard)))
	entry := f.Entry
	if f.Mixed {
		entry += f.PS
	}
	return ps + entry + f.Dense*f.Services
}

// entries returns the replicas of the entry.
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
