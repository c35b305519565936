package model

import (
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/places"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// Life records what happened to the containers in one replication.
type Life struct {
	// Rollouts holds, for each publish of a version, in order of time, when each replica served the
	// version.
	Rollouts []Rollout `json:"rollouts,omitempty"`
	// Detected holds, for each container that died, for how many nanoseconds callers still saw it.
	Detected []int64 `json:"detected,omitempty"`
	// Fates holds, for each event of the plan, what it did to containers.
	Fates []Fate `json:"fates,omitempty"`
	// MemPeak is the largest memory of a container of each tier, in bytes.
	MemPeak [tiers]int64 `json:"mem_peak"`
	OOM     int64        `json:"oom"` // number of containers that were killed because their memory was full
	// Live holds the number of live containers of each tier over the horizon. It is nil for a
	// tier where that number never changes.
	Live [tiers][]Step `json:"live"`
	// Until is the instant up to which the fields of Life are complete. It is the end of the
	// horizon. With autoscalers that measure, it is the end of the simulation.
	Until int64 `json:"until"`
	// Scalings lists the decisions of autoscalers that measure. Holds lists the times in which
	// they did nothing although the load they saw was above the target.
	Scalings []Scaling `json:"scalings,omitempty"`
	Holds    []Hold    `json:"holds,omitempty"`
	// Fullest says, for each tier, how full a container gets at most, and when.
	Fullest [tiers]Fullness `json:"fullest"`
}

// Scaling is a decision of an autoscaler that measures, to change a shard from From to To containers
// at the instant At.
type Scaling struct {
	Tier    int    `json:"tier"`
	Shard   int    `json:"shard"`
	At      int64  `json:"at"`
	From    int    `json:"from"`
	To      int    `json:"to"`
	Why     string `json:"why"`     // reason that the autoscaler gives
	Percent int    `json:"percent"` // CPU utilization that the autoscaler saw, in percent; -1 if CPU is not among its metrics
}

// Hold is a time in which an autoscaler saw too much load but added nothing.
type Hold struct {
	Tier    int    `json:"tier"`
	Shard   int    `json:"shard"`
	From    int64  `json:"from"`    // instant at which the autoscaler first looked in this state
	To      int64  `json:"to"`      // instant at which it last looked in this state
	Why     string `json:"why"`     // reason why it added no container
	Percent int    `json:"percent"` // CPU utilization that it saw at From, in percent
	Report  int    `json:"report"`  // number of containers that reported metrics at From, out of Of
	Of      int    `json:"of"`
}

// Fullness says when a container is fullest, and how full it then is. It follows from the offered
// load with one attempt per call, from the number of the shard's containers that are up, and from the
// factor by which the container is slow.
type Fullness struct {
	At    int64 `json:"at"`    // instant of the horizon
	Parts int64 `json:"parts"` // how full the container is, in millionths of its capacity
}

// Fate sums up what an event did to containers, over all replications.
type Fate struct {
	Killed   int64 `json:"killed,omitempty"` // number of containers that the event ended
	UnseenNs int64 `json:"unseen,omitempty"` // total time for which callers still saw killed containers
	// Lost counts ZooKeeper sessions that expired although their containers were alive. Unlisted
	// counts containers that ZooKeeper does not list until their model is published again. Losing
	// counts the replications in which sessions were lost. BackNs sums up, over these replications,
	// the time from the event until the last container was listed again. LastNs is the longest of
	// these times.
	Lost     int64 `json:"lost,omitempty"`
	Unlisted int64 `json:"unlisted,omitempty"`
	Losing   int64 `json:"losing,omitempty"`
	BackNs   int64 `json:"back,omitempty"`
	LastNs   int64 `json:"last,omitempty"`
}

func (f *Fate) add(o *Fate) {
	f.Killed += o.Killed
	f.UnseenNs += o.UnseenNs
	f.Lost += o.Lost
	f.Unlisted += o.Unlisted
	f.Losing += o.Losing
	f.BackNs += o.BackNs
	f.LastNs = max(f.LastNs, o.LastNs)
}

// Rollout records how a version spread over the containers.
type Rollout struct {
	Event int `json:"event"` // index of the publish among the plan's events
	// Took is how many nanoseconds passed until the last replica served the version. It is -1 if some
	// replica never served it. A container that ends and does not start again does not count.
	Took int64 `json:"took"`
	// Least is the smallest number of replicas that served in any shard during the roll-out. If Took
	// is -1, the roll-out counts as lasting until the end of the run.
	Least int64 `json:"least"`
	// Served holds, by tier and shard, how many nanoseconds after the publish each replica served the
	// version. Of holds how many replicas were to serve it.
	Served [tiers][][]int64 `json:"served"`
	Of     [tiers][]int     `json:"of"`
	// Serving holds, by tier, the smallest number of replicas of any shard that callers saw during
	// the roll-out.
	Serving [tiers]int64 `json:"serving"`

	at   int64  // instant of the publish
	dues []*due // containers that are to serve the version
}

// due is a container that is to serve a version.
type due struct {
	server int32
	// served is the instant at which ZooKeeper lists the version, if the container found it while it
	// ran. It is 0 if the container loads the version when it starts.
	served int64
	// starts says that the container was down when the version was published, and never that it cannot
	// load the version.
	starts, never bool
}

// wants records that a container is to serve the version.
func (r *Rollout) wants(server int32, up bool) *due {
	d := &due{server: server, starts: !up}
	r.dues = append(r.dues, d)
	return d
}

// Within reports whether any replica began to serve the version between two times after its
// publish.
func (r *Rollout) Within(from, to int64) bool {
	for _, shards := range r.Served {
		for _, times := range shards {
			if slices.ContainsFunc(times, func(ns int64) bool { return ns > from && ns < to }) {
				return true
			}
		}
	}
	return false
}

// Step is a value that holds from the instant At until the next step.
type Step struct {
	At int64 `json:"at"`
	N  int   `json:"n"`
}

// StepAt returns the value of the steps at an instant. It is 0 before the first step.
func StepAt(steps []Step, at int64) int {
	n := 0
	for _, s := range steps {
		if s.At > at {
			break
		}
		n = s.N
	}
	return n
}

// spread computes when the containers served the version of a roll-out. A container that ends before
// it serves the version, or that starts later, serves the version once it is listed after its next
// start. turns holds, for each container, the changes by which it ends or is listed after a start.
func (h *history) spread(r *Rollout, turns map[int32][]change) {
	for _, d := range r.dues {
		s := &h.w.servers[d.server]
		when, gone, starts := d.served, false, d.starts
		for _, c := range turns[d.server] {
			switch {
			case c.at < r.at || c.at == r.at && c.what == isSeen:
			case c.what != isSeen && (when == 0 || c.at <= when):
				when, gone, starts = 0, true, true
			case c.what == isSeen && starts:
				when, gone, starts = max(when, c.at), false, false
			}
		}
		switch {
		case gone:
			continue
		case d.never || when == 0:
			r.Took = -1
		default:
			r.served(s, when-r.at)
		}
		r.of(s)
	}
}

// of adds a replica to those that are to serve the version.
func (r *Rollout) of(s *server) {
	for len(r.Of[s.tier]) <= int(s.shard) {
		r.Of[s.tier] = append(r.Of[s.tier], 0)
	}
	r.Of[s.tier][s.shard]++
}

// served records that a replica began to serve the version, since nanoseconds after its publish.
func (r *Rollout) served(s *server, since int64) {
	shards := r.Served[s.tier]
	for len(shards) <= int(s.shard) {
		shards = append(shards, nil)
	}
	shards[s.shard] = append(shards[s.shard], since)
	r.Served[s.tier] = shards
	if r.Took >= 0 {
		r.Took = max(r.Took, since)
	}
}

// sum computes the results for the report, once all changes of containers are known.
func (h *history) sum() {
	turns := map[int32][]change{}
	for _, c := range h.list {
		if len(h.life.Rollouts) > 0 && (c.what == goesDown || c.what == retires || c.what == isSeen) {
			turns[c.server] = append(turns[c.server], c)
		}
	}
	for k := range h.life.Rollouts {
		r := &h.life.Rollouts[k]
		h.spread(r, turns)
		to := r.at + r.Took
		if r.Took < 0 {
			to = h.life.Until
		}
		r.Least = math.MaxInt64
		for t, n := range h.leastSeen(r.at, to) {
			r.Serving[t] = n
			if h.w.spec.Has(t) {
				r.Least = min(r.Least, n)
			}
		}
		for t := range r.Served {
			for _, times := range r.Served[t] {
				slices.Sort(times)
			}
		}
	}
	for t := range plan.TierNames {
		h.life.Live[t] = h.live(t)
		h.life.Fullest[t] = h.fullest(t)
	}
}

// fullest returns how full a container of a tier gets at most over the horizon, and when. Shards
// without a running container do not count.
func (h *history) fullest(tier int) (most Fullness) {
	works := h.w.spec.Works[tier]
	if works == nil {
		return most
	}
	fleet := h.crowds(tier)
	rates, list := ratesFrom(&h.w.spec.Arrivals, 0), h.list
	for rate, now := 0.0, int64(0); len(rates)+len(list) > 0; {
		if len(list) == 0 || len(rates) > 0 && rates[0].at <= list[0].at {
			now, rate = rates[0].at, rates[0].rate*1e9
			rates = rates[1:]
		} else {
			now = list[0].at
		}
		if now >= h.life.Until {
			break
		}
		for ; len(list) > 0 && list[0].at <= now; list = list[1:] {
			fleet.change(&list[0])
		}
		common := h.w.spec.Common / max(float64(fleet.up), 1)
		for shard, work := range works {
			part := fleet.most(shard)
			if part == 0 {
				continue
			}
			if parts := int64(rate * (work*part + common) * 1e6); parts > most.Parts {
				most = Fullness{now, parts}
			}
		}
	}
	return most
}

// crowds holds which containers are up and how slow they are at an instant. It serves to compute
// how full the fullest container of a tier is.
type crowds struct {
	w       *world
	tier    int
	shards  [tiers][]crowd // by shard and place, for the tier itself and for the tiers that call it
	up      int            // number of running containers of the tier
	places  int
	clients clients
	parts   []float64 // for each shard, the result of the method most; negative if it has to be computed anew
}

// crowd is the set of running containers that a shard has at a place (a cluster of an idc).
type crowd struct {
	slow map[int32]float64 // for each slow container, the factor by which its work takes longer
	up   []int32           // indexes of the containers, in ascending order
}

// crowds returns which containers are up at the start of the horizon.
func (h *history) crowds(tier int) *crowds {
	s := h.w.spec
	c := &crowds{w: h.w, tier: tier, places: 1, clients: clients{w: h.w, moved: slices.Clone(h.moved)}, parts: make([]float64, len(s.Works[tier]))}
	if s.Clients != nil {
		c.clients.shares = h.p.ClientsWithout(h.moved)
	}
	of := []int{tier}
	if s.byPlace(tier) {
		c.places, _ = s.layout()
		of = []int{Entry, PS, Dense}
	}
	for _, t := range of {
		c.shards[t] = make([]crowd, len(s.Tiers[t].Replicas)*c.places)
	}
	for i, is := range h.begun {
		if at := c.at(int32(i)); is && at != nil {
			at.up = append(at.up, int32(i))
			if int(h.w.servers[i].tier) == tier {
				c.up++
			}
		}
	}
	c.stale(-1)
	return c
}

// at returns the crowd that a container is counted in. It returns nil if the container has no
// influence on how full the tier is.
func (c *crowds) at(i int32) *crowd {
	s := &c.w.servers[i]
	if s.removed || c.shards[s.tier] == nil {
		return nil
	}
	place := 0
	if c.places > 1 {
		_, clusters := c.w.spec.layout()
		place = s.loc.IDC*clusters + s.loc.Cluster
	}
	return &c.shards[s.tier][int(s.shard)*c.places+place]
}

// stale marks the result kept for a shard as out of date. If shard is -1, it marks those of all
// shards.
func (c *crowds) stale(shard int) {
	for k := range c.parts {
		if shard < 0 || k == shard {
			c.parts[k] = -1
		}
	}
}

func (c *crowds) change(one *change) {
	if one.what == moves {
		c.clients.move(one.a, one.value == 1)
		c.stale(-1)
		return
	}
	s := &c.w.servers[one.server]
	at := c.at(one.server)
	if at == nil {
		return
	}
	before := len(at.up)
	if !at.change(one) {
		return
	}
	if int(s.tier) == c.tier {
		c.up += len(at.up) - before
		c.stale(int(s.shard))
		return
	}
	c.stale(-1)
}

// change applies a change to the crowd. It returns false if changes of this kind do not concern a
// crowd.
func (c *crowd) change(one *change) bool {
	at, up := slices.BinarySearch(c.up, one.server)
	switch one.what {
	case goesDown, retires, drains:
		if up {
			c.up = slices.Delete(c.up, at, at+1)
		}
	case comesUp:
		if !up {
			c.up = slices.Insert(c.up, at, one.server)
		}
	case slows:
		if c.slow == nil {
			c.slow = map[int32]float64{}
		}
		if c.slow[one.server] = one.value; one.value == 1 {
			delete(c.slow, one.server)
		}
	default:
		return false
	}
	return true
}

// capacity returns how much load the containers of a crowd take together, in units of a container
// that is not slow. If callers balance by load (sees), a slow container takes less load, and slower
// is 1. If they do not, all containers take the same load, and slower is the factor by which the
// slowest one is slower.
func (c *crowd) capacity(sees bool) (takes, slower float64) {
	if len(c.slow) == 0 {
		return float64(len(c.up)), 1
	}
	for _, at := range c.up {
		by := 1.0
		if f, ok := c.slow[at]; ok {
			by = f
		}
		if sees {
			takes, slower = takes+1/by, 1
		} else {
			takes, slower = takes+1, max(slower, by)
		}
	}
	return takes, slower
}

// most returns which share of a shard's work its fullest container gets, multiplied by the factor
// by which that container is slower than others. It is 0 if no caller reaches a container of the
// shard.
func (c *crowds) most(shard int) float64 {
	if c.parts[shard] >= 0 {
		return c.parts[shard]
	}
	spec := c.w.spec
	sees := func(tier int) bool { return tier != Entry && (spec.Balance == "least_loaded" || spec.Balance == "p2c") }
	slower := make([]float64, c.places)
	at := func(tier int) []float64 {
		all := make([]float64, c.places)
		for k := range all {
			number := k
			if tier == PS {
				number += shard * c.places
			}
			takes, by := c.shards[tier][number].capacity(sees(tier))
			if all[k] = takes; tier == c.tier {
				slower[k] = by
			}
		}
		return all
	}
	var loads []float64
	if spec.byPlace(c.tier) {
		loads = spec.spread(c.tier, at, c.clients.shares)
	} else {
		loads = places.Anywhere.Spread([]float64{1}, at(c.tier), 1)
	}
	most := 0.0
	for k, load := range loads {
		most = max(most, load*slower[k])
	}
	c.parts[shard] = most
	return most
}

// leastSeen returns, for each tier, the smallest number of replicas of any shard that callers saw
// at a time between two instants.
func (h *history) leastSeen(from, to int64) (least [tiers]int64) {
	counts := map[[2]int]int64{}
	seen := make([]bool, len(h.w.servers))
	set := func(i int32, is bool) {
		if seen[i] == is {
			return
		}
		seen[i] = is
		key := [2]int{int(h.w.servers[i].tier), int(h.w.servers[i].shard)}
		if is {
			counts[key]++
		} else {
			counts[key]--
		}
	}
	for i := range h.w.servers {
		counts[[2]int{int(h.w.servers[i].tier), int(h.w.servers[i].shard)}] += 0
		set(int32(i), h.begun[i])
	}
	for t := range least {
		least[t] = math.MaxInt64
	}
	look := func() {
		for key, n := range counts { //lint:order minima
			least[key[0]] = min(least[key[0]], n)
		}
	}
	begun := false
	for _, c := range h.list {
		if c.at > to {
			break
		}
		if c.at > from && !begun {
			begun = true
			look()
		}
		switch c.what {
		case goesDown, isUnseen, retires, isLost, drains:
			set(c.server, false)
		case isSeen, isBack: // a container that flaps still serves
			set(c.server, true)
		default:
			continue
		}
		if begun {
			look()
		}
	}
	if !begun {
		look()
	}
	return least
}

// live returns the number of running containers of a tier, over the horizon. It returns nil
// if that number never changes.
func (h *history) live(tier int) []Step {
	up := map[int32]bool{}
	for i := range h.w.servers {
		if s := &h.w.servers[i]; int(s.tier) == tier && h.begun[i] {
			up[int32(i)] = true
		}
	}
	steps := []Step{{0, len(up)}}
	for _, c := range h.list {
		if !c.ofContainer() || int(h.w.servers[c.server].tier) != tier {
			continue
		}
		switch c.what {
		case goesDown, retires:
			delete(up, c.server)
		case comesUp:
			up[c.server] = true
		}
		switch last := &steps[len(steps)-1]; {
		case last.N == len(up):
		case last.At == c.at:
			last.N = len(up)
		default:
			steps = append(steps, Step{c.at, len(up)})
		}
	}
	if len(steps) == 1 {
		return nil
	}
	return steps
}
