// Package model is the data plane of a fleet in virtual time: requests arrive, spend CPU
// at an entry container, fan out to all shards, wait for the last answer, go on to a
// dense server, and end. It is callbacks on engine/vtime and allocates nothing for a
// request.
//
// Two things to use first:
//
//   - [Compile] makes a [Spec] of a plan; closed forms make theirs by hand.
//   - [Spec.Run] simulates one window of one replication and gives a [Sample].
//
// To change:
//
//   - what there is to simulate: spec.go and compile.go
//   - the way of a request: request.go
//   - calls, timeouts and retries: call.go
//   - how containers work: server.go, sharing.go (cores that threads share) and batch.go
//   - how requests come: arrivals.go
//   - what happens to containers: control.go
//   - what is counted: tally.go, sample.go and hist.go
//   - what is taken down of single requests: trace.go
package model

import (
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// Tier numbers, in the order of a request's way.
const (
	Entry = iota
	PS
	Dense
	tiers
)

// Spec is a fleet and what is asked of it, ready to be simulated. Times are in
// nanoseconds.
type Spec struct {
	Seed  uint64
	Tiers [tiers]Tier
	// Calls are what a request sends to the PS: for each its shard and its share of the
	// request's items.
	Calls []Call
	Items law.Law
	// Mix are the models that requests are for, with their shares; nil for one model, of
	// Calls, Items, MinShards and the laws of Tiers.
	Mix []Served

	Timeout   int64 // of a call; 0 for none
	Retries   int
	Distinct  bool // a retry goes to a replica that was not tried
	Same      bool // a retry goes to the same replica
	Cancel    bool // a call that timed out leaves its server
	MinShards int  // calls that make an answer; 0 for all
	Balance   string
	IDCAware  bool
	// FromDense says that dense servers call the PS.
	FromDense bool
	HedgeNs   int64
	// HedgeQuantile, above 0, hedges calls after that quantile of what their caller has
	// seen, in the place of HedgeNs.
	HedgeQuantile float64
	// Connections is the cap for each pair of caller and container, 0 for none; Dispatch
	// the threads of a caller that send.
	Connections int
	Dispatch    int
	Connect     bool // every call connects anew

	Latency  [3]law.Law // same cluster, same idc, other idc
	PerRPC   int64
	Loss     float64
	IDCs     int
	Arrivals Arrivals

	// Limits are latencies of requests that objectives ask for.
	Limits []int64
	// Windows are what to simulate; a window's Warmup is simulated before it.
	Windows []Window
	Control Control
}

// Call is one call of the fan-out.
type Call struct {
	Shard int
	Share float64 // of the items
}

// Served is a model that all containers serve.
type Served struct {
	Share     float64 // of the requests
	Calls     []Call
	Items     law.Law
	MinShards int
	Laws      [tiers]law.Law
	Noise     [tiers]law.Law
	// Limits are latencies of its requests that objectives ask for.
	Limits []int64
}

// served are the models of a spec, one at least.
func (s *Spec) served() []Served {
	if s.Mix != nil {
		return s.Mix
	}
	one := Served{Share: 1, Calls: s.Calls, Items: s.Items, MinShards: s.MinShards}
	for t := range s.Tiers {
		one.Laws[t], one.Noise[t] = s.Tiers[t].Law, s.Tiers[t].Noise
	}
	return []Served{one}
}

// MeanCalls is how many calls a request makes to the PS, in the mean over the mix.
func (s *Spec) MeanCalls() float64 {
	sum := 0.0
	for _, m := range s.served() {
		sum += float64(m.Share * float64(len(m.Calls)))
	}
	return sum
}

// Tier is one kind of container.
type Tier struct {
	// Replicas is the number of containers of each shard; nil for no such tier.
	Replicas []int
	// Spare is how many more of each shard an autoscaler may start.
	Spare   int
	Threads int
	Cores   float64
	// Shared says that threads share the cores; otherwise each runs at full speed.
	Shared   bool
	Overhead float64 // speed lost for each runnable thread above the cores
	Queue    int     // calls that wait at most; -1 for any number
	Hold     bool
	Law      law.Law
	Noise    law.Law
	Batch    *Batch
	// Placement is the idc and cluster of the containers of each shard, in turn.
	Placement []Location
	// Interference multiplies service times while a container loads.
	Interference float64
}

// Location is where a container is.
type Location struct{ IDC, Cluster int }

// Batch is TensorFlow Serving's batching.
type Batch struct {
	Processes int // of a container
	Threads   int // of each process
	MaxItems  int
	TimeoutNs int64
	MaxQueued int
}

// Window is a part of the horizon.
type Window struct {
	plan.Window
	Warmup int64
	// Steady says that nothing changes before its end, so that what is not as the rest of
	// it is a warm-up that was too short (CAP-12.15).
	Steady bool
}

// Arrivals is how requests come.
type Arrivals struct {
	Process   string // poisson, gamma, mmpp, deterministic, trace
	CV        float64
	Burst     float64
	MeanBurst float64
	MeanQuiet float64
	Rate      plan.RateLaw
	Traffic   []Traffic
	Times     []int64 // of a trace, scaled
	Clients   int     // above 0 for a closed loop
	Think     law.Law
}

// Traffic multiplies the rate for a time.
type Traffic struct {
	From, To int64
	Factor   float64
}

// hedges reports whether calls are hedged.
func (s *Spec) hedges() bool { return s.HedgeNs > 0 || s.HedgeQuantile > 0 }

// Has reports whether there is such a tier.
func (s *Spec) Has(tier int) bool { return s.Tiers[tier].Replicas != nil }
