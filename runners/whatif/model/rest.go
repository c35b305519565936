package model

import (
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// rest finds out when the fleet is at rest. It follows the fleet through the horizon and treats
// load as a fluid: a queue grows by the work that its station gets beyond its capacity.
type rest struct {
	w                *world
	stations         []station
	need             []float64         // for each station, seconds of work that a request brings to a container of its fullest shard
	backlog          []float64         // seconds of queued work at each station
	up, seen         []bool            // for each container, whether it is up, and whether callers see it
	clients          clients           // how the clients are distributed over the idcs
	flaps            []bool            // for each container, whether it vanishes from callers' view again and again (Q109)
	serving          [tiers][]int      // number of containers of each shard that are up and called
	placed           [tiers][]float64  // number of containers that are up and called, by shard and place (cluster of an idc)
	fewest           [tiers]int        // smallest number of containers that a caller may choose among, over all shards of a tier
	places, clusters int               // number of places, and of clusters in each idc
	flapping         int               // number of containers that flap
	slow             map[int32]float64 // for each slow container, the factor by which its work takes longer
	loading          [tiers]int        // number of versions that containers of each tier are loading
	ghosts           int               // number of containers that are dead but still called
	// broken holds the links between idcs that are cut, or lose more or fewer packets than the plan's
	// network does. The key is the kind of change and the two idcs.
	broken map[[3]int]bool
	// blinds holds the containers whose agents cannot reach ZooKeeper and so use an old list of
	// replicas. died says whether a container has died since the first of them lost ZooKeeper.
	blinds map[int32]bool
	died   bool
	until  int64 // time at which the last call to a dead container has ended, with all its retries
	// fresh is when a container of each tier last started or loaded a version. The container's next
	// calls are slow.
	fresh [tiers]int64
	risk  float64                // expected number of spontaneous overloads since the start of the horizon, as tips defines them
	stale bool                   // whether need has to be computed anew
	tails map[[2]float64]float64 // results of the method named above, by tier and time
}

func (w *world) rest() *rest {
	r := &rest{w: w, stations: w.spec.stations(), slow: map[int32]float64{}, blinds: map[int32]bool{}, broken: map[[3]int]bool{}, tails: map[[2]float64]float64{}, stale: true}
	r.clients = clients{w: w, moved: slices.Clone(w.clients.moved), shares: w.clients.shares}
	n := len(w.servers)
	r.up, r.seen, r.flaps = make([]bool, n), make([]bool, n), make([]bool, n)
	r.need, r.backlog = make([]float64, len(r.stations)), make([]float64, len(r.stations))
	r.places, r.clusters = w.spec.layout()
	for t := range r.serving {
		r.serving[t] = make([]int, len(w.spec.Tiers[t].Replicas))
		r.placed[t] = make([]float64, len(r.serving[t])*r.places)
	}
	for i := range w.servers {
		one := &w.servers[i]
		r.set(int32(i), one.up, one.visible)
	}
	return r
}

// set sets whether container i works (up) and whether callers see it (seen).
func (r *rest) set(i int32, up, seen bool) {
	s := &r.w.servers[i]
	serves := func() bool { return r.serves(i) }
	ghost := func() bool { return !r.up[i] && r.seen[i] && s.tier != Entry && !s.removed }
	r.count(s, serves(), ghost(), -1)
	r.up[i], r.seen[i] = up, seen
	r.count(s, serves(), ghost(), 1)
	r.stale = true
}

func (r *rest) count(s *server, serves, ghost bool, by int) {
	if serves {
		r.serving[s.tier][s.shard] += by
		r.placed[s.tier][int(s.shard)*r.places+s.loc.IDC*r.clusters+s.loc.Cluster] += float64(by)
	}
	if ghost {
		r.ghosts += by
	}
}

// apply applies a change to this fluid model, as the method [world.apply] does in the simulation of
// requests.
func (r *rest) apply(c change) {
	i := c.server
	switch c.what {
	case moves:
		r.clients.move(c.a, c.value == 1)
		r.stale = true
	case cuts, loses:
		usual, link := 0.0, [3]int{int(c.what), c.a, c.b}
		if c.what == loses {
			usual = r.w.spec.Loss
		}
		if c.value != usual {
			r.broken[link] = true
		} else if r.broken[link] {
			delete(r.broken, link)
			r.until = c.at + r.w.spec.memory()
		}
	case slows:
		r.slow[i] = c.value
		if c.value == 1 {
			delete(r.slow, i)
		}
	case loads:
		r.loading[r.w.servers[r.w.servers[i].host].tier]++
	case loaded:
		r.loading[r.w.servers[r.w.servers[i].host].tier]--
		r.fresh[r.w.servers[i].tier] = c.at
	default:
		if !r.w.servers[i].removed {
			r.container(c)
		}
	}
}

// container applies a change that is about a single container.
func (r *rest) container(c change) {
	i := c.server
	up, seen := r.up[i], r.seen[i]
	flapped := r.flaps[i]
	switch c.what {
	case goesDown:
		up, r.flaps[i] = false, false
		delete(r.blinds, i)
	case comesUp:
		up = true
		r.fresh[r.w.servers[i].tier] = c.at
	case isSeen:
		seen = true
		r.fresh[r.w.servers[i].tier] = c.at
	case isUnseen:
		seen = false
	case drains:
		up, seen = up && r.w.servers[i].tier != Entry, false
	case retires:
		up, seen = false, false
	case isLost:
		seen, r.flaps[i] = seen && !up, false
	case isBack:
		seen, r.flaps[i] = seen || up, up && c.value == 1
	case blinds:
		r.died = r.died && len(r.blinds) > 0
		r.blinds[i] = true
	case sights:
		delete(r.blinds, i)
	}
	if r.up[i] && !up {
		r.died = true
	}
	if r.up[i] && !up || c.what == isUnseen {
		r.until = c.at + r.w.spec.memory()
	}
	if r.flaps[i] != flapped {
		r.flapping += map[bool]int{true: 1, false: -1}[r.flaps[i]]
		r.stale = true
	}
	if up != r.up[i] || seen != r.seen[i] {
		r.set(i, up, seen)
	}
}

// refresh computes how much work a request brings to a container of the fullest shard of each
// station.
func (r *rest) refresh() {
	if !r.stale {
		return
	}
	r.stale = false
	for k := range r.stations {
		r.need[k] = 0
		o := &r.stations[k]
		for shard, work := range o.work {
			n := r.of(o.tier, shard)
			if n == 0 {
				continue // requests to a shard that has no container fail at once, and do not wait
			}
			if r.flapping > 0 {
				n = math.Max(1, n/2)
			}
			r.need[k] = math.Max(r.need[k], work/n)
		}
		if all := r.all(o.tier); o.common > 0 && all > 0 {
			r.need[k] += o.common / all
		}
	}
	for t := range r.fewest {
		for shard := range r.serving[t] {
			if n := r.called(t, shard); shard == 0 || n < r.fewest[t] {
				r.fewest[t] = n
			}
		}
	}
}

// of returns the number of containers of a shard that are up and called. If these get different
// loads because of where they are, it returns how many containers, each as full as the fullest of
// them, would carry the same load.
func (r *rest) of(tier, shard int) float64 {
	if !r.w.spec.byPlace(tier) {
		return float64(r.serving[tier][shard])
	}
	return crowded(r.w.spec.spread(tier, r.at(shard), r.clients.shares))
}

// at returns a function for a shard. That function returns how many containers of a tier are up and
// called at each place (cluster of an idc). For PS it counts only those of the shard.
func (r *rest) at(shard int) func(tier int) []float64 {
	return func(tier int) []float64 {
		from := 0
		if tier == PS {
			from = shard * r.places
		}
		return r.placed[tier][from : from+r.places]
	}
}

// called returns the smallest number of containers of a shard that a caller may choose among.
func (r *rest) called(tier, shard int) int {
	if tier == Entry || !r.w.spec.byPlace(tier) {
		return r.serving[tier][shard]
	}
	return int(r.w.spec.fewest(tier, r.at(shard), r.clients.shares))
}

// serves reports whether a container is up and called.
func (r *rest) serves(i int32) bool {
	return r.up[i] && (r.seen[i] || r.w.servers[i].tier == Entry)
}

// all returns how many containers of a tier are up and called.
func (r *rest) all(tier int) float64 {
	sum := 0
	for _, n := range r.serving[tier] {
		sum += n
	}
	return float64(sum)
}

// slowed returns the factor by which work takes longer in a tier's slowest container.
func (r *rest) slowed(tier int) float64 {
	if r.w.spec.Mixed {
		tier = PS
	}
	factor := 1.0
	for i, one := range r.slow { //lint:order a maximum
		if int(r.w.servers[i].tier) == tier {
			factor = math.Max(factor, one)
		}
	}
	if t := &r.w.spec.Tiers[tier]; r.loading[tier] > 0 && t.Device != nil {
		factor *= 1 + float64(t.Device.PieceNs)/math.Max(t.Law.Min(), 1)
	} else if r.loading[tier] > 0 {
		factor *= math.Max(1, t.Interference)
		if t.Shared {
			factor *= t.Cores / math.Max(t.Cores-1, t.Cores/2)
		}
	}
	return factor
}

// load returns a station's utilization at a rate of requests per second, and the factor by which
// work takes longer than usual. The utilization includes the retries of calls whose work alone
// takes longer than the timeout.
func (r *rest) load(k int, rate float64) (rho, slowed float64) {
	o := &r.stations[k]
	slowed = r.slowed(o.tier)
	rho = rate * r.need[k] * slowed
	if o.attempts > 1 {
		rho *= 1 + (o.attempts-1)*r.above(o.tier, float64(r.w.spec.Timeout)/slowed)
	}
	return rho, slowed
}

// relaxes returns how many seconds it takes, at a rate of requests per second, until the fleet's
// queues no longer depend on how long they were at the start.
func (r *rest) relaxes(rate float64) float64 {
	r.refresh()
	s := r.w.spec
	longest := least.Seconds()
	for k := range r.stations {
		o := &r.stations[k]
		rho, slowed := r.load(k, rate)
		took := o.relaxes(rho) * slowed
		if s.Arrivals.Clients > 0 {
			took = forgotten * (s.Arrivals.Think.Mean/1e9 + float64(s.Arrivals.Clients)*r.need[k]*slowed)
		}
		longest = math.Max(longest, took)
	}
	longest += (hedgeWarmUp(s.Control.Plan) + s.heals(s.callsOfCaller(rate))) / 1e9
	if s.Loss > 0 || len(s.Control.Dead) > 0 {
		longest += float64(s.memory()) / 1e9
	}
	return longest
}

// forgets returns the result of relaxes in nanoseconds, never if the fleet does not forget.
func (r *rest) forgets(rate float64) int64 {
	if ns := r.relaxes(rate) * 1e9; ns < never {
		return int64(ns)
	}
	return never
}

// above returns the result of [Spec.above], which it computes only once for each pair of arguments.
func (r *rest) above(tier int, x float64) float64 {
	key := [2]float64{float64(tier), x}
	p, ok := r.tails[key]
	if !ok {
		p = r.w.spec.above(tier, x)
		r.tails[key] = p
	}
	return p
}

// above returns the probability that the work of a call at a tier takes longer than x nanoseconds.
func (s *Spec) above(tier int, x float64) float64 {
	most := 0.0
	for _, m := range s.Served() {
		l, x := m.Laws[tier], x
		if l.IsZero() || s.Tiers[tier].Batch != nil {
			continue
		}
		if !m.Noise[tier].IsZero() {
			x /= m.Noise[tier].Quantile(0.999, 1)
		}
		share := 1.0
		if tier == PS && len(m.Calls) > 0 {
			share = m.Calls[0].Share
		}
		if l.OfItems() {
			most = math.Max(most, m.Items.Above(l.ItemsAbove(x)/share, 0))
		} else {
			most = math.Max(most, l.Above(x, 0))
		}
	}
	return most
}

// tips returns how often per second a shard is expected to overload itself: the queues of so many
// of its containers are longer than the timeout at the same time that the retried calls fill the
// shard. A container's waiting times are taken as about exponential. If a container has few
// threads, long calls can fill it, too. Containers are taken as independent, unless all requests
// arrive in bursts.
func (r *rest) tips(k int, rho, slowed float64) float64 {
	o, s := &r.stations[k], r.w.spec
	timeout := float64(s.Timeout) / 1e9
	wait := math.Max(0, 0.8*timeout-o.mean*slowed)
	p := rho * math.Exp(-wait*(1-rho)/(o.each*slowed*o.spread))
	if o.mean/o.each*(1-rho) < 1 {
		p += r.above(o.tier, timeout/2*1e9/slowed)
	}
	p = math.Min(p, 1)
	containers := max(1, r.fewest[o.tier])
	ways, full := 1.0, 0
	for full < containers && rho*s.repeated(o, float64(full)/float64(containers)) < 1 {
		full++
		ways *= float64(containers-full+1) / float64(full) * p
		if s.Arrivals.Process == "mmpp" {
			ways = p
		}
	}
	return float64(len(o.work)) * ways / timeout
}

// repeated returns how many attempts a call has on average, if the given share of all attempts
// times out.
func (s *Spec) repeated(o *station, share float64) float64 {
	sum, one := 0.0, 1.0
	for range s.Retries + 1 {
		sum += one
		one *= share
	}
	if most := float64(1 + s.Retries); o.attempts > most { // hedges are attempts, too
		sum *= 1 + share*(o.attempts/most-1)
	}
	return sum
}

// passes advances the fluid model between two instants, at a rate of requests per second. It
// returns for how many nanoseconds the fleet is not at rest in that time, and why.
func (r *rest) passes(from, to int64, rate float64) (unrest int64, why string) {
	r.refresh()
	seconds := float64(to-from) / 1e9
	for k := range r.stations {
		o := &r.stations[k]
		name := plan.TierNames[o.tier]
		rho, slowed := r.load(k, rate)
		took := o.relaxes(rho) * slowed
		worst := rho * o.attempts
		settles := took <= r.w.spec.slowest(rate)
		if !settles && rho < 1 { // even if the station can do all its work, random variation gives it a queue
			r.backlog[k] = math.Max(r.backlog[k], forgotten*o.spread*o.each*slowed/(1-rho))
		}
		if settles && r.backlog[k] == 0 {
			if worst >= 1 && o.attempts > 1 {
				if r.risk += r.tips(k, rho, slowed) * seconds; r.risk > tipping {
					return to - from, "retries can keep " + name + " full for ever"
				}
			}
			continue
		}
		ns := to - from
		if drains := r.backlog[k] / (1 - worst); settles && worst < 1 && drains < seconds {
			ns = nanoseconds(drains)
		}
		r.backlog[k] = math.Max(0, r.backlog[k]+float64((worst-1)*seconds))
		if ns > unrest || why == "" {
			unrest, why = max(unrest, ns), name+" was full"
		}
	}
	if len(r.broken) > 0 || r.ghosts > 0 || len(r.blinds) > 0 && r.died {
		return to - from, "containers could not be reached"
	}
	if warm := r.warms(rate); min(warm, to)-from > unrest {
		unrest, why = min(warm, to)-from, "containers were cold"
	}
	if r.until > from && min(r.until, to)-from > unrest {
		unrest, why = min(r.until, to)-from, "calls of a dead container went on"
	}
	return unrest, why
}

// warms returns the instant from which no container is slow because it has just started or loaded a
// version, at a rate of requests per second. It allows each twice the mean time to get warm.
func (r *rest) warms(rate float64) int64 {
	last := int64(0)
	for t := range r.fresh {
		cold := r.w.spec.Tiers[t].Cold
		if r.w.spec.Tiers[t].Device.counts() {
			cold = max(cold, int32(min(2*r.w.spec.Tiers[t].Batch.MaxItems, 1e6)))
		}
		if cold == 0 || r.fresh[t] == 0 {
			continue
		}
		each := rate / float64(max(1, slices.Max(r.serving[t])))
		last = max(last, r.fresh[t]+nanoseconds(2*float64(cold)/math.Max(each, 1e-9)))
	}
	return last
}

// stretches divides the horizon up to an instant into stretches, in each of which the fleet's
// queues take the same time to forget their start.
func (w *world) stretches(until int64) []stretch {
	r := w.rest()
	steps := ratesFrom(&w.spec.Arrivals, 0)
	var list []stretch
	put := func(from, relax int64, why string) {
		if n := len(list); n == 0 || list[n-1].relax != relax {
			list = append(list, stretch{from, relax, why})
		}
	}
	at, step, next := int64(0), 0, 0
	for at < until {
		for ; next < len(w.tape) && w.tape[next].at <= at; next++ {
			r.apply(w.tape[next])
		}
		for step+1 < len(steps) && steps[step+1].at <= at {
			step++
		}
		to, rate := until, 0.0
		if next < len(w.tape) {
			to = min(to, w.tape[next].at)
		}
		if len(steps) > 0 {
			rate = steps[step].rate * 1e9
			if step+1 < len(steps) {
				to = min(to, steps[step+1].at)
			}
		}
		unrest, why := r.passes(at, to, rate)
		if unrest > 0 {
			put(at, never, why)
		}
		if unrest < to-at {
			put(at+unrest, r.forgets(rate), "")
		}
		at = to
	}
	return list
}
