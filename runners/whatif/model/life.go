package model

import (
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Life records what happened to the containers in one replication.
type Life struct {
	// Available holds, for each publish, the nanoseconds until the last replica served the version,
	// or -1 if one never did. Serving holds, for each publish, the smallest number of serving
	// replicas that a shard had in that time. If Available is -1, that is the time until the end of
	// the run.
	Available []int64 `json:"available,omitempty"`
	Serving   []int64 `json:"serving,omitempty"`
	// Rollouts holds, for each publish, when each replica served the version.
	Rollouts []Rollout `json:"rollouts,omitempty"`
	// Detected holds, for each container that died, how long callers still saw it, in nanoseconds.
	Detected []int64 `json:"detected,omitempty"`
	// Fates holds, for each event of the plan, what it did to containers.
	Fates []Fate `json:"fates,omitempty"`
	// MemPeak is the memory of the fullest container of each tier, in bytes.
	MemPeak [tiers]int64 `json:"mem_peak"`
	OOM     int64        `json:"oom"`
	// Live holds the number of live containers of each tier over the horizon. It is nil for a
	// tier where that number never changes.
	Live [tiers][]Step `json:"live"`
	// Until is the instant up to which the fields of Life are known. It is the end of the horizon
	// or, with autoscalers that measure, the end of the simulation.
	Until int64 `json:"until"`
	// Scalings lists the decisions of autoscalers that measure. Holds lists the times in which
	// they did nothing although the load they saw was above the target.
	Scalings []Scaling `json:"scalings,omitempty"`
	Holds    []Hold    `json:"holds,omitempty"`
	// Fullest says, for each tier, when its fullest container is fullest.
	Fullest [tiers]Fullness `json:"fullest"`
}

// Scaling is a decision of an autoscaler that measures.
type Scaling struct {
	Tier    int    `json:"tier"`
	Shard   int    `json:"shard"`
	At      int64  `json:"at"`
	From    int    `json:"from"`
	To      int    `json:"to"`
	Why     string `json:"why"`
	Percent int    `json:"percent"` // CPU utilization that it saw, -1 if it does not measure CPU
}

// Hold is a time in which an autoscaler saw too much load but added nothing.
type Hold struct {
	Tier    int    `json:"tier"`
	Shard   int    `json:"shard"`
	From    int64  `json:"from"`
	To      int64  `json:"to"` // the last look
	Why     string `json:"why"`
	Percent int    `json:"percent"` // CPU utilization that it saw at From
	Report  int    `json:"report"`  // containers that reported at From, out of Of containers
	Of      int    `json:"of"`
}

// Fullness says how full a container is, from the offered load with one attempt per call. It
// takes into account which containers of its shard are up, and how slow the container is.
type Fullness struct {
	At    int64 `json:"at"`
	Parts int64 `json:"parts"` // is how full it is, in millionths of what it can do
}

// Fate sums what an event did to containers, over all replications.
type Fate struct {
	Killed   int64 `json:"killed,omitempty"`
	UnseenNs int64 `json:"unseen,omitempty"` // until callers no longer saw them, summed over the killed containers
	// Lost counts sessions that expired while their containers lived. Unlisted counts containers
	// that nobody lists until their model is published again. Losing counts the replications in
	// which sessions were lost. BackNs sums, over these replications, the time from the event
	// until the last container was listed again. LastNs is the longest such time.
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
	// Served holds, by tier and shard, how long after the publish each replica served the
	// version, in nanoseconds.
	Served [tiers][][]int64 `json:"served"`
	// Serving holds, by tier, the smallest number of replicas of a shard that callers saw during
	// the roll-out.
	Serving [tiers]int64 `json:"serving"`

	at, last int64
}

// Step is a value that holds from an instant until the next step.
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

// served records that a replica serves the version since nanoseconds after the publish.
func (r *Rollout) served(s *server, since int64) {
	shards := r.Served[s.tier]
	for len(shards) <= int(s.shard) {
		shards = append(shards, nil)
	}
	shards[s.shard] = append(shards[s.shard], since)
	r.Served[s.tier] = shards
}

// sum computes the reported results from the containers' lives, once these are complete.
func (h *history) sum() {
	for k := range h.life.Rollouts {
		r := &h.life.Rollouts[k]
		to := r.at + r.last
		if r.last < 0 {
			to = h.life.Until
		}
		least := int64(math.MaxInt64)
		for t, n := range h.leastSeen(r.at, to) {
			r.Serving[t] = n
			if h.w.spec.Has(t) {
				least = min(least, n)
			}
		}
		h.life.Serving = append(h.life.Serving, least)
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

// fullest returns how full the fullest container of a tier gets over the horizon, and when.
// A shard without containers does not count.
func (h *history) fullest(tier int) (most Fullness) {
	works := h.w.spec.Works[tier]
	if works == nil {
		return most
	}
	shards, places := h.crowds(tier)
	clients := clients{w: h.w, moved: slices.Clone(h.moved)}
	if h.w.spec.Clients != nil {
		clients.shares = h.p.ClientsWithout(h.moved)
	}
	rates, list := ratesFrom(&h.w.spec.Arrivals, 0), h.list
	for rate, now := 0.0, int64(0); len(rates)+len(list) > 0; {
		if len(list) == 0 || len(rates) > 0 && rates[0].at <= list[0].at {
			now, rate = rates[0].at, rates[0].rate*1e9
			rates = rates[1:]
		} else {
			now = list[0].at
		}
		for ; len(list) > 0 && list[0].at <= now; list = list[1:] {
			if list[0].what == moves {
				clients.move(list[0].a, list[0].value == 1)
			} else if s := &h.w.servers[list[0].server]; int(s.tier) == tier && !s.removed {
				shards[int(s.shard)*places+s.loc.IDC%places].change(&list[0])
			}
		}
		all, common := 0, 0.0
		for shard := range shards {
			all += len(shards[shard].up)
		}
		if h.w.spec.Mixed && all > 0 {
			common = h.w.spec.Common / float64(all)
		}
		for k := range shards {
			share := 1.0
			if places > 1 {
				share = clients.shares[k%places]
			}
			if parts := int64((rate*works[k/places]*share*shards[k].most(h.w.spec.Balance) + float64(rate*common)) * 1e6); parts > most.Parts {
				most = Fullness{now, parts}
			}
		}
	}
	return most
}

// crowd is the set of running containers of a shard, for computing how full the fullest is.
type crowd struct {
	slow  map[int32]float64 // factor of each container's work
	up    []int32           // in order
	part  float64           // caches the last result of most; valid while known is set
	known bool
}

// crowds returns the running containers of each shard of a tier, as they are before any change. If
// each idc has its own load, the shards of each idc are listed separately, and places is the number
// of idcs.
func (h *history) crowds(tier int) (shards []crowd, places int) {
	places = 1
	if h.w.spec.byIDC(tier) {
		places = len(h.w.spec.Clients)
	}
	shards = make([]crowd, len(h.w.spec.Tiers[tier].Replicas)*places)
	for i := h.w.first[tier]; i < len(h.w.servers) && int(h.w.servers[i].tier) == tier; i++ {
		if s := &h.w.servers[i]; h.begun[i] {
			at := int(s.shard)*places + s.loc.IDC%places
			shards[at].up = append(shards[at].up, int32(i))
		}
	}
	return shards, places
}

func (c *crowd) change(one *change) {
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
		c.slow[one.server] = one.value
	default:
		return
	}
	c.known = false
}

// most returns the share of the shard's work that the fullest container gets, multiplied by
// how slow that container is. If callers balance by load, slow containers get less work.
func (c *crowd) most(balance string) float64 {
	if c.known {
		return c.part
	}
	speed, slowest := 0.0, 0.0
	for _, at := range c.up {
		by := 1.0
		if f, ok := c.slow[at]; ok {
			by = f
		}
		speed += 1 / by
		slowest = max(slowest, by)
	}
	c.known = true
	switch {
	case len(c.up) == 0:
		c.part = 0
	case balance == "least_loaded" || balance == "p2c":
		c.part = 1 / speed
	default:
		c.part = slowest / float64(len(c.up))
	}
	return c.part
}

// leastSeen returns, by tier, the smallest number of replicas of a shard that callers see
// between two instants.
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
		if c.what == cuts || c.what == joins || c.what == loses || int(h.w.servers[c.server].tier) != tier {
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
