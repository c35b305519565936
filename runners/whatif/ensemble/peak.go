package ensemble

import (
	"fmt"
	"math"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/burst"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/quantity"
	"github.com/monosim/monosim/runners/whatif/result"
)

// loop is a loop that agents or their model servers repeat.
type loop struct {
	name string
	of   string // what the requests of the loop go to: zooKeeper, pings or store
	load burst.Load
}

// The values of loop.of say what a loop sends requests to. Pings of sessions have their own value,
// because they count neither as reads nor as writes.
const (
	zooKeeper = "zookeeper"
	pings     = "zookeeper pings"
	store     = "store"
)

// peak computes the peaks of the load. If an event of the plan expires all sessions, the
// peaks include the storm that follows and the higher load from then on.
func (f Fleet) peak(l *result.ZKLoad, z *plan.ZooKeeper) {
	of := func(loops []loop) burst.Peak {
		list := lists.Select(loops, func(one loop) (burst.Load, bool) { return one.load, one.of == zooKeeper })
		return burst.Of(list, f.Starts, f.Seed)
	}
	looks := f.looks(z)
	p := of(looks)
	if f.Expires {
		after := of(append(looks, f.again(z)...))
		p.Second, p.Busy, p.Drain = math.Max(p.Second, after.Second), math.Max(p.Busy, after.Busy), math.Max(p.Drain, after.Drain)
		storm := l.StormMost / float64(z.ReadOps)
		if p.Drain = math.Max(p.Drain, storm*1e9); storm > p.Busy {
			p.Second, p.Busy = l.StormMost, storm
		}
	}
	l.PeakSecond, l.PeakUtilisation, l.DrainNs = p.Second, p.Busy, p.Drain
}

// agents returns the agents of the fleet, grouped by their round trip time to ZooKeeper.
func (f Fleet) agents() []burst.Agents {
	n := f.Agents()
	if len(f.Ways) == 0 {
		return []burst.Agents{{N: n}}
	}
	list, left := make([]burst.Agents, len(f.Ways)), n
	for i, way := range f.Ways {
		list[i] = burst.Agents{N: min(left, int(math.Round(way.Share*float64(n)))), Gap: way.Gap}
		if i == len(f.Ways)-1 {
			list[i].N = left
		}
		left -= list[i].N
	}
	return list
}

// looks returns the loops that send requests to ZooKeeper at rest. Agents of version 1 read
// everything that they watch. Agents of version 3 write their service information.
func (f Fleet) looks(z *plan.ZooKeeper) []loop {
	if f.Version == 3 {
		return []loop{{"service information", zooKeeper, burst.Load{Period: watchPeriod * 1e9, Each: writesOfV3, Cost: 1 / float64(z.WriteOps), Agents: f.agents()}}}
	}
	var list []loop
	for i, numPS := range append([]int{f.NumPS}, f.Others...) {
		one := f
		one.NumPS = numPS
		tree := one.tree()
		name := "looks of every agent"
		if i > 0 {
			name += fmt.Sprintf(", model %d", i+1)
		}
		list = append(list, loop{name, zooKeeper, burst.Load{Period: watchPeriod * 1e9, Each: float64(tree.Lists() + tree.Znodes()), Cost: 1 / float64(z.ReadOps), Agents: f.agents(), Finds: true}})
	}
	return list
}

// again returns the loops that load ZooKeeper additionally once every session has expired
// (Q109). Each agent writes its replicas twice a round, and every agent reads each change.
func (f Fleet) again(z *plan.ZooKeeper) []loop {
	n := f.Agents()
	if f.Version == 3 || !f.Flaps || n == 0 {
		return nil
	}
	tree := f.tree()
	sets := setsALook * float64(tree.Znodes())
	return []loop{
		{"registering again", zooKeeper, burst.Load{Period: reregister * 1e9, Each: sets / float64(n), Cost: 1/float64(z.WriteOps) + 1/float64(z.ReadOps), Agents: f.agents()}},
		{"reads of what registers again", zooKeeper, burst.Load{Period: reregister * 1e9, Each: sets, Cost: 1 / float64(z.ReadOps), Agents: f.agents()}},
	}
}

// periodic lists every loop of the fleet, with its mean rate and its busiest second.
func (f Fleet) periodic(z *plan.ZooKeeper) []result.Periodic {
	loops := f.looks(z)
	if f.Expires {
		loops = append(loops, f.again(z)...)
	}
	ping := burst.Load{Period: float64(z.SessionTimeout) / 3, Each: 1, Agents: []burst.Agents{{N: f.Agents() * f.sessions()}}}
	loops = append(loops, loop{"heartbeats of sessions", pings, ping})
	dense := f.Dense * f.Services
	if f.MixedDense {
		dense = f.PS
	}
	for t, servers := range []int{f.entries(), f.PS, dense} {
		if f.Polls[t] > 0 && servers > 0 {
			loops = append(loops, loop{"looks for versions by " + plan.TierNames[t], store, burst.Load{Period: float64(f.Polls[t]), Each: f.servables(t), Agents: []burst.Agents{{N: servers}}}})
		}
	}
	var list []result.Periodic
	for _, one := range loops {
		p := burst.Of([]burst.Load{one.load}, f.Starts, f.Seed)
		row := result.Periodic{Name: one.name, Of: one.of, PeriodNs: int64(one.load.Period), Each: one.load.Each, Mean: one.load.Mean(), Peak: p.Second}
		for _, a := range one.load.Agents {
			row.Agents += a.N
		}
		list = append(list, row)
	}
	return list
}

// sessions returns how many agents, and thus sessions, a container has. It is one for each
// model in version 1, and one in version 3.
func (f Fleet) sessions() int {
	if f.Version == 3 {
		return 1
	}
	return 1 + len(f.Others)
}

// servables returns for how many models a server of a tier looks for versions.
func (f Fleet) servables(tier int) float64 {
	if tier != 1 {
		return float64(1 + len(f.Others))
	}
	sum := 0.0
	for _, n := range append([]int{f.NumPS}, f.Others...) {
		sum += float64(n) / float64(max(f.NumShard, 1))
	}
	return sum
}

// OverBurst says by how much the plan's busiest burst exceeds what ZooKeeper can take, and
// "" if it does not. It also returns "" if an objective of the plan judges bursts. A search
// never returns a fleet that exceeds the limit.
func OverBurst(p *plan.Plan) string {
	own := func(o plan.SLO) bool { return o.Metric == "zk.drain" || o.Metric == "zk.peak_utilisation" }
	if slices.ContainsFunc(p.SLO, own) {
		return ""
	}
	l, most := Of(p).Load(&p.ZooKeeper), p.ZooKeeper.MostDrain()
	if l.DrainNs <= most {
		return ""
	}
	return fmt.Sprintf("zookeeper works %s on what %d agents ask at once, more than a third of session_timeout, %s",
		quantity.Text(quantity.Duration, l.DrainNs, 3), l.Agents, quantity.Text(quantity.Duration, most, 3))
}
