package burst

import (
	"math"
	"math/rand/v2"
	"sort"
)

// phase describes a group of agents by when they begin their first sleep. Times are in nanoseconds;
// 0 is the earliest time at which an agent could start.
type phase struct {
	at   float64
	n    float64 // number of agents in the group
	wide float64 // length of the span in which these agents' first sleeps begin; its middle is at
}

const (
	// most is the largest number of groups. Up to this number of agents, each agent forms a group
	// of its own. If there are more agents, there are exactly this many groups. They start at
	// quantiles of the laws, and each has a random number of agents.
	most = 2048
	// steps is the number of steps in which found computes how long an agent reads before its first
	// sleep.
	steps = 16
)

// phases draws when n agents begin their first sleep. Before that sleep an agent reads what earlier
// agents have registered. The parameter reading is how long this takes once all agents have
// registered, in nanoseconds.
func (s Starts) phases(n int, seed uint64, reading float64) []phase {
	if len(s) == 0 {
		return []phase{{at: reading, n: float64(n)}}
	}
	rng := rand.New(rand.NewPCG(seed, 0x62757273745f6174))
	groups := min(n, most)
	drawn := make([]float64, groups)
	for k := range s {
		order := rng.Perm(groups) // shuffled, so that the quantiles are independent of those of the other laws
		for i := range drawn {
			if n > most {
				drawn[i] += s[k].Quantile((float64(order[i])+0.5)/most, 0)
			} else {
				drawn[i] += s[k].Sample(rng, 0)
			}
		}
	}
	sort.Float64s(drawn)
	list, sum := make([]phase, groups), 0.0
	for i := range list {
		list[i] = phase{at: drawn[i], n: 1}
		if n > most {
			list[i].wide = math.Min(0.5e9, (drawn[min(i+1, groups-1)]-drawn[max(i-1, 0)])/2)
			mean := float64(n) / float64(groups)
			list[i].n = math.Max(0, mean+float64(math.Sqrt(mean)*rng.NormFloat64()))
		}
		sum += list[i].n
	}
	for i := range list {
		list[i].n *= float64(n) / sum
		list[i].at += found(drawn, list[i].at, reading)
	}
	return list
}

// found returns how long an agent spends reading what other agents have registered. The parameter
// at is the instant at which the agent starts. The parameter starts holds the sorted starting times
// of all agents.
func found(starts []float64, at, reading float64) float64 {
	took := 0.0
	if reading == 0 {
		return 0
	}
	for range steps {
		there := sort.Search(len(starts), func(i int) bool { return starts[i] > at+took })
		took += reading / steps * float64(there) / float64(len(starts))
	}
	return took
}
