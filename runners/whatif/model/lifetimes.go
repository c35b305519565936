package model

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// publish makes every container load a version. PS with an agent of version 1 load no files for it,
// because their parameters are updated in place. A container whose process starts later loads the
// version when it starts.
func (h *history) publish(at int64, index int, e *plan.Publish) {
	k, fate := len(h.life.Rollouts), h.fate
	begun := at - 1 // a container that ends at the same instant ends after the publish
	h.life.Rollouts = append(h.life.Rollouts, Rollout{Event: index, at: at})
	up, wanted := h.upAt(at), h.wantedAt(at)
	for i := range h.w.servers {
		s := &h.w.servers[i]
		name := plan.TierNames[s.tier]
		files := h.p.Loads(e.Model, name, int(s.shard), float64(e.Size))
		if !wanted[i] || len(files) == 0 || name == "ps" && h.p.Model.AgentVersion == 1 && h.p.Override.FSPollPS == 0 {
			continue
		}
		due := h.life.Rollouts[k].wants(int32(i), up[i])
		switch {
		case name == "ps" && e.Shards > 0 && int(s.shard) >= int(e.Shards):
			due.never = true
			continue
		case !up[i] && at <= h.process[int32(i)]:
			due.never = e.Bad == "load_failure"
			continue
		}
		h.turn(int32(i), at+h.find(name, e.Model), func(from int64, then func(int64)) {
			switch {
			case h.store != nil && h.ended[int32(i)] > begun:
				then(from)
			case e.Bad == "load_failure": // each attempt fails at once and uses no memory
				due.never = true
				then(from + int64(h.p.Override.MaxLoadRetries)*int64(h.p.Override.LoadRetryInterval))
			case h.roomFor(int32(i), name, e.Model, k+1):
				h.put(change{at: from, what: loads, server: int32(i), boot: h.boots(int32(i)), begun: begun})
				h.load(int32(i), files, begun, from, func(done int64) { h.rollsOver(due, begun, done, e); then(done) })
			default:
				h.life.OOM++
				before := h.fate
				h.fate = fate
				h.kill(s.host, from, from, 2)
				h.fate = before
				due.never = true
				then(from)
			}
		})
	}
}

// rollsOver makes a container serve the version of a publish, which it has finished loading at the
// instant done. The version was published just after the instant begun.
func (h *history) rollsOver(d *due, begun, done int64, e *plan.Publish) {
	i := d.server
	s := &h.w.servers[i]
	if dev := h.w.spec.Tiers[s.tier].Device; dev != nil && dev.PieceNs > 0 {
		copied := h.p.Service.Dense.Device.Copied(plan.Bytes(float64(h.p.NewBytesIn(e.Model, plan.TierNames[s.tier], int(s.shard))) * float64(e.Size)))
		h.put(change{at: done - int64(copied), what: copies, server: i, value: float64(copied), boot: h.boots(i), begun: begun})
	}
	h.put(change{at: done, what: loaded, server: i, boot: h.boots(i), begun: begun})
	if h.store.broken() {
		return
	}
	d.served = h.written(done + h.poll())
	if lost, ok := h.unlisted[i]; ok && lost <= begun {
		delete(h.unlisted, i)
		h.put(change{at: d.served, what: isSeen, server: i, boot: h.boots(i), begun: done})
	}
}

// busy is the value of history.loading while the end of a server's load is not known.
const busy = math.MaxInt64

// turn lets a server load a version that it has found at the instant found. By default a server has
// one thread for it, so that it loads one version after the other. If a load fails, the next load
// waits until all retries of the failed one are over (CAP-3.13). turn calls load with the instant
// at which the load begins. load passes the instant at which the load has ended to its second
// argument.
func (h *history) turn(s int32, found int64, load func(from int64, then func(int64))) {
	if h.p.Override.NumLoadThreads > 0 {
		h.on(found, func() { load(found, func(int64) {}) })
		return
	}
	var begin func()
	begin = func() {
		if h.loading[s] == busy {
			h.waiting[s] = append(h.waiting[s], begin)
			return
		}
		from := max(found, h.loading[s])
		h.loading[s] = busy
		load(from, func(end int64) { h.hasLoaded(s, end) })
	}
	h.on(found, begin)
}

// hasLoaded says when the thread that loads models of a server is free again, so that the load that
// waits for it can begin.
func (h *history) hasLoaded(s int32, end int64) {
	h.loading[s] = end
	if list := h.waiting[s]; len(list) > 0 {
		h.waiting[s] = list[1:]
		list[0]()
	}
}

// find draws how long it takes until a container notices a new version of a model.
func (h *history) find(tier, model string) int64 {
	if model == plan.RoughSortName && h.p.Model.RoughSort.Size > 0 { // the agent first copies the files
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

// roomFor reports whether a container has memory for one more version of a model ("" for all
// models), and records the memory in use. A share of an unloaded version's memory stays in use,
// from the second publish on. publish is the number of the publish, counted from 1.
func (h *history) roomFor(s int32, name, model string, publish int) bool {
	t, shard := h.w.servers[s].tier, int(h.w.servers[s].shard)
	if h.w.spec.Mixed {
		return h.roomForAll(h.w.servers[s].host, model, publish)
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

// roomForAll is roomFor for a mixed container, whose processes load the version at about the same
// time.
func (h *history) roomForAll(host int32, model string, publish int) bool {
	shard := int(h.w.servers[host].shard)
	more := h.p.RollsOver(model, shard)
	need := int64(h.p.MemoryIn("ps", shard, 1) + more)
	if h.held[host] == 0 {
		h.held[host] = publish // all processes of the container load the version of the first publish
	}
	if h.held[host] < publish {
		need += int64(float64(more) * float64(h.p.Model.Retained))
	}
	limit := int64(h.p.Fleet.PS.Mem)
	h.life.MemPeak[PS] = max(h.life.MemPeak[PS], min(need, limit))
	return need <= limit
}

// random kills containers, or whole racks, at random instants. A container that is down does not
// fail.
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
					if s := &h.w.servers[k]; !s.up && (!h.inTime || s.pod != nil) {
						continue
					}
					h.on(at, func() {
						if !h.inTime || h.isUp(int32(k), at) {
							h.kill(int32(k), at, back, 0)
						}
					})
				}
				at = back + int64(h.rng.ExpFloat64()*float64(f.MTBF))
			}
		}
	}
}

// maxWaiting returns for how long at most a container waits for the tiers that it depends on. The
// reference ignores its setting max_waiting_sec and gives up after an hour (quirk Q11, CAP-12.21).
func maxWaiting(p *plan.Plan) int64 {
	if p.Override.Quirks == "python" {
		return int64(time.Hour)
	}
	return int64(p.Override.MaxWaiting)
}

// coldStart starts the horizon without any running container. PS start at once. Dense and entry
// containers start when they see the PS, which they look for every two status intervals (CAP-3.11).
// A container that has waited too long never comes up.
func (h *history) coldStart() {
	for i := range h.w.servers {
		if h.w.servers[i].up {
			h.add(0, retires, int32(i), 0)
		}
	}
	h.coldTier([]int{PS, Dense, Entry}, 0, map[int32]int64{})
}

// coldTier starts the containers of tier order[0], and those of each later tier of order once the
// tiers before it serve. ready is when all previous tiers serve. begins holds when each container
// was scheduled.
func (h *history) coldTier(order []int, ready int64, begins map[int32]int64) {
	if len(order) == 0 {
		return
	}
	var list []int32
	for i := range h.w.servers {
		if s := &h.w.servers[i]; int(s.tier) == order[0] && s.up {
			list = append(list, int32(i))
		}
	}
	left, last := len(list), ready
	served := func(at int64) {
		last = max(last, at)
		if left--; left == 0 {
			h.on(last, func() { h.coldTier(order[1:], last, begins) })
		}
	}
	if len(list) == 0 {
		h.coldTier(order[1:], ready, begins)
	}
	most := maxWaiting(h.p)
	for _, i := range list {
		s := &h.w.servers[i]
		start, begun := begins[s.host]
		if !begun {
			start = int64(h.p.Fleet.Boot.Schedule.Sample(h.rng, 0))
			begins[s.host] = start
		}
		if order[0] != PS && ready-start > most {
			served(math.MaxInt64 / 2) // containers of the later tiers never start, either
			continue
		}
		if order[0] != PS && ready > start {
			look := 2 * int64(h.p.Override.StatusInterval)
			start += (ready - start + look - 1) / look * look
		}
		h.process[i], h.loading[i] = start, busy
		h.load(i, h.p.Boots(plan.TierNames[s.tier], int(s.shard)), 0, start, func(up int64) {
			defer h.hasLoaded(i, up)
			seen := h.written(up + h.poll())
			boot := h.boots(i)
			if !h.store.broken() {
				h.put(change{at: up, what: comesUp, server: i, boot: boot}, change{at: seen, what: isSeen, server: i, boot: boot})
			}
			served(seen)
		})
	}
}

// scale sets how many containers a tier has from an instant on; for PS, how many each shard has.
// provision draws how long it takes until a new container can start.
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
			h.boot(int32(i), at, from, 0, nil)
		case k >= want && (on || h.pending(int32(i), at)):
			h.add(at, retires, int32(i), 0)
		}
	}
}

// pending reports whether a container is starting at an instant and will come up.
func (h *history) pending(s int32, at int64) bool {
	if begun, is := h.starting[s]; is && h.ended[s] <= begun {
		return true
	}
	return slices.ContainsFunc(h.list, func(c change) bool {
		return c.server == s && c.what == comesUp && c.at > at && !slices.ContainsFunc(h.list, func(end change) bool {
			return end.server == s && (end.what == goesDown || end.what == retires) && c.overtaken(end.at)
		})
	})
}

// autoscale computes the decisions of the autoscalers that know the offered load. At each interval
// such an autoscaler reads the load of one scrape delay ago, and wants as many containers as its
// target needs. It scales up to the smallest number that it wanted in the stabilization window, and
// down to the largest. So it ignores short peaks and dips.
func (h *history) autoscale() {
	for t, name := range plan.TierNames {
		a := h.p.Autoscale.Of(name)
		if a == nil || a.Measured() || !h.w.spec.Has(t) {
			continue
		}
		thin := h.w.spec.Control.Thin
		n := h.w.spec.Tiers[t].Replicas[0]
		work, stable := h.p.Work(name), int64(max(a.StabiliseUp, a.StabiliseDown))
		var wishes []pause // numbers that it wanted within the longer of the two windows, each with its instant
		for at := int64(a.Interval); at < int64(h.p.Workload.Horizon); at += int64(a.Interval) {
			h.on(at, func() {
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
				if want := min(max(n, up), down); want != n { // up is at most down
					h.scale(t, want, at, func() int64 { return int64(a.Provision.Sample(h.rng, 0)) })
					n = want
				}
			})
		}
	}
}

// overlay is a time in which an event puts a container, a link or clients into a state.
type overlay struct {
	from, to int64
	value    float64
}

// inOrder returns the indexes of the plan's events in order of time. What an event does depends on
// the containers that the events before it have left.
func (h *history) inOrder() []int {
	list := make([]int, len(h.p.Events))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(h.p.Events[a].At, h.p.Events[b].At) })
	return list
}

// lasts adds a change that is undone at the instant to. usual is the value of the state without any
// event. While times of several events overlap, their values add up, so that the end of one event
// does not end the others.
func (h *history) lasts(c change, to int64, usual float64) {
	key := change{what: c.what, server: c.server, a: c.a, b: c.b}
	list := append(h.overlaid[key], overlay{c.at, to, c.value})
	h.overlaid[key] = list
	if len(list) > 1 {
		for i := range h.list {
			if one := &h.list[i]; one.at >= c.at && h.isOf(one, &key) {
				one.value = valueAt(list, one.at, c.what, usual)
			}
		}
	}
	for _, at := range []int64{c.at, to} {
		c.at, c.value = at, valueAt(list, at, c.what, usual)
		if c.what == slows {
			h.add(at, slows, c.server, c.value)
		} else {
			h.put(c)
		}
	}
}

// isOf reports whether a change is about the same state as key. A mixed container is slow with all
// its processes.
func (h *history) isOf(c, key *change) bool {
	if c.what != key.what || c.a != key.a || c.b != key.b {
		return false
	}
	return c.server == key.server || c.what == slows && h.w.servers[c.server].host == key.server
}

// valueAt returns the value of a state at an instant. Containers are slower by the product of all
// factors, a link loses what any of the losses takes, and links and clients are back when the last
// event is over.
func valueAt(list []overlay, at int64, what uint8, usual float64) float64 {
	value, any := usual, false
	for _, one := range list {
		switch {
		case at < one.from || at >= one.to:
			continue
		case !any:
			value = one.value
		case what == slows:
			value *= one.value
		case what == loses:
			value = 1 - (1-value)*(1-one.value)
		}
		any = true
	}
	return value
}

// backAt returns when a container that is to start at an instant can start: at once, or when its idc
// or cluster is back that an event takes away.
func (h *history) backAt(s int32, at int64) int64 {
	for again := true; again; {
		again = false
		for _, e := range h.p.Events {
			if back := until(h.p, e); h.takes(&e, h.w.servers[s].loc) && int64(e.At) <= at && at < back {
				at, again = back, true
			}
		}
	}
	return at
}

// takes reports whether an event takes the containers at a location away.
func (h *history) takes(e *plan.Event, l Location) bool {
	return e.LoseIDC != "" && l.IDC == h.p.Fleet.IDCIndex(e.LoseIDC) || e.LoseCluster != "" && l == h.cluster(e.LoseCluster)
}
