package judge

import (
	"fmt"
	"math"

	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/theory"
)

// ClosedForms are what formulas say of a plan. Bounds are hard: no fleet does better.
func ClosedForms(p *plan.Plan) []result.ClosedForm {
	var list []result.ClosedForm
	rate := p.PeakRate()
	if rate == 0 {
		return list
	}
	for _, name := range plan.TierNames {
		if p.Fleet.Tier(name) == nil {
			continue
		}
		need := math.Ceil(rate*p.Work(name) - 1e-9)
		list = append(list,
			result.ClosedForm{Name: "utilisation of " + name, Section: "CAP-6.2", Unit: "fraction", Formula: "rate x work / containers", Metric: "util(" + name + ")",
				Theory: p.Offered(name, rate, float64(p.ReplicasOf(name, 0))), Bound: true},
			result.ClosedForm{Name: "least containers of " + name, Section: "CAP-6.2", Unit: "count", Formula: "rate x work, rounded up", Theory: need, Bound: true})
	}
	bound := LatencyBound(p)
	list = append(list, result.ClosedForm{Name: "least mean latency without queues", Section: "CAP-7.2", Unit: "ns", Formula: "sum of mean work and network", Theory: bound, Bound: true, Metric: "mean(request)"})
	if estimate, ok := Estimate(p); ok {
		list = append(list, result.ClosedForm{Name: "p99 estimate", Section: "CAP-7.1", Unit: "ns", Formula: "Allen-Cunneen waits and the fork-join of Nelson and Tantawi",
			Theory: estimate, Metric: "p99(request)"})
	}
	zk := zooKeeper(p)
	for _, name := range []string{"zk.watch_memory", "zk.utilisation", "zk.max_reply"} {
		list = append(list, result.ClosedForm{Name: name, Section: "CAP-3.12", Unit: unitOf(name), Formula: ensemble.Formulas(p.Model.AgentVersion)[name], Theory: zk[name]})
	}
	return append(list, rolloutForms(p)...)
}

// rolloutForms are the mean times until all replicas serve a version.
func rolloutForms(p *plan.Plan) []result.ClosedForm {
	var list []result.ClosedForm
	for _, name := range plan.TierNames {
		if p.Fleet.Tier(name) == nil || p.ModelBytes(name) == 0 {
			continue
		}
		if !hasRollout(p, name) {
			continue
		}
		list = append(list, result.ClosedForm{Name: fmt.Sprintf("rollout to all %d of %s", p.Containers(name), name), Section: "CAP-7.5", Unit: "ns", Formula: "load + integral of 1 - F(t)^N",
			Theory: timeToAll(p, name, 1)})
	}
	return list
}

// LatencyBound is a mean latency that no fleet of these containers goes below: the work
// of each stage once and the network of one cluster, without any wait.
func LatencyBound(p *plan.Plan) float64 {
	items := p.Service.Items.Mean
	network := 2*p.Network.SameCluster.Min() + float64(p.Network.PerRPC)
	sum := p.Service.Entry.CPU.MeanOf(items)
	least := 0.0
	for shard, share := range p.Model.ShardSkew.Of(p.Shards()) {
		if calls := float64(p.CallsOf(shard)); calls > 0 {
			least = math.Max(least, p.Service.PS.CPU.MeanOf(items*share/calls))
		}
	}
	sum += least + network
	if p.Fleet.Dense != nil {
		d := p.Service.Dense
		if p.Batched() {
			sum += d.Batch.MeanOf(items) + network
		} else {
			sum += d.CPU.MeanOf(items) + network
		}
	}
	return sum
}

// Estimate is a p99 by formulas; false when a tier is full. It orders searches and proves
// nothing.
func Estimate(p *plan.Plan) (float64, bool) {
	rate := p.PeakRate()
	sum := LatencyBound(p)
	for _, name := range plan.TierNames {
		t := p.Fleet.Tier(name)
		if t == nil {
			continue
		}
		n := float64(p.ReplicasOf(name, 0))
		rho := p.Offered(name, rate, n)
		if rho >= 1 {
			return 0, false
		}
		s := p.Service.Of(name)
		servers := max(1, s.Threads)
		mean := p.Work(name) * 1e9 * float64(servers)
		scv := s.CPU.SCV()
		if !s.Noise.IsZero() {
			scv += s.Noise.SCV()
		}
		wait := theory.AllenCunneen(servers, rho*float64(servers)/mean, mean, 1, scv)
		// The wait of the slowest of the fan-out, and four times the mean for its tail.
		fan := 1.0
		if name == "ps" {
			fan = theory.Harmonic(p.FanOut())
		}
		sum += wait*4*fan + mean*math.Sqrt(scv)*(1+fan)
	}
	return sum, true
}
