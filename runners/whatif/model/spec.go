// Package model simulates the data plane of a fleet in virtual time. A request arrives,
// spends CPU at an entry container, calls all shards, waits for the last answer, goes on to
// a dense server, and ends. The package runs on callbacks of engine/vtime and allocates
// nothing for a request, so that millions of requests take seconds.
//
// Two things to use first:
//
//   - [Compile] turns a plan into a [Spec]; tests of closed forms build a Spec by hand.
//   - [Spec.Run] simulates one window of one replication and returns a [Sample].
//
// To change:
//
//   - what can be simulated: spec.go and compile.go
//   - the way of a request: request.go
//   - calls, timeouts and retries: call.go; what keeps retries in bounds: cures.go
//   - how containers work: server.go, sharing.go (cores that threads share), batch.go, and device.go
//     for batches on an accelerator
//   - how requests arrive: arrivals.go
//   - from when on a window is simulated: begin.go; whether the fleet is at rest: rest.go
//   - failures, rollouts and scaling of containers: control.go, and autoscale.go for autoscalers
//     that measure
//   - what is counted: tally.go, sample.go and hist.go; in steps of time: series.go
//   - what is recorded of single requests: trace.go
//   - how much memory a run takes: bytes.go
//
// Unstable: any commit may change it.
package model

import (
	"math/rand/v2"
	"slices"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/places"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// Tier numbers, in the order in which a request visits them.
const (
	Entry = iota
	PS
	Dense
	tiers
)

// Spec describes a fleet and its load, ready to be simulated. Times are in nanoseconds.
type Spec struct {
	Seed  uint64
	Tiers [tiers]Tier
	// Calls lists the calls that a request makes to PS. Each has a shard and a share of the
	// request's items.
	Calls []Call
	Items law.Law
	// Mix lists the models that requests are for, with their shares. nil means a single model,
	// described by Calls, Items, MinShards and the laws of Tiers.
	Mix []Served

	Timeout   int64 // time after which an attempt of a call times out; 0 means no timeout
	Retries   int
	Distinct  bool // a retry goes to a replica that has not been tried
	Same      bool // a retry goes to the same replica
	Cancel    bool // a call that timed out is removed from its server
	Backoff   Backoff
	Budget    Budget
	Breaker   Breaker
	MinShards int // number of answered calls with which a request can go on; 0 means all
	Balance   string
	// Reach says which of a tier's containers a caller may call.
	Reach places.Reach
	// FromDense says that dense servers call the PS, instead of entry containers.
	FromDense bool
	HedgeNs   int64
	// HedgeQuantile, if above 0, replaces HedgeNs: a call is hedged once it has taken longer
	// than this quantile of the latencies that its caller has seen.
	HedgeQuantile float64
	// Connections limits the connections between each caller and each container, 0 for no limit.
	// Dispatch is the number of sending threads of a caller.
	Connections int
	Dispatch    int
	Connect     bool // whether every call opens a new connection

	Latency  [3]law.Law // one-way delays: within a cluster, between clusters of an idc, between idcs
	PerRPC   int64
	Loss     float64
	IDCs     int
	Arrivals Arrivals
	// Clients holds the share of the requests that come to the entry containers of each idc. It is
	// nil if any request may come to any idc.
	Clients []float64

	// Limits holds the latency limits of the plan's objectives on requests.
	Limits []int64
	// Bounds holds latencies. For each of them, the answered requests that took longer are counted.
	Bounds []int64
	// Works holds, for each shard of each tier, for how many seconds a request keeps one container
	// of the shard busy. nil means that the fullness of containers is not computed
	// ([Life.Fullest]).
	Works [tiers][]float64
	// Common is for mixed containers. It is the number of additional seconds for which a request
	// keeps a container of any shard busy. Works of PS then counts time of all of the container's
	// cores.
	Common float64
	// Mixed says that PS containers also run the other tiers. Their processes share cores, and
	// die and lose their session together.
	Mixed bool
	// Windows lists the parts of the horizon to simulate.
	Windows []Window
	Control Control
	// MostBytes, if above 0, is the largest memory for requests and calls. A run that needs more
	// ends with a TooLargeError.
	MostBytes int64
}

// Call is one call of a request's fan-out.
type Call struct {
	Shard int
	Share float64 // of the items
}

// Served is a model of the mix. Every container serves all models.
type Served struct {
	Share     float64 // of the requests
	Calls     []Call
	Items     law.Law
	MinShards int
	Priority  uint8
	Queue     uint8 // index of the model in whose batch queue the calls of this model wait
	Laws      [tiers]law.Law
	Noise     [tiers]law.Law
	// Limits holds the latency limits of objectives on requests to this model.
	Limits []int64
}

// work draws how many nanoseconds of CPU time the given number of items takes at a tier.
func (m *Served) work(tier int, rng *rand.Rand, items float64) float64 {
	work := m.Laws[tier].Sample(rng, items)
	if !m.Noise[tier].IsZero() {
		work *= m.Noise[tier].Sample(rng, 0)
	}
	return work
}

// Served returns the models of a spec. There is always at least one.
func (s *Spec) Served() []Served {
	if s.Mix != nil {
		return s.Mix
	}
	one := Served{Share: 1, Calls: s.Calls, Items: s.Items, MinShards: s.MinShards}
	for t := range s.Tiers {
		one.Laws[t], one.Noise[t] = s.Tiers[t].Law, s.Tiers[t].Noise
	}
	return []Served{one}
}

// MeanCalls returns how many calls a request makes to the PS, averaged over the mix.
func (s *Spec) MeanCalls() float64 {
	sum := 0.0
	for _, m := range s.Served() {
		sum += float64(m.Share * float64(len(m.Calls)))
	}
	return sum
}

// priorities is the number of different priorities of requests.
const priorities = 8

// Tier describes one kind of container.
type Tier struct {
	// Replicas is the number of containers of each shard. It is nil if the fleet does not have
	// the tier.
	Replicas []int
	// Most, unless 0, is the largest number of containers that an autoscaler or an event may give
	// each shard.
	Most    int
	Threads int
	Cores   float64
	// Shared says that threads share the cores. Otherwise each thread runs at full speed.
	Shared     bool
	Overhead   float64 // fraction of the speed lost for each runnable thread above the number of cores
	Queue      int     // number of requests or calls that may wait; -1 for no limit
	Hold       bool
	ByPriority bool // whether waiting requests or calls begin in order of priority
	// Limits, unless nil, replaces Queue. For each priority, it holds how many requests or calls
	// may already wait when one of that priority arrives; -1 for no limit.
	Limits *[priorities]int
	// Cold is how many requests, calls or batches are slow after a container has started or
	// loaded a version. They take ColdFactor times as long.
	Cold       int32
	ColdFactor float64
	SkipLate   bool // calls that are past their deadline are not begun
	Law        law.Law
	Noise      law.Law
	Batch      *Batch
	Device     *Device // accelerator that computes the batches; nil if cores do
	// Placement lists the locations of a shard's containers. Container k is at index k modulo
	// the length.
	Placement []Location
	// Interference is the factor by which work takes longer while a container loads a version.
	Interference float64
}

// working returns how many threads of a container can work at the same time.
func (t *Tier) working() int {
	if t.Batch != nil {
		return t.Batch.Threads * t.Batch.Processes
	}
	return t.Threads
}

// Location is the idc and the cluster of a container, as indexes into the plan's lists.
type Location = places.Place

// Batch describes TensorFlow Serving's batching.
type Batch struct {
	Processes int // of a container
	Threads   int // of each process
	MaxItems  int
	TimeoutNs int64
	MaxQueued int
}

// Device is an accelerator that the processes of a container share. It acts as a single core.
type Device struct {
	Pause     law.Law // is the extra time of a batch after a pause
	NewSizeNs float64 // is the extra time for a batch size that the process has not met yet
	FirstNs   float64 // is the further extra time for the first batch of a process
	// PieceNs is how long copying one piece of weights takes; 0 means that no batch waits. The
	// input of a batch with at least WaitFrom items waits for the piece that is being copied.
	PieceNs  int64
	WaitFrom float64
}

// Window is a part of the horizon. Warmup nanoseconds are simulated before it, unless Carries is
// set. If Carries is set, the simulation begins at the last instant after which the fleet stays at
// rest until it no longer matters how its queues started. If there is no such instant, it begins at
// the start of the horizon (CAP-3.18).
type Window struct {
	plan.Window
	Warmup  int64
	Carries bool
	// Whole makes the simulation of a window with Carries begin at the start of the horizon in any
	// case.
	Whole bool
	// Steady says that nothing changes until the end of the window. If the first part of the
	// window then differs from the rest, the warm-up was too short (CAP-12.15).
	Steady bool
	// Step is the length in nanoseconds of the steps of the window's time series. It is 0 for a
	// window without events.
	Step int64
}

// Arrivals describes when requests arrive.
type Arrivals struct {
	Process   string // poisson, gamma, mmpp, deterministic, trace
	CV        float64
	Burst     float64
	MeanBurst float64
	MeanQuiet float64
	Batch     law.Law // number of requests that come at once; the zero law if they come one by one
	Rate      plan.RateLaw
	Traffic   []Traffic
	Times     []int64 // of a trace, scaled
	Clients   int     // number of clients of a closed loop; 0 for an open one
	Think     law.Law
}

// Traffic multiplies the request rate between two instants.
type Traffic struct {
	From, To int64
	Factor   float64
}

func (s *Spec) hedges() bool { return s.HedgeNs > 0 || s.HedgeQuantile > 0 }

// Has reports whether the fleet has a tier.
func (s *Spec) Has(tier int) bool { return s.Tiers[tier].Replicas != nil }

// Twins returns, for each window, the index of the first window that has the same sample. Windows
// share a sample if several events happen at the same instant, or if the plan names the same
// seconds twice.
func (s *Spec) Twins() []int {
	list := make([]int, len(s.Windows))
	for k, w := range s.Windows {
		list[k] = slices.IndexFunc(s.Windows, func(o Window) bool {
			at := func(w Window) plan.Clock {
				if w.Incident == 0 {
					return -1
				}
				return s.Control.Plan.Events[w.Incident-1].At
			}
			same := at(o) == at(w)
			o.Name, o.Incident = w.Name, w.Incident
			return same && o == w
		})
	}
	return list
}

// apart returns how many windows are simulated.
func (s *Spec) apart() int {
	n := 0
	for k, of := range s.Twins() {
		if of == k {
			n++
		}
	}
	return n
}
