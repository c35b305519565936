package plan

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
func (p *Plan) Work(tier string) float64 {
	t := p.Fleet.Tier(tier)
	items := p.Service.Items.Mean
	cores := max(t.CPU-p.Service.AgentCPU, 1e-9)
	switch tier {
	case "entry":
		return p.Service.Entry.CPU.MeanOf(items) / 1e9 / p.capacity(p.Service.Entry, cores)
	case "dense":
		s := *p.Service.Dense
		if !p.Batched() {
			return s.CPU.MeanOf(items) / 1e9 / p.capacity(s, cores)
		}
		b := p.Override.Batching
		perBatch := max(1, float64(int(float64(b.MaxBatchSize)/items)))
		threads := min(float64(b.Threads*t.Services), cores)
		if p.Service.Contention.Model == "none" {
			threads = float64(b.Threads * t.Services)
		}
		return s.Batch.MeanOf(perBatch*items) / perBatch / 1e9 / threads
	}
	hottest := 0.0
	for shard, share := range p.Model.ShardSkew.Of(p.Shards()) {
		calls := float64(p.CallsOf(shard))
		mean := p.Service.PS.CPU.MeanOf(items * share / calls)
		if p.Client.Coalesce {
			calls, mean = 1, p.Service.PS.CPU.MeanOf(items*share)
		}
		hottest = max(hottest, calls*mean/1e9/p.capacity(p.Service.PS, cores))
	}
	return hottest
}

// capacity is how many cores' worth the threads of a container do at best.
func (p *Plan) capacity(s TierService, cores float64) float64 {
	if p.Service.Contention.Model == "none" {
		return float64(s.Threads)
	}
	return min(float64(s.Threads), cores)
}

// CallsOf is how many PS a container of a shard hosts: ps i is in shard i mod num_shard.
func (p *Plan) CallsOf(shard int) int {
	n, shards := p.Override.NumPS, p.Shards()
	calls := n / shards
	if shard < n%shards {
		calls++
	}
	return calls
}

// FanOut is how many calls a request makes to the PS.
func (p *Plan) FanOut() int {
	if p.Client.Coalesce {
		return p.Shards()
	}
	return p.Override.NumPS
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
