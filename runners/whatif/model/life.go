package model

import (
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Life is what the containers went through, of one replication.
type Life struct {
	// Available is for each publish when the last replica served it, after the publish,
	// -1 for never; Serving the least number of replicas of a shard meanwhile.
	Available []int64 `json:"available,omitempty"`
	Serving   []int64 `json:"serving,omitempty"`
	// Rollouts are for each publish when each replica served it.
	Rollouts []Rollout `json:"rollouts,omitempty"`
	// Detected is for each container that died how long balancers saw it.
	Detected []int64 `json:"detected,omitempty"`
	// Fates are what became of containers by each event of the plan.
	Fates []Fate `json:"fates,omitempty"`
	// MemPeak is the fullest container of each tier, in bytes.
	MemPeak [tiers]int64 `json:"mem_peak"`
	OOM     int64        `json:"oom"`
	// Live are the containers of each tier over the horizon, none where they are always
	// the same.
	Live [tiers][]Step `json:"live"`
}

// Fate is what an event did to containers, in so many replications.
type Fate struct {
	Killed   int64 `json:"killed,omitempty"`
	UnseenNs int64 `json:"unseen,omitempty"` // until balancers knew, the sum over those killed
	// Lost are sessions that expired under containers that lived, and Unlisted those of them
	// that nobody lists until their model is published anew. BackNs is the time from the event
	// until the last of the others was listed again, summed over the replications in which there
	// are some, which are Losing, and LastNs the longest.
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

// Rollout is how a version came to be served.
type Rollout struct {
	// Served are by tier and shard when each replica served it, since the publish.
	Served [tiers][][]int64 `json:"served"`
	// Serving is by tier the least number of replicas of a shard that are seen until then.
	Serving [tiers]int64 `json:"serving"`

	at, last int64
}

// Step is a number from an instant on.
type Step struct {
	At int64 `json:"at"`
	N  int   `json:"n"`
}

// StepAt is the number at an instant.
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

// served notes that a replica serves a version.
func (r *Rollout) served(s *server, since int64) {
	shards := r.Served[s.tier]
	for len(shards) <= int(s.shard) {
		shards = append(shards, nil)
	}
	shards[s.shard] = append(shards[s.shard], since)
	r.Served[s.tier] = shards
}

// sum says, once all is played, what of the containers' lives is reported.
func (h *history) sum() {
	for k := range h.life.Rollouts {
		r := &h.life.Rollouts[k]
		to := r.at + r.last
		if r.last < 0 {
			to = int64(h.p.Workload.Horizon)
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
	}
}

// leastSeen is by tier the least number of replicas of a shard that are seen from one
// instant to another.
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
		set(int32(i), h.w.servers[i].up)
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
		case goesDown, isUnseen, retires, isLost:
			set(c.server, false)
		case isSeen, isBack: // what flaps serves
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

// live is how many containers of a tier are up, from when on; nil when nothing changes.
func (h *history) live(tier int) []Step {
	up := map[int32]bool{}
	for i := range h.w.servers {
		if s := &h.w.servers[i]; int(s.tier) == tier && s.up {
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
