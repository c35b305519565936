package plan

import "slices"

// Offered is the work that comes to a tier at a rate of requests over what its
// containers can do: at 1 the tier is full. It counts one attempt of each call; live are
// the containers (of ps: of each shard, the hottest has live + Hottest - Default).
func (p *Plan) Offered(tier string, rate float64, live float64) float64 {
	work := p.Work(tier)
	if live <= 0 {
		return 1e9
	}
	return rate * work / live
}

// Work is the time that one request keeps one container of a tier busy, in seconds, of
// the hottest shard for ps, if the container worked as fast as it can.
func (p *Plan) Work(tier string) float64 { return slices.Max(p.Works(tier)) }

// Works is Work of each shard; of one for other tiers than ps.
func (p *Plan) Works(tier string) []float64 {
	works := make([]float64, 1)
	if tier == "ps" {
		works = make([]float64, p.Shards())
	}
	for _, m := range p.Served() {
		shares := m.Skew.Of(p.Shards())
		for shard := range works {
			works[shard] += float64(m.Share * p.workOf(&m, tier, shard, shares[shard]))
		}
	}
	return works
}

// Fullest is the utilisation of the fullest shard of a tier at a rate, with all of its
// replicas.
func (p *Plan) Fullest(tier string, rate float64) float64 {
	most := 0.0
	for shard, work := range p.Works(tier) {
		most = max(most, rate*work/float64(p.ReplicasOf(tier, shard)))
	}
	return most
}

// workOf is Work of requests for one model, on a shard that gets a share of its lookups.
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
		threads := min(float64(b.Threads*t.Services), cores)
		if p.Service.Contention.Model == "none" {
			threads = float64(b.Threads * t.Services)
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

// capacity is how many cores' worth the threads of a container do at best.
func (p *Plan) capacity(s TierService, cores float64) float64 {
	if p.Service.Contention.Model == "none" {
		return float64(s.Threads)
	}
	return min(float64(s.Threads), cores)
}

// CallsOf is how many of n PS a container of a shard hosts: ps i is in shard i mod
// num_shard.
func (p *Plan) CallsOf(n, shard int) int {
	shards := p.Shards()
	calls := n / shards
	if shard < n%shards {
		calls++
	}
	return calls
}

// FanOut is how many calls a request for the model with the most PS makes to them.
func (p *Plan) FanOut() int {
	most := 0
	for _, m := range p.Served() {
		most = max(most, p.FanOutOf(&m))
	}
	return most
}

// FanOutOf is how many calls a request for a model makes to the PS.
func (p *Plan) FanOutOf(m *Served) int {
	if p.Client.Coalesce {
		return p.Shards()
	}
	return m.NumPS
}

// Batched reports whether dense servers put requests into batches.
func (p *Plan) Batched() bool { return p.Fleet.Dense != nil && !p.Service.Dense.Batch.IsZero() }

// Containers is how many containers a tier has.
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

// ReplicasOf is how many containers a shard of a tier has, multiplied; shard 0 is the
// hottest.
func (p *Plan) ReplicasOf(tier string, shard int) int {
	r := p.Fleet.Tier(tier).Replicas
	n := r.Default
	if tier == "ps" && shard == 0 {
		n = r.Hottest
	}
	scaled := float64(n) * p.Fleet.Multiplier
	whole := int(scaled)
	if float64(whole) < scaled-1e-9 {
		whole++
	}
	return max(whole, 1)
}

// Cost is that of all containers, per hour.
func (p *Plan) Cost() float64 {
	sum := 0.0
	for _, tier := range TierNames {
		if t := p.Fleet.Tier(tier); t != nil {
			sum += float64(p.Containers(tier)) * float64(t.Cost)
		}
	}
	return sum
}

// PeakRate is the greatest rate of requests, traffic events included.
func (p *Plan) PeakRate() float64 {
	rate := float64(p.Workload.Rate.Peak())
	factor := 1.0
	for _, e := range p.Events {
		if e.Traffic != nil {
			factor = max(factor, float64(e.Traffic.Factor))
		}
	}
	return rate * factor
}
