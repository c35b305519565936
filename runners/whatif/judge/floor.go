package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/quantity"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Floor is the latency that requests would have without any queueing: their work, the
// slowest call of the fan-out, and the shortest network delays. It is a lower bound, since
// no fleet of any size answers faster (CAP-6.2, CAP-7.2).
type Floor struct {
	plan   *plan.Plan
	models []floorModel
}

// floorModel is the lower bound for requests to one model of the mix.
type floorModel struct {
	name  string
	share float64
	given []floorItems
}

// floorItems is the lower bound for requests with a given number of items. It has the stages
// other than the fan-out, and the calls of the fan-out.
type floorItems struct {
	weight float64
	stages steps
	calls  []floorCall
	need   int // number of answers that suffice; 0 for all
	// timeout is a call's timeout in nanoseconds, 0 for none. A call that times out is retried
	// up to retries times. hedged says that each call is sent twice.
	timeout float64
	retries int
	hedged  bool
	way     float64 // nanoseconds that a call spends on the network, there and back
}

// floorCall stands for all calls of the fan-out that have the same work. alike is the number of
// these calls.
type floorCall struct {
	work  work
	alike int
}

// work is the time that a number of items takes: a draw from a law, multiplied by a noise.
type work struct {
	law, noise law.Law
	items      float64
}

// steps is a discrete distribution that is rounded down: each value stands for all values up
// to the next.
type steps []step

type step struct{ value, weight float64 }

// A law is divided into partCount steps. Each has partRatio times the probability of the
// previous step, so that the tail is divided finely.
const (
	partCount = 40
	partRatio = 0.8
	// roundings is how many nanoseconds, at most, rounding can take off the stages of a request.
	roundings = 10
)

// Floors computes the lower bounds of a plan.
func Floors(p *plan.Plan) *Floor {
	f := &Floor{plan: p}
	spec := model.Compile(p, Normal)
	for k, m := range spec.Served() {
		one := floorModel{share: m.Share}
		if len(p.Workload.Mix) > k {
			one.name = p.Workload.Mix[k].Model
		}
		for _, items := range stepsOf(work{law: m.Items}) {
			one.given = append(one.given, floorOf(p, spec, &m, math.Max(1, math.Round(items.value)), items.weight))
		}
		f.models = append(f.models, one)
	}
	return f
}

func floorOf(p *plan.Plan, spec *model.Spec, m *model.Served, items, weight float64) floorItems {
	g := floorItems{weight: weight, need: m.MinShards, timeout: float64(spec.Timeout), retries: spec.Retries,
		hedged: spec.HedgeNs > 0 || spec.HedgeQuantile > 0, way: 2*nearest(p) + float64(p.Network.PerRPC)}
	of := func(tier int) work { return work{m.Laws[tier], m.Noise[tier], items} }
	g.stages = steps{{0, 1}}
	if spec.Has(model.Entry) {
		g.stages = stepsOf(of(model.Entry))
	}
	if spec.Has(model.Dense) {
		dense := stepsOf(of(model.Dense))
		for i := range dense {
			dense[i].value += g.way
			if g.timeout > 0 {
				dense[i].value = math.Min(dense[i].value, g.timeout)
			}
		}
		g.stages = g.stages.plus(dense)
		if spec.FromDense {
			g.stages = g.stages.plus(steps{{g.way, 1}})
		}
	}
	for _, c := range m.Calls {
		one := of(model.PS)
		one.items *= c.Share
		i := slices.IndexFunc(g.calls, func(d floorCall) bool { return d.work.items == one.items || !one.law.OfItems() })
		if i < 0 {
			i = len(g.calls)
			g.calls = append(g.calls, floorCall{work: one})
		}
		g.calls[i].alike++
	}
	return g
}

// nearest returns the shortest possible one-way delay between two containers, in nanoseconds.
func nearest(p *plan.Plan) float64 {
	least := p.Network.SameCluster.Min()
	if slices.ContainsFunc(p.Fleet.IDCs, func(i plan.IDC) bool { return len(i.Clusters) > 1 }) {
		least = math.Min(least, p.Network.SameIDC.Min())
	}
	if len(p.Fleet.IDCs) > 1 {
		least = math.Min(least, float64(p.Network.CrossIDC.Latency-p.Network.CrossIDC.Jitter))
	}
	return least
}

// stepsOf returns the distribution of work, rounded down.
func stepsOf(w work) steps {
	of := func(l law.Law) steps {
		if l.IsZero() {
			return steps{{1, 1}}
		}
		if l.IsConstant() || l.OfItems() {
			return steps{{l.MeanOf(w.items), 1}}
		}
		list := make(steps, 0, partCount)
		from, left := 0.0, 1.0
		for range partCount {
			weight := left * (1 - partRatio)
			if len(list) == partCount-1 {
				weight = left
			}
			list = append(list, step{math.Max(l.Quantile(from, w.items), 0), weight})
			from += weight
			left -= weight
		}
		return list
	}
	if w.law.IsZero() {
		return steps{{0, 1}}
	}
	values, factors := of(w.law), of(w.noise)
	var list steps
	for _, v := range values {
		for _, f := range factors {
			list = append(list, step{v.value * f.value, v.weight * f.weight})
		}
	}
	return list.fewer()
}

// plus returns the distribution of the sum of two independent values.
func (s steps) plus(t steps) steps {
	var list steps
	for _, a := range s {
		for _, b := range t {
			list = append(list, step{a.value + b.value, a.weight * b.weight})
		}
	}
	return list.fewer()
}

// fewer reduces a distribution to at most partCount steps, rounding down.
func (s steps) fewer() steps {
	if len(s) <= partCount {
		return s
	}
	slices.SortFunc(s, func(a, b step) int { return cmp.Compare(a.value, b.value) })
	var list steps
	sum, next, left := 0.0, 0.0, 1.0
	for _, one := range s {
		if sum >= next-1e-12 && len(list) < partCount {
			list = append(list, step{one.value, 0})
			left *= partRatio
			next = 1 - left
		}
		list[len(list)-1].weight += one.weight
		sum += one.weight
	}
	return list
}

// above returns the probability that the work takes longer than x nanoseconds.
func (w *work) above(x float64) float64 {
	switch {
	case w.law.IsZero():
		return 0
	case w.noise.IsZero():
		return w.law.Above(x, w.items)
	case w.law.IsConstant() || w.law.OfItems():
		return w.noise.Above(x/math.Max(w.law.MeanOf(w.items), 1e-9), 0)
	}
	sum := 0.0
	for _, f := range stepsOf(work{law: w.noise}) {
		if f.value > 0 {
			sum += f.weight * w.law.Above(x/f.value, w.items)
		}
	}
	return sum
}

// callAbove returns the probability that a call has no answer within x nanoseconds. After
// each timeout the next attempt is made. A call whose attempts all time out is never
// answered.
func (g *floorItems) callAbove(w *work, x float64) float64 {
	one := func(x float64) float64 { return w.above(x - g.way) }
	if g.timeout == 0 || x < g.timeout {
		if g.hedged {
			return one(x) * one(x)
		}
		return one(x)
	}
	if g.hedged {
		return 0
	}
	late, chance := one(g.timeout), 1.0
	for range g.retries + 1 {
		if x < g.timeout {
			return chance * one(x)
		}
		chance *= late
		x -= g.timeout
	}
	return chance
}

// fanAbove returns the probability that fewer calls of the fan-out than needed are answered
// within x nanoseconds.
func (g *floorItems) fanAbove(x float64) float64 {
	if g.need == 0 {
		all := 1.0
		for i := range g.calls {
			all *= math.Pow(1-g.callAbove(&g.calls[i].work, x), float64(g.calls[i].alike))
		}
		return 1 - all
	}
	chances := []float64{1} // chances[n] is the probability of n answers
	for i := range g.calls {
		answered := 1 - g.callAbove(&g.calls[i].work, x)
		for range g.calls[i].alike {
			chances = append(chances, 0)
			for n := len(chances) - 1; n > 0; n-- {
				chances[n] = float64(chances[n]*(1-answered)) + float64(chances[n-1]*answered)
			}
			chances[0] *= 1 - answered
		}
	}
	short := 0.0
	for n := range min(g.need, len(chances)) {
		short += chances[n]
	}
	return short
}

// Above returns a lower bound of the share of requests that take longer than x nanoseconds,
// for one model of the mix or, with the name "", for all.
func (f *Floor) Above(x float64, name string) float64 {
	sum, shares := 0.0, 0.0
	for _, m := range f.models {
		if name != "" && m.name != name {
			continue
		}
		shares += m.share
		for _, g := range m.given {
			for _, s := range g.stages {
				sum += m.share * g.weight * s.weight * g.fanAbove(x+roundings-s.value)
			}
		}
	}
	if shares == 0 {
		return 0
	}
	return sum / shares
}

// Quantile returns a lower bound of the q-quantile of latency, in nanoseconds.
func (f *Floor) Quantile(q float64, name string) float64 {
	low, high := 1e3, float64(model.Longest)*1000
	if f.Above(low, name) <= 1-q {
		return 0
	}
	for range 40 {
		if middle := math.Sqrt(low * high); f.Above(middle, name) > 1-q {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// mean returns a lower bound of the mean latency. failing is the largest share of requests that may
// fail. Failed requests do not count in a mean, so the slowest requests are assumed to be those
// that fail.
func (f *Floor) mean(failing float64, name string) float64 {
	const points = 100
	end := f.Quantile(1-1e-4, name)
	sum := 0.0
	for k := range points {
		x := end * float64(k+1) / points
		sum += end / points * math.Max(0, f.Above(x, name)-failing) / (1 - failing)
	}
	return sum
}

// Missed returns the first objective on request latency that is missed even without any
// queueing, and the reason. Both are "" if there is none.
func (f *Floor) Missed() (slo, reason string) {
	for _, o := range f.plan.Objectives() {
		switch {
		case !strings.HasPrefix(o.Op, "<") || o.Scope != "request":
		case model.IsRequestLatency(o):
			q := levelOf(o.Metric)
			if above := f.Above(o.Limit, o.Model); above > (1-q)*(1+1e-6) {
				return objective(o), fmt.Sprintf("without any queue %s of requests take longer, p%s is %s at least", measured(quantity.Percent, above),
					strings.TrimPrefix(o.Metric, "p"), measured(quantity.Duration, f.Quantile(q, o.Model)))
			}
		case o.Metric == "mean":
			if mean := f.mean(f.failing(o.Model), o.Model); mean > o.Limit*(1+1e-6) {
				return objective(o), fmt.Sprintf("without any queue the mean is %s at least", measured(quantity.Duration, mean))
			}
		}
	}
	return "", ""
}

// objective returns an objective as text, including its model.
func objective(o plan.SLO) string {
	return (&result.Verdict{SLO: o.Text, Scope: result.Scope{Model: o.Model}}).Objective()
}

// failing returns the largest share of failed requests that the objectives allow. It is
// almost 1 if none limits it.
func (f *Floor) failing(name string) float64 {
	most := 1 - 1e-6
	for _, o := range f.plan.Objectives() {
		if o.Metric == "errors" && o.Scope == "" && o.Model == name && strings.HasPrefix(o.Op, "<") {
			most = math.Min(most, o.Limit)
		}
	}
	return most
}
