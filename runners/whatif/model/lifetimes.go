package model

import (
	"math"
	"slices"
	"time"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// publish lets every container load a version. The parameters of v1 PS change in place, so
// there is no rollout of files for them.
func (h *history) publish(at int64, e *plan.Publish) {
	last, never := int64(0), e.Bad == "load_failure"
	rollout := Rollout{at: at}
	for i := range h.w.servers {
		s := &h.w.servers[i]
		name := plan.TierNames[s.tier]
		load := h.p.LoadTimeIn(e.Model, name, int(s.shard), float64(e.Size))
		if !s.up || load == 0 || name == "ps" && h.p.Model.AgentVersion == 1 && h.p.Override.FSPollPS == 0 {
			continue
		}
		if name == "ps" && e.Shards > 0 && int(s.shard) >= int(e.Shards) {
			never = true
			continue
		}
		found := h.turn(int32(i), at+h.find(name, e.Model), int64(load), e.Bad == "load_failure")
		if e.Bad == "load_failure" {
			continue // each attempt fails at once and uses no memory
		}
		if h.roomFor(int32(i), name, e.Model) {
			done := found + int64(load)
			h.add(found, loads, int32(i), 0)
			if d := h.w.spec.Tiers[s.tier].Device; d != nil && d.PieceNs > 0 {
				copied := h.p.Service.Dense.Device.Copied(plan.Bytes(float64(h.p.NewBytesIn(e.Model, name, int(s.shard))) * float64(e.Size)))
				h.add(done-int64(copied), copies, int32(i), float64(copied))
			}
			h.add(done, loaded, int32(i), 0)
			served := h.written(done+h.poll()) - at
			last = max(last, served)
			rollout.served(s, served)
			if lost, ok := h.unlisted[int32(i)]; ok && lost < at {
				delete(h.unlisted, int32(i))
				h.add(at+served, isSeen, int32(i), 0)
			}
			continue
		}
		h.life.OOM++
		h.kill(s.host, found, found, 2)
		never = true
	}
	if never {
		last = -1
	}
	rollout.last = last
	h.life.Available = append(h.life.Available, last)
	h.life.Rollouts = append(h.life.Rollouts, rollout)
}

// turn returns when a container begins a load for which it is ready at found. By default a server
// has no load threads, and loads one version after the other. After a load that fails, the next
// one waits for all its retries (CAP-3.13).
func (h *history) turn(s int32, found, load int64, fails bool) int64 {
	if h.p.Override.NumLoadThreads > 0 {
		return found
	}
	found = max(found, h.loading[s])
	if fails {
		load = int64(h.p.Override.MaxLoadRetries) * int64(h.p.Override.LoadRetryInterval)
	}
	h.loading[s] = found + load
	return found
}

// find draws how long a container takes to notice a new version of a model.
func (h *history) find(tier, model string) int64 {
	if model == plan.RoughSortName && h.p.Model.RoughSort.Size > 0 { // its agent copies the files first
		return int64(h.rng.Float64()*float64(plan.CopyLoop)) + h.find(tier, "")
	}
	if h.p.Model.AgentVersion == 3 {
		return int64(h.rng.Float64() * 60e9)
	}
	interval := h.p.Override.FSPoll
	if tier == "ps" {
		interval = h.p.Override.FSPollPS
	}
	return int64(h.rng.Float64() * float64(interval))
}

// roomFor reports whether a container has memory for one more version of a model ("" for
// all models), and notes the memory in use. Memory that an unload does not give back counts
// from the second rollover on.
func (h *history) roomFor(s int32, name, model string) bool {
	t, shard := h.w.servers[s].tier, int(h.w.servers[s].shard)
	if h.w.spec.Mixed {
		return h.roomForAll(h.w.servers[s].host, model)
	}
	one := float64(h.p.NewBytesIn(model, name, shard)) * float64(h.p.Model.RAMFactor)
	need := int64(h.p.MemoryIn(name, shard, 1)) + int64(one*float64(h.p.VersionsOf(model, name)-1))
	if h.held[s] > 0 {
		need += int64(one * float64(h.p.Model.Retained))
	}
	h.held[s]++
	limit := int64(h.p.Fleet.Tier(name).Mem)
	h.life.MemPeak[t] = max(h.life.MemPeak[t], min(need, limit))
	return need <= limit
}

// roomForAll is roomFor of a mixed container, whose processes load the version at about the same time.
func (h *history) roomForAll(host int32, model string) bool {
	shard := int(h.w.servers[host].shard)
	more := h.p.RollsOver(model, shard)
	need := int64(h.p.MemoryIn("ps", shard, 1) + more)
	publish := len(h.life.Rollouts) + 1
	if h.held[host] == 0 {
		h.held[host] = publish // the first one, which all processes load
	}
	if h.held[host] < publish {
		need += int64(float64(more) * float64(h.p.Model.Retained))
	}
	limit := int64(h.p.Fleet.PS.Mem)
	h.life.MemPeak[PS] = max(h.life.MemPeak[PS], min(need, limit))
	return need <= limit
}

// random kills containers, or whole racks, at random instants.
func (h *history) random() {
	for t, name := range plan.TierNames {
		f := h.p.Random.Of(name)
		if f == nil {
			continue
		}
		rack := 1
		if f.Correlated != nil {
			rack = f.Correlated.Rack
		}
		begin := h.w.first[t]
		for i := begin; i < len(h.w.servers) && int(h.w.servers[i].tier) == t; i += rack {
			at := int64(h.rng.ExpFloat64() * float64(f.MTBF))
			for at < int64(h.p.Workload.Horizon) {
				back := at + int64(h.rng.ExpFloat64()*float64(f.MTTR))
				for k := i; k < min(i+rack, len(h.w.servers)) && int(h.w.servers[k].tier) == t; k++ {
					if h.w.servers[k].up {
						h.kill(int32(k), at, back, 0)
					}
				}
				at = back + int64(h.rng.ExpFloat64()*float64(f.MTBF))
			}
		}
	}
}

// maxWaiting returns how long a container waits at most for the tiers that it depends on.
// The reference never reads max_waiting_sec and gives up after an hour (Q11, CAP-12.21).
func maxWaiting(p *plan.Plan) int64 {
	if p.Override.Quirks == "python" {
		return int64(time.Hour)
	}
	return int64(p.Override.MaxWaiting)
}

// coldStart begins with no container. PS start at once; dense and entry containers start
// when they see the PS, looking every two status intervals (CAP-3.11). A container that has
// waited too long never comes up.
func (h *history) coldStart() {
	ready, most := int64(0), maxWaiting(h.p)
	begins := map[int32]int64{}
	for _, name := range []string{"ps", "dense", "entry"} {
		t := slices.Index(plan.TierNames, name)
		last := int64(0)
		for i := range h.w.servers {
			s := &h.w.servers[i]
			if int(s.tier) != t || !s.up {
				continue
			}
			h.add(0, retires, int32(i), 0)
			start, begun := begins[s.host]
			if !begun {
				start = int64(h.p.Fleet.Boot.Schedule.Sample(h.rng, 0))
				begins[s.host] = start
			}
			if name != "ps" && ready-start > most {
				last = math.MaxInt64 / 2 // whoever waits for these never comes up, either
				continue
			}
			if name != "ps" && ready > start {
				look := 2 * int64(h.p.Override.StatusInterval)
				start += (ready - start + look - 1) / look * look
			}
			up := start + int64(h.p.LoadTime(name, int(h.w.servers[i].shard), 1))
			seen := h.written(up + h.poll())
			h.add(up, comesUp, int32(i), 0)
			h.add(seen, isSeen, int32(i), 0)
			last = max(last, seen)
		}
		ready = max(ready, last)
	}
}

// scale sets the number of containers of a tier, for ps of each shard, at an instant.
func (h *history) scale(tier, want int, at int64, provision func() int64) {
	numbers := map[int16]int{}
	for i := h.w.first[tier]; i < len(h.w.servers) && int(h.w.servers[i].tier) == tier; i++ {
		s := &h.w.servers[i]
		k := numbers[s.shard]
		numbers[s.shard]++
		on := s.up
		for _, c := range h.list {
			if c.server == int32(i) && c.at <= at {
				on = on && c.what != retires || c.what == comesUp
			}
		}
		switch {
		case k < want && !on && !h.pending(int32(i), at):
			from := at
			if provision != nil {
				from += provision()
			}
			h.boot(int32(i), from, 0)
		case k >= want && on:
			h.add(at, retires, int32(i), 0)
		}
	}
}

// pending reports whether a container comes up after an instant.
func (h *history) pending(s int32, at int64) bool {
	return slices.ContainsFunc(h.list, func(c change) bool { return c.server == s && c.what == comesUp && c.at > at })
}

// autoscale plays the autoscalers that know the offered load. They read that of each interval, one
// scrape delay late, and ask for enough containers to meet the target. Scaling up follows the smallest wish within the
// stabilisation window, and scaling down the largest, so that short peaks and dips change
// nothing.
func (h *history) autoscale() {
	for t, name := range plan.TierNames {
		a := h.p.Autoscale.Of(name)
		if a == nil || a.Measured() || !h.w.spec.Has(t) {
			continue
		}
		thin := h.w.spec.Control.Thin
		n := h.w.spec.Tiers[t].Replicas[0]
		work, stable := h.p.Work(name), int64(max(a.StabiliseUp, a.StabiliseDown))
		var wishes []pause // instants and wishes, as far back as the longer window
		for at := int64(a.Interval); at < int64(h.p.Workload.Horizon); at += int64(a.Interval) {
			rate := rateAt(&h.w.spec.Arrivals, max(0, at-int64(a.ScrapeDelay)))
			wish := int(math.Ceil(rate*work/float64(a.Target) - 1e-9))
			wish = min(max(wish, a.Min/thin), a.Max/thin)
			for len(wishes) > 0 && wishes[0].from < at-stable {
				wishes = wishes[1:]
			}
			wishes = append(wishes, pause{at, int64(wish)})
			up, down := wish, wish
			for _, old := range wishes {
				if old.from >= at-int64(a.StabiliseUp) {
					up = min(up, int(old.to))
				}
				if old.from >= at-int64(a.StabiliseDown) {
					down = max(down, int(old.to))
				}
			}
			want := n
			if up > n {
				want = up
			} else if down < n {
				want = down
			}
			if want != n {
				h.scale(t, want, at, func() int64 { return int64(a.Provision.Sample(h.rng, 0)) })
				n = want
			}
		}
	}
}
