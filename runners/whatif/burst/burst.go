// Package burst computes what a server is asked at once by loops that many agents repeat. Such
// loops sleep for the same time without jitter, so they keep the phases with which the agents
// started: a mean says little of them.
//
// Two things to use first:
//
//   - [Of] returns the [Peak] of some [Load]s.
//   - [Starts] says how far apart agents start.
//
// To change:
//
//   - how phases follow from starts: starts.go
//   - what is read off the load over time: profile.go
//
// Unstable: any commit may change it.
package burst

import (
	"math"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/runners/whatif/law"
)

// Load is a loop that agents repeat, with the requests it sends to a server. Times are in
// nanoseconds.
type Load struct {
	Period float64 // time that an agent sleeps between two rounds
	Each   float64 // number of requests that an agent sends in a round, one after the other
	Cost   float64 // seconds that the server works on one request
	Agents []Agents
	// Finds says that each agent also makes the requests of a round once before its first sleep.
	// These first requests read only what agents that started earlier have registered.
	Finds bool
}

// Agents is a group of agents with the same round trip time to the server.
type Agents struct {
	N   int
	Gap float64 // nanoseconds from one request of an agent to its next
}

// Peak describes the busiest time of a server.
type Peak struct {
	// Second is the number of requests in the busiest second. Busy is how many seconds the
	// server needs for them.
	Second, Busy float64
	// Drain is the longest time, in nanoseconds, that the server works without a pause. All
	// requests of a second are assumed to arrive at its start. Drain is limited to one period,
	// because a server that needs longer never catches up.
	Drain float64
}

// Starts is the distribution of the agents' starting times. An agent starts after the sum of one
// draw from each law, in nanoseconds. Without laws all agents start together.
type Starts []law.Law

// Of returns the peak of the sum of all loads. The agents' starting times are drawn with the
// seed.
func Of(loads []Load, starts Starts, seed uint64) Peak {
	longest := 0.0
	for _, l := range loads {
		for _, a := range l.Agents {
			longest = math.Max(longest, l.Period+float64(l.Each*a.Gap))
		}
	}
	if longest <= 0 {
		return Peak{}
	}
	p := newProfile(longest)
	for k, l := range loads {
		for j, a := range l.Agents {
			if a.N > 0 && l.Each > 0 {
				p.add(&l, a, starts.phases(a.N, tasks.Mix(seed, uint64(k)<<32|uint64(j)), l.reading(a)))
			}
		}
	}
	return p.peak()
}

// reading returns how long an agent reads before its first sleep if all other agents have
// registered, in nanoseconds.
func (l *Load) reading(a Agents) float64 {
	if !l.Finds {
		return 0
	}
	return l.Each * a.Gap
}

// Mean returns the mean number of requests per second of a load.
func (l *Load) Mean() float64 {
	sum := 0.0
	for _, a := range l.Agents {
		sum += float64(a.N) * l.Each / (l.Period / 1e9)
	}
	return sum
}
