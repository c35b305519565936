package model

import (
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// Condition is a failure that a fleet has to withstand, besides the events of its plan.
type Condition struct {
	Name string
	// Text is the entry of solve.must_hold_under that names the failure.
	Text   string
	Remove []Which
	// Event, if it is above 0, is the number of an event of the plan. Only the windows of that
	// event are then judged. NoEvents excludes the windows of all events.
	Event    int
	NoEvents bool
}

// Compile turns a plan and a condition into a spec that can be simulated.
func Compile(p *plan.Plan, c Condition) *Spec {
	s := &Spec{
		Seed:    p.Seed,
		Timeout: int64(p.Override.FetchPSTimeout), Retries: p.Override.FetchPSRetry,
		Distinct: p.Client.RetryTarget == "distinct", Same: p.Client.RetryTarget == "same", Cancel: p.Client.Abandon == "cancel",
		Balance: p.Client.Balance.Inner, Reach: p.Reach(), HedgeNs: int64(p.Client.Hedge.After.After), HedgeQuantile: p.Client.Hedge.After.Quantile,
		Connections: p.Override.LongConnNum, Dispatch: p.Override.AIOThreads, Connect: !p.Override.LongConn,
		PerRPC: int64(p.Network.PerRPC), Loss: float64(p.Network.Loss), IDCs: len(p.Fleet.IDCs),
	}
	if b := p.Client.Backoff; !b.IsZero() {
		s.Backoff = Backoff{Base: float64(b.Base), Factor: float64(b.Factor), Most: float64(b.Most), Jitter: float64(b.Jitter)}
	}
	if b := p.Client.RetryBudget; !b.IsZero() {
		s.Budget = Budget{Share: float64(b.Share), Burst: float64(b.Burst)}
	}
	s.Breaker = Breaker{Failures: p.Client.Breaker.Failures, OpenNs: int64(p.Client.Breaker.Open)}
	cross := p.Network.CrossIDC
	s.Latency = [3]law.Law{p.Network.SameCluster.Law, p.Network.SameIDC.Law, law.Constant(float64(cross.Latency))}
	if cross.Jitter > 0 {
		s.Latency[2] = law.Between(float64(cross.Latency-cross.Jitter), float64(cross.Latency+cross.Jitter))
	}
	s.models(p)
	thin := Thin(p)
	for i, name := range plan.TierNames {
		if p.Fleet.Tier(name) != nil {
			s.Tiers[i] = tierOf(p, name, thin)
			s.Works[i] = p.Works(name)
		}
	}
	if p.Fleet.Mixed != nil {
		s.mix(p)
	}
	s.FromDense = p.Service.Dense != nil && p.Service.Dense.FanOut == "dense"
	s.Clients = p.Clients()
	s.arrivals(p, thin)
	for _, o := range p.Objectives() {
		if IsRequestLatency(o) && o.Model == "" {
			s.Limits = append(s.Limits, int64(o.Limit))
		}
	}
	for _, o := range p.SLO {
		if o.Bound > 0 {
			s.Bounds = append(s.Bounds, int64(o.Bound))
		}
	}
	for _, w := range p.Windows() {
		s.Windows = append(s.Windows, Window{Window: w, Carries: true, Steady: steady(p, w), Step: int64(p.StepOf(w))})
	}
	s.Control = controlOf(p, c, thin)
	return s
}

// steady reports whether, until the end of a window, requests arrive at a constant rate and
// containers do not change.
func steady(p *plan.Plan, w plan.Window) bool {
	if w.Incident > 0 || p.Workload.ColdStart || p.Workload.Arrivals.Process == "trace" {
		return false
	}
	for _, name := range plan.TierNames {
		if p.Autoscale.Of(name) != nil || p.Random.Of(name) != nil {
			return false
		}
	}
	for _, e := range p.Events {
		if plan.Duration(e.At) < w.End {
			return false
		}
	}
	for i, point := range p.Workload.Rate.Points {
		if i > 0 && point.At > w.Start && point.At < w.End && point.Rate != p.Workload.Rate.Points[i-1].Rate {
			return false
		}
	}
	return true
}

// IsRequestLatency reports whether an objective limits a quantile of the latency of requests. The
// simulation then counts the requests that took longer than the limit.
func IsRequestLatency(o plan.SLO) bool {
	return o.Scope == "request" && strings.HasPrefix(o.Metric, "p")
}

// models adds the plan's models to the spec. A single model becomes fields of the spec itself.
func (s *Spec) models(p *plan.Plan) {
	list := p.Served()
	for i := range list {
		m := &list[i]
		one := Served{Priority: uint8(m.Priority), Queue: uint8(m.Base), Share: m.Share, Items: m.Items, Calls: callsOf(p, m)}
		if least := p.Client.Partial.MinShards; least > 0 {
			one.MinShards = least * len(one.Calls) / p.Shards()
		}
		for t, tier := range plan.TierNames {
			law := m.Of(tier)
			one.Laws[t], one.Noise[t] = law.CPU.Law, law.Noise.Law
			if tier == "dense" && p.Batched() {
				one.Laws[t] = law.Batch.Law
			}
		}
		for _, o := range m.SLO {
			if IsRequestLatency(o) {
				one.Limits = append(one.Limits, int64(o.Limit))
			}
		}
		if len(list) > 1 {
			s.Mix = append(s.Mix, one)
		} else {
			s.Items, s.Calls, s.MinShards = one.Items, one.Calls, one.MinShards
		}
	}
}

// callsOf returns the calls of a request. The request's items are distributed over the shards, and
// a shard's items evenly over its PS.
func callsOf(p *plan.Plan, m *plan.Served) []Call {
	shares := m.Skew.Of(p.Shards(), m.NumPS)
	var calls []Call
	for k := range p.FanOutOf(m) {
		shard := k % p.Shards()
		share := shares[shard]
		if !p.Client.Coalesce {
			share /= float64(p.CallsOf(m.NumPS, shard))
		}
		calls = append(calls, Call{shard, share})
	}
	return calls
}

func tierOf(p *plan.Plan, name string, thin int) Tier {
	f := p.Fleet.Tier(name)
	l := p.Service.Of(name)
	t := Tier{
		Threads: l.Threads, Cores: f.CPU - p.Service.AgentCPU, Queue: int(l.Queue), Hold: l.Hold, SkipLate: l.SkipLate, Cold: int32(l.Cold.Calls), ColdFactor: float64(l.Cold.Factor),
		Law: l.CPU.Law, Noise: l.Noise.Law, Overhead: p.Service.Contention.Overhead, Interference: float64(p.Model.LoadInterference),
		Placement: p.Places(),
	}
	t.ByPriority = l.ByPriority && p.Several()
	if len(l.Shed) > 0 {
		t.Limits = &[priorities]int{}
		for k := range t.Limits {
			t.Limits[k] = t.Queue
			for _, one := range l.Shed {
				if k >= one.Priority && (t.Limits[k] < 0 || one.Waiting < t.Limits[k]) {
					t.Limits[k] = one.Waiting
				}
			}
		}
	}
	if name == "dense" && p.Batched() {
		b := p.Override.Batching
		t.Law = l.Batch.Law
		t.Batch = &Batch{Processes: f.Services, Threads: b.Threads, MaxItems: b.MaxBatchSize, TimeoutNs: int64(b.Timeout), MaxQueued: b.MaxEnqueued}
	}
	loads := 0
	if loadsWhileServing(p) {
		loads = 1
	}
	t.Shared = p.Service.Contention.Model == "processor_sharing" && float64(t.working()+loads) > t.Cores
	if name == "dense" && !l.Device.IsZero() {
		t.onDevice(p, &l.Device)
	}
	shards := 1
	if name == "ps" {
		shards = p.Shards()
	}
	for k := range shards {
		t.Replicas = append(t.Replicas, max(1, p.ReplicasOf(name, k)/thin))
	}
	t.Most = p.MostOf(name) / thin
	return t
}

// mix makes all processes of a mixed container share its cores.
func (s *Spec) mix(p *plan.Plan) {
	s.Mixed, s.Works = true, [tiers][]float64{}
	s.Works[PS], s.Common = p.Together()
	threads := s.working()
	if loadsWhileServing(p) {
		threads++
	}
	for t := range s.Tiers {
		s.Tiers[t].Shared = p.Service.Contention.Model == "processor_sharing" && float64(threads) > s.Tiers[t].Cores
	}
}

func loadsWhileServing(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Events, func(e plan.Event) bool { return e.Publish != nil })
}

func (s *Spec) arrivals(p *plan.Plan, thin int) {
	w := &p.Workload
	a := w.Arrivals
	s.Arrivals = Arrivals{
		Process: a.Process, CV: a.CV, Burst: float64(a.Burst), MeanBurst: float64(a.MeanBurst), MeanQuiet: float64(a.MeanQuiet),
		Batch: a.Batch.Law, Clients: w.Loop.Clients / thin, Think: w.Loop.Think.Law,
	}
	s.Arrivals.Rate = w.Rate
	s.Arrivals.Rate.Points = nil
	for _, point := range w.Rate.Points {
		point.Rate /= plan.Rate(thin)
		s.Arrivals.Rate.Points = append(s.Arrivals.Rate.Points, point)
	}
	for k, t := range a.Times {
		if k%thin == 0 {
			s.Arrivals.Times = append(s.Arrivals.Times, int64(float64(t-a.Times[0])*float64(a.TimeScale)/float64(a.RateScale)))
		}
	}
	for _, e := range p.Events {
		if e.Traffic != nil {
			s.Arrivals.Traffic = append(s.Arrivals.Traffic, Traffic{int64(e.At), until(p, e), float64(e.Traffic.Factor)})
		}
	}
}

// until returns when the effect of an event ends.
func until(p *plan.Plan, e plan.Event) int64 {
	if e.For == 0 {
		return int64(p.Workload.Horizon)
	}
	return min(int64(e.At)+int64(e.For), int64(p.Workload.Horizon))
}

// Thin returns by what number the containers and the request rate of a plan are divided in the
// simulation. If the plan says auto, it is the largest of 8, 4, 2 and 1 with which that can be
// done.
func Thin(p *plan.Plan) int {
	if k := p.Workload.Detail.Thin.K; k > 0 {
		return k
	}
	for _, k := range []int{8, 4, 2} {
		if len(p.Unthinnable(k)) == 0 {
			return k
		}
	}
	return 1
}

// Work returns for how many seconds a request keeps the containers of a shard busy, summed over
// those that are left under the spec's condition.
func (s *Spec) Work(tier, shard int) float64 {
	work := s.Works[tier][shard]
	if !s.Mixed {
		return work
	}
	live := s.Live(tier)
	return work + s.Common*float64(live[shard])/math.Max(float64(inAll(live)), 1)
}

// Filled returns for how many seconds a request keeps the fullest container of a shard busy, on
// average over all requests. Only the containers that are left under the spec's condition count. It
// is 0 if callers reach none of them.
func (s *Spec) Filled(tier, shard int) float64 {
	n := s.Crowded(tier, shard)
	if n == 0 {
		return 0
	}
	return s.Works[tier][shard]/n + s.Common/math.Max(float64(inAll(s.Live(tier))), 1)
}

// Live returns, for each shard of a tier, how many containers are left under the spec's condition.
func (s *Spec) Live(tier int) []int {
	live := slices.Clone(s.Tiers[tier].Replicas)
	for _, gone := range s.Control.Remove {
		if gone.Tier == tier {
			live[gone.Shard]--
		}
	}
	return live
}

// inAll returns the sum over all shards of a tier.
func inAll(list []int) (all int) {
	for _, n := range list {
		all += n
	}
	return all
}
