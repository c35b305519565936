package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// input is an input of a plan that the sensitivity analysis varies. change multiplies the
// input in a copy of the plan, and reports whether the plan has this input.
type input struct {
	name   string
	change func(p *plan.Plan, by float64) bool
	cores  string // tier whose number of cores the input changes, or ""
}

// note says why an input may not matter: a container cannot use more cores than it has
// threads.
func (in *input) note(p *plan.Plan) string {
	if in.cores == "" || p.Service.Of(in.cores) == nil {
		return ""
	}
	threads := p.Service.Of(in.cores).Threads
	if in.cores == "dense" && p.Batched() {
		threads = p.Override.Batching.Threads * p.Fleet.Dense.Services
	}
	switch cores := p.Fleet.Tier(in.cores).CPU - p.Service.AgentCPU; {
	case p.Service.Contention.Model == "none":
		return "contention none lets threads do without them"
	case float64(threads) <= cores:
		return fmt.Sprintf("threads stay %d, so more cores change nothing", threads)
	}
	return ""
}

var inputs = []input{
	{name: "traffic", change: scaleTraffic},
	{name: "service time of entry", change: func(p *plan.Plan, by float64) bool { return scaleLaws(by, lawsOf(p, "entry")...) }},
	{name: "service time of ps", change: func(p *plan.Plan, by float64) bool { return scaleLaws(by, lawsOf(p, "ps")...) }},
	{name: "service time of dense", change: func(p *plan.Plan, by float64) bool { return scaleLaws(by, lawsOf(p, "dense")...) }},
	{name: "items of a request", change: func(p *plan.Plan, by float64) bool {
		found := false
		laws := []*plan.NumberLaw{&p.Service.Items}
		for i := range p.Workload.Mix {
			laws = append(laws, &p.Workload.Mix[i].Items)
		}
		for _, l := range laws {
			if !l.IsZero() && !(l.IsConstant() && l.Mean == 1) {
				l.Law, found = l.Scaled(by), true
			}
		}
		return found
	}},
	{name: "network", change: func(p *plan.Plan, by float64) bool {
		p.Network.CrossIDC.Latency = plan.Duration(float64(p.Network.CrossIDC.Latency) * by)
		p.Network.CrossIDC.Jitter = plan.Duration(float64(p.Network.CrossIDC.Jitter) * by)
		p.Network.PerRPC = plan.Duration(float64(p.Network.PerRPC) * by)
		return scaleLaws(by, &p.Network.SameCluster, &p.Network.SameIDC)
	}},
	{name: "cores of entry", cores: "entry", change: func(p *plan.Plan, by float64) bool { p.Fleet.Entry.CPU *= by; return true }},
	{name: "cores of ps", cores: "ps", change: func(p *plan.Plan, by float64) bool { p.Fleet.PS.CPU *= by; return true }},
	{name: "cores of dense", cores: "dense", change: func(p *plan.Plan, by float64) bool {
		if p.Fleet.Dense == nil {
			return false
		}
		p.Fleet.Dense.CPU *= by
		return true
	}},
}

// scaleTraffic multiplies the rate of an open loop, or the number of clients of a closed loop.
func scaleTraffic(p *plan.Plan, by float64) bool {
	p.Workload.Arrivals.RateScale *= plan.Factor(by)
	if n := p.Workload.Loop.Clients; n > 0 {
		p.Workload.Loop.Clients = max(1, int(float64(n)*by+0.5))
	}
	p.Workload.Rate.Points = slices.Clone(p.Workload.Rate.Points)
	for i := range p.Workload.Rate.Points {
		p.Workload.Rate.Points[i].Rate *= plan.Rate(by)
	}
	return true
}

// lawsOf returns the service times of a tier, for all models of the mix.
func lawsOf(p *plan.Plan, tier string) []*plan.TimeLaw {
	s := p.Service.Of(tier)
	if s == nil {
		return nil
	}
	laws := []*plan.TimeLaw{&s.CPU, &s.Batch}
	for i := range p.Workload.Mix {
		if own := p.Workload.Mix[i].Of(tier); own != nil {
			laws = append(laws, &own.CPU, &own.Batch)
		}
	}
	return laws
}

func scaleLaws(by float64, laws ...*plan.TimeLaw) bool {
	found := false
	for _, l := range laws {
		if !l.IsZero() {
			l.Law, found = l.Scaled(by), true
		}
	}
	return found
}

// changed returns a copy of the plan with the input multiplied. It returns nil if the plan
// does not have the input.
func (in *input) changed(p *plan.Plan, by float64) *plan.Plan {
	q := *p
	if p.Fleet.Dense != nil {
		dense := *p.Fleet.Dense
		q.Fleet.Dense = &dense
	}
	if p.Service.Dense != nil {
		dense := *p.Service.Dense
		q.Service.Dense = &dense
	}
	q.OwnMix()
	if !in.change(&q, by) {
		return nil
	}
	return &q
}

// variation is the fraction by which inputs are varied.
const variation = 0.1

// Sensitivity simulates the plan with each input a tenth lower and a tenth higher, with the
// same random numbers. It reports how p99(request) changes in the window where it is highest
// (CAP-6.8). Differences are judged on pairs of replications.
func (j *Judge) Sensitivity(ctx context.Context, p *plan.Plan) ([]result.Tornado, error) {
	const metric = "p99(request)"
	goal := Goal{Replications: p.Budget.MinReplications}
	base, err := j.Evaluate(ctx, p, Normal, goal)
	if err != nil {
		return nil, err
	}
	window := slices.IndexFunc(base.Windows, func(w *Pool) bool { return w.Window == base.worstWindow().Window })
	before, now := base.Windows[window].Values[metric], base.Windows[window].value(metric)
	var list []result.Tornado
	for i := range inputs {
		row := result.Tornado{Input: inputs[i].name, Base: now, Unit: unitOf(metric), Confidence: float64(p.Precision.Level)}
		whole := true
		for _, end := range []struct {
			by    float64
			value *float64
			ci    *[2]float64
		}{{1 - variation, &row.Low, &row.LowCI}, {1 + variation, &row.High, &row.HighCI}} {
			q := inputs[i].changed(p, end.by)
			if q == nil {
				whole = false
				break
			}
			e, err := j.Evaluate(ctx, q, Normal, goal)
			if err != nil {
				return nil, err
			}
			if after := e.Windows[window].Values[metric]; len(after) == len(before) {
				then := e.Windows[window].value(metric)
				half := stats.Sectioned(then-now, differences(after, before), row.Confidence)
				*end.value, *end.ci = then, around(then, half)
			} else {
				whole = false // a replication without answers has no p99
			}
		}
		if whole {
			row.Note = inputs[i].note(p)
			list = append(list, row)
		}
	}
	return list, nil
}

func differences(a, b []float64) []float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = a[i] - b[i]
	}
	return list
}
