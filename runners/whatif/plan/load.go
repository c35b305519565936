package plan

import (
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/places"
)

// Offered returns the utilization of a tier at a rate: the work of the requests, divided by
// the capacity of the live containers. At 1 the tier is full. Each call counts once, without
// retries. For ps, live is the number of containers of the hottest shard.
func (p *Plan) Offered(tier string, rate float64, live float64) float64 {
	if live <= 0 {
		return 1e9
	}
	return rate * p.Work(tier) / live
}

// Work returns for how many seconds one request keeps a container of a tier busy, if it is the only
// container and works at full speed. For ps it is a container of the hottest shard.
func (p *Plan) Work(tier string) float64 { return slices.Max(p.Works(tier)) }

// Works returns the result of Work for each shard of ps. For other tiers it returns a single
// value.
func (p *Plan) Works(tier string) []float64 {
	works := make([]float64, 1)
	if tier == "ps" {
		works = make([]float64, p.Shards())
	}
	for _, m := range p.Served() {
		shares := m.Skew.Of(p.Shards(), m.NumPS)
		for shard := range works {
			works[shard] += float64(m.Share * p.workOf(&m, tier, shard, shares[shard]))
		}
	}
	return works
}

// Fullest returns the utilization of a tier's fullest shard at a rate, with all replicas
// running.
func (p *Plan) Fullest(tier string, rate float64) float64 {
	most, crowded := 0.0, p.crowds()
	for shard, work := range p.Works(tier) {
		most = max(most, rate*work/crowded(tier, shard))
	}
	works, common := p.Together()
	for shard, work := range works {
		most = max(most, rate*(work/crowded("ps", shard)+common/float64(p.Containers("ps"))))
	}
	return most
}

// workOf is Works for requests to one model, and for a shard that gets the given share of lookups.
func (p *Plan) workOf(m *Served, tier string, shard int, share float64) float64 {
	t := p.Fleet.Tier(tier)
	items := m.Items.Mean
	cores := max(t.CPU-p.Service.AgentCPU, 1e-9)
	switch tier {
	case "entry":
		return m.Entry.CPU.MeanOf(items) / 1e9 / p.capacity(p.Service.Entry, cores)
	case "dense":
		if !p.Batched() {
			return m.Dense.CPU.MeanOf(items) / 1e9 / p.capacity(*p.Service.Dense, cores)
		}
		b := p.Override.Batching
		perBatch := max(1, float64(int(float64(b.MaxBatchSize)/items)))
		threads := p.batchThreads(t, cores)
		if !p.Service.Dense.Device.IsZero() {
			threads = 1
		}
		return m.Dense.Batch.MeanOf(perBatch*items) / perBatch / 1e9 / threads
	}
	calls := float64(p.CallsOf(m.NumPS, shard))
	mean := m.PS.CPU.MeanOf(items * share / calls)
	if p.Client.Coalesce {
		calls, mean = 1, m.PS.CPU.MeanOf(items*share)
	}
	return calls * mean / 1e9 / p.capacity(p.Service.PS, cores)
}

// batchThreads returns how many batches a dense container can compute at the same time.
func (p *Plan) batchThreads(t *Tier, cores float64) float64 {
	threads := float64(p.Override.Batching.Threads * t.Services)
	if p.Service.Contention.Model == "none" {
		return threads
	}
	return min(threads, cores)
}

// Uncontended returns how many threads of a tier's container work at full speed, whatever the
// number of its cores. In a mixed container the threads of all processes count. It returns 0 if
// threads share the cores, and for dense containers that compute their batches on a device.
func (p *Plan) Uncontended(tier string) float64 {
	if p.Service.Contention.Model != "none" {
		return 0
	}
	sum := 0.0
	for _, one := range TierNames {
		t := p.Fleet.Tier(one)
		switch {
		case t == nil || p.Fleet.Mixed == nil && one != tier:
		case one != "dense" || !p.Batched():
			sum += float64(p.Service.Of(one).Threads)
		case p.Service.Dense.Device.IsZero():
			sum += p.batchThreads(t, t.CPU)
		}
	}
	return sum
}

// capacity returns how many cores the threads of a container can use.
func (p *Plan) capacity(s TierService, cores float64) float64 {
	if p.Service.Contention.Model == "none" {
		return float64(s.Threads)
	}
	return min(float64(s.Threads), cores)
}

// CallsOf returns how many of n PS a container of a shard hosts, and so how many calls a request
// makes to the shard. PS i belongs to shard i mod num_shard.
func (p *Plan) CallsOf(n, shard int) int {
	return places.Hosted(n, shard, p.Shards())
}

// FanOut returns how many calls to the PS a request makes, for the model with the most PS.
func (p *Plan) FanOut() int {
	most := 0
	for _, m := range p.Served() {
		most = max(most, p.FanOutOf(&m))
	}
	return most
}

// FanOutOf returns how many calls to the PS a request to a model makes. With coalescing, it
// is one per shard.
func (p *Plan) FanOutOf(m *Served) int {
	if p.Client.Coalesce {
		return p.Shards()
	}
	return m.NumPS
}

// Batched reports whether dense servers put requests into batches.
func (p *Plan) Batched() bool { return p.Fleet.Dense != nil && !p.Service.Dense.Batch.IsZero() }

// Containers returns how many containers a tier has. It is 0 for a tier that the plan does
// not have.
func (p *Plan) Containers(tier string) int {
	t := p.Fleet.Tier(tier)
	switch {
	case t == nil:
		return 0
	case tier == "ps":
		return p.ReplicasOf(tier, 0) + (p.Shards()-1)*p.ReplicasOf(tier, 1)
	}
	return p.ReplicasOf(tier, 0)
}

// ReplicasOf returns how many containers a shard of a tier has, scaled by fleet.multiplier.
// Shard 0 is the hottest.
func (p *Plan) ReplicasOf(tier string, shard int) int {
	r := p.Fleet.Tier(tier).Replicas
	if p.Fleet.Mixed != nil && tier != "ps" {
		return r.Default // scaled already
	}
	n := r.Default
	if tier == "ps" && shard == 0 {
		n = r.Hottest
	}
	return max(int(math.Ceil(float64(n)*p.Fleet.Multiplier-1e-9)), 1) // a rounding error must not add a container
}

// MostOf returns the largest number of containers of a tier that autoscalers and events may lead
// to; for ps, of each shard. It returns 0 if they do not change the number.
func (p *Plan) MostOf(tier string) int {
	most := 0
	if a := p.Autoscale.Of(tier); a != nil {
		most = a.Max
	}
	for _, e := range p.Events {
		if e.Scale != nil {
			most = max(most, map[string]int{"entry": e.Scale.Entry, "ps": e.Scale.PS, "dense": e.Scale.Dense}[tier])
		}
	}
	return most
}

// Cost returns the cost of all containers per hour.
func (p *Plan) Cost() float64 {
	sum := 0.0
	for _, tier := range p.Kinds() {
		sum += float64(p.Containers(tier)) * float64(p.Fleet.Tier(tier).Cost)
	}
	return sum
}

// PeakRate returns the highest request rate per second, including traffic events.
func (p *Plan) PeakRate() float64 { return p.PeakIn(0, p.Workload.Horizon) }

// PeakIn returns the highest request rate per second between two instants. Where several traffic
// events are active at the same instant, their factors multiply.
func (p *Plan) PeakIn(from, to Duration) float64 {
	most := 0.0
	var traffic []*Event
	consider := func(at Duration, rate Rate) {
		if at < from || at >= to && at > from {
			return
		}
		now := float64(rate)
		for _, e := range traffic {
			if at >= Duration(e.At) && (e.For == 0 || at < Duration(e.At)+e.For) {
				now *= float64(e.Traffic.Factor)
			}
		}
		most = max(most, now)
	}
	for i := range p.Events {
		if e := &p.Events[i]; e.Traffic != nil {
			traffic = append(traffic, e)
		}
	}
	for _, point := range p.Workload.Rate.Points {
		consider(point.At, point.Rate)
	}
	consider(from, p.Workload.Rate.At(from))
	for _, e := range traffic {
		for _, at := range []Duration{Duration(e.At), Duration(e.At) + e.For} {
			consider(at, p.Workload.Rate.At(at))
		}
	}
	return most
}
