package plan

import (
	"fmt"

	"github.com/monosim/monosim/engine/lists"
)

// mixedFleet fills in the tiers of a fleet whose containers run entry, PS and dense side by
// side, as with deploy_type mixed. The container has one agent, one session, one location
// and a common set of cores. Each process serves the models of its tier (agent_v1.py:313).
// The plan calls such a container ps.
func (d *decoder) mixedFleet(p *Plan) {
	f := &p.Fleet
	if f.Mixed == nil {
		return
	}
	for _, tier := range TierNames {
		if d.given("fleet." + tier) {
			d.reportBoth("fleet."+tier, "fleet.mixed", conflict, "fleet.mixed stands in the place of entry, ps and dense; remove fleet.%s", tier)
		}
	}
	if p.Model.AgentVersion == 3 {
		d.reportKey("fleet.mixed", conflict, "fleet.mixed is of agents of version 1; those of version 3 serve what the layout says in one process")
	}
	if p.Workload.Detail.Thin.K != 1 {
		d.report("workload.detail.thin", thinRefused, "thin refused: containers of fleet.mixed are entry, ps and dense at once")
	}
	f.PS = *f.Mixed
	f.PS.Services = 0
	if p.Service.Dense != nil {
		f.Dense = &Tier{Services: 1} // each container runs one dense process, with index 0 (utils.py:406)
	}
	p.alike()
}

// alike copies the settings of a mixed container to all of its tiers, whose containers it stands
// for.
func (p *Plan) alike() {
	if p.Fleet.Mixed == nil {
		return
	}
	for _, t := range []*Tier{&p.Fleet.Entry, p.Fleet.Dense} {
		if t != nil {
			t.CPU, t.Mem, t.Disk = p.Fleet.PS.CPU, p.Fleet.PS.Mem, p.Fleet.PS.Disk
			t.Replicas = Replicas{Default: p.Containers("ps"), Hottest: p.Containers("ps")}
		}
	}
}

// mixedNames refuses settings that concern a single process of a mixed container, or that change
// the number of containers of the fleet.
func (d *decoder) mixedNames(p *Plan) {
	if p.Fleet.Mixed == nil {
		return
	}
	const one = "entry, ps and dense are one container in fleet.mixed, which is called ps"
	for _, tier := range TierNames {
		if p.Autoscale.Of(tier) != nil {
			d.reportKey("autoscale."+tier, conflict, "autoscale.%s: found it, want none: the containers of fleet.mixed are of shards", tier)
		}
		if p.Random.Of(tier) != nil && tier != "ps" {
			d.reportKey("random_failures."+tier, conflict, "random_failures.%s: %s", tier, one)
		}
	}
	for i, e := range p.Events {
		at := fmt.Sprintf("events.%d", i)
		switch {
		case e.Kill != nil && e.Kill.Tier != "ps", e.Slow != nil && e.Slow.Tier != "ps":
			d.report(at, conflict, "%s: %s", e.Action(), one)
		case e.Scale != nil, e.Restart != nil:
			d.report(at, conflict, "%s: found it, want none with fleet.mixed: kill with restart_after restarts a container", e.Action())
		}
	}
	for i, m := range p.Solve.MustHoldUnder {
		if m.Of == "entry" || m.Of == "dense" {
			d.report(fmt.Sprintf("solve.must_hold_under.%d", i), conflict, "%q: %s", m.Text, one)
		}
	}
	if p.Service.Dense != nil && !p.Service.Dense.Device.IsZero() {
		d.reportKey("service.dense.device", conflict, "service.dense.device: found it, want none with fleet.mixed")
	}
}

// Kinds lists the tiers that have containers of their own. If the fleet is mixed, that is ps alone.
func (p *Plan) Kinds() []string {
	var list []string
	for _, tier := range TierNames {
		if p.Fleet.Tier(tier) != nil && (p.Fleet.Mixed == nil || tier == "ps") {
			list = append(list, tier)
		}
	}
	return list
}

// Together returns for how many seconds one request keeps the cores of mixed containers busy. For
// each shard, works is the time of the PS calls, all of which fall on one container of the shard.
// common is the time of entry and dense work, which falls on any of the containers. If the fleet is
// not mixed, works is nil.
func (p *Plan) Together() (works []float64, common float64) {
	if p.Fleet.Mixed == nil {
		return nil, 0
	}
	core := func(tier string) float64 { // factor that converts a tier's own work to work of the whole container
		can := p.capacity(*p.Service.Of(tier), p.cores())
		if tier == "dense" && p.Batched() {
			can = p.batchThreads(p.Fleet.Dense, p.cores())
		}
		return can / p.coresOf()
	}
	works = append(works, lists.Map(p.Works("ps"), func(work float64) float64 { return float64(work * core("ps")) })...)
	common = p.Work("entry") * core("entry")
	if p.Fleet.Dense != nil {
		common += p.Work("dense") * core("dense")
	}
	return works, common
}

// cores returns the number of cores of a mixed container that its servers can use.
func (p *Plan) cores() float64 { return max(p.Fleet.PS.CPU-p.Service.AgentCPU, 1e-9) }

// coresOf returns how much work a mixed container can do at the same time: its cores or,
// with contention none, its threads.
func (p *Plan) coresOf() float64 {
	if p.Service.Contention.Model != "none" {
		return p.cores()
	}
	sum := float64(p.Service.Entry.Threads + p.Service.PS.Threads)
	if d := p.Service.Dense; d != nil && !p.Batched() {
		sum += float64(d.Threads)
	} else if d != nil {
		sum += p.batchThreads(p.Fleet.Dense, p.cores())
	}
	return max(sum, p.cores())
}
