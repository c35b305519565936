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
//   - calls, timeouts and retries: call.go
//   - what keeps retries in bounds: cures.go
//   - how containers work: server.go, sharing.go (cores that threads share), batch.go, and
//     device.go for batches on an accelerator
//   - how requests arrive: arrivals.go
//   - from when on a window is simulated: begin.go
//   - whether the fleet is at rest: rest.go
//   - failures, rollouts and scaling of containers: control.go, and autoscale.go for autoscalers
//     that measure
//   - what is counted: tally.go, sample.go and hist.go
//   - what is counted in steps of time: series.go
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

// Numbers of the tiers, in the order in which a request visits them.
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
	// Calls lists the calls of a request's fan-out to PS. Each has a shard, and a share of the
	// request's items.
	Calls []Call
	Items law.Law // number of items of a request
	// Mix lists the models that requests may be for, with their shares of the requests. If there is
	// only one, Mix is nil, and the model is described by Calls, Items, MinShards and the laws of
	// Tiers.
	Mix []Served

	Timeout   int64 // how long a caller waits for the answer to an attempt; 0 for ever
	Retries   int   // largest number of retries of a call
	Distinct  bool  // whether a retry goes to a replica at which no attempt has failed
	Same      bool  // whether a retry goes to the replica of the first attempt
	Cancel    bool  // whether a call is removed from its server when its caller stops waiting
	Backoff   Backoff
	Budget    Budget
	Breaker   Breaker
	MinShards int    // number of answered calls with which a request can go on; 0 for all of its calls
	Balance   string // balancing policy: random, round_robin, least_loaded or p2c
	// Reach says which containers of a tier a caller may call.
	Reach places.Reach
	// FromDense says that dense servers, rather than entry containers, call the PS.
	FromDense bool
	// HedgeNs is the wait after which a caller sends a second call; 0 for no second calls.
	HedgeNs int64
	// HedgeQuantile, if it is above 0, replaces HedgeNs: a caller sends a second call as soon as
	// the first has taken longer than this quantile of the latencies that the caller has seen.
	HedgeQuantile float64
	// Connections is how many connections a caller may have to one container, 0 for any number.
	// Dispatch is the number of a caller's threads that send calls.
	Connections int
	Dispatch    int
	Connect     bool // whether every call opens a new connection

	Latency  [3]law.Law // one-way delays: within a cluster, between clusters of an idc, between idcs
	PerRPC   int64      // fixed cost of a call, paid in equal parts on the way there and back
	Loss     float64    // probability that the network loses a message
	IDCs     int        // number of idcs
	Arrivals Arrivals
	// Clients holds the share of the requests that comes from the clients of each idc, who use only
	// the entry containers of their idc. It is nil if any request may come to any idc.
	Clients []float64

	// Limits holds the latency limits that the plan's objectives set for requests.
	Limits []int64
	// Bounds holds latencies. For each of them, the simulation counts the answered requests that
	// took longer.
	Bounds []int64
	// Works holds, for each shard of each tier, the seconds for which a request would keep the shard
	// busy if the shard had a single container. It is nil for a tier whose [Life.Fullest] is not
	// computed.
	Works [tiers][]float64
	// Common is 0 unless containers are mixed. It then holds the seconds of entry and dense work of a
	// request, which come in addition to Works of PS. Both are seconds of all cores of a container.
	Common float64
	// Mixed says that each PS container also runs the other tiers, as processes that share its
	// cores, its ZooKeeper session and its death.
	Mixed bool
	// Windows lists the parts of the horizon that are simulated.
	Windows []Window
	Control Control
	// MostBytes, if it is above 0, limits the memory for requests and calls, in bytes. A run that
	// needs more ends with a [TooLargeError].
	MostBytes int64
}

// Call is one call of a request's fan-out.
type Call struct {
	Shard int     // shard that is called
	Share float64 // share of the request's items that it carries
}

// Served is one of the models that requests may be for. Every container serves all of them.
type Served struct {
	Share     float64        // share of the requests that are for this model
	Calls     []Call         // calls of a request's fan-out to PS
	Items     law.Law        // number of items of a request
	MinShards int            // number of answered calls with which a request can go on; 0 for all of its calls
	Priority  uint8          // priority of the requests; 0 is the most important
	Queue     uint8          // index of the model in whose batch queue the calls for this model wait
	Laws      [tiers]law.Law // CPU time in each tier, by number of items
	Noise     [tiers]law.Law // random factor of that time, with mean 1; the zero law for none
	// Limits holds the latency limits that the plan's objectives set for requests to this model.
	Limits []int64
}

// work draws the CPU time, in nanoseconds, that a number of items takes at a tier.
func (m *Served) work(tier int, rng *rand.Rand, items float64) float64 {
	work := m.Laws[tier].Sample(rng, items)
	if !m.Noise[tier].IsZero() {
		work *= m.Noise[tier].Sample(rng, 0)
	}
	return work
}

// Served returns the models that requests may be for, of which there is at least one.
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

// MeanCalls returns how many calls to PS a request makes, averaged over the models that requests
// are for.
func (s *Spec) MeanCalls() float64 {
	sum := 0.0
	for _, m := range s.Served() {
		sum += float64(m.Share * float64(len(m.Calls)))
	}
	return sum
}

// priorities is the number of different priorities of requests.
const priorities = 8

// Tier describes the containers of one tier.
type Tier struct {
	// Replicas is the number of containers of each shard. It is nil if the fleet has no such tier.
	Replicas []int
	// Most is the largest number of containers per shard that an autoscaler or an event may lead
	// to. 0 means that the number stays as it is in Replicas.
	Most    int
	Threads int     // threads of a container that work on requests or calls
	Cores   float64 // cores of a container, without those of its agent
	// Shared says that all threads share the cores. Otherwise each thread runs as if it had a core
	// of its own.
	Shared     bool
	Overhead   float64 // fraction of the speed lost for each runnable thread above the number of cores
	Queue      int     // number of requests or calls that may wait for a thread; -1 for any number
	Hold       bool    // whether a request keeps its thread of the entry container until it ends
	ByPriority bool    // whether requests or calls begin in the order of their priority, rather than in that in which they came
	// Limits replaces Queue if it is not nil. For each priority, a request or call is rejected if
	// at least so many wait already when it arrives; -1 for any number.
	Limits *[priorities]int
	// Cold is how many requests, calls or batches are slow after a container has started or has
	// loaded a version. Each of them takes ColdFactor times as long as usual.
	Cold       int32
	ColdFactor float64
	SkipLate   bool    // a call that is past its deadline is not begun
	Law        law.Law // CPU time by number of items, if there is a single model
	Noise      law.Law // random factor of that time, with mean 1; the zero law for none
	Batch      *Batch  // how calls are put into batches; nil if they are not
	Device     *Device // accelerator that computes the batches; nil if cores do
	// Placement lists the locations of a shard's containers: container k is at the location with
	// the index k modulo the length.
	Placement []Location
	// Interference is the factor by which work takes longer while its container loads a version.
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
	Processes int   // number of server processes of a container
	Threads   int   // number of batch threads of a process
	MaxItems  int   // number of items with which a batch is full
	TimeoutNs int64 // nanoseconds for which a batch waits for more calls
	MaxQueued int   // number of batches of a model that may wait in a process
}

// Device is an accelerator that all processes of a container share. It computes one batch at a
// time, like a single core.
type Device struct {
	Pause     law.Law // extra time of a batch that the device begins after a pause, depending on the pause
	NewSizeNs float64 // extra time of a batch of a size that its process has not computed before
	FirstNs   float64 // additional extra time of the first batch that a process computes
	// PieceNs is for how many nanoseconds the copy of a piece of weights to the device occupies it.
	// A batch with at least WaitFrom items that comes in that time waits. With 0, no batch waits.
	PieceNs  int64
	WaitFrom float64
}

// Window is a part of the horizon that is simulated. By default, the simulation begins Warmup
// nanoseconds before it. With Carries, it begins at the last instant after which the fleet was at
// rest for so long that the state of its queues at that instant no longer matters. If there is no
// such instant, it begins at the start of the horizon (CAP-3.18).
type Window struct {
	plan.Window
	Warmup  int64
	Carries bool // whether the state of the queues carries over from the time before the window
	// Whole makes the simulation of a window with Carries always begin at the start of the horizon.
	Whole bool
	// Steady says that rate and containers do not change until the end of the window. If its first
	// part still differs from the rest, the warm-up must have been too short (CAP-12.15).
	Steady bool
	// Step is the length of a step of the window's time series, in nanoseconds. A window without an
	// event has no series, and 0 here.
	Step int64
}

// Arrivals describes when requests arrive.
type Arrivals struct {
	Process   string  // poisson, gamma, mmpp, deterministic, trace
	CV        float64 // coefficient of variation of the gaps between arrivals, for gamma
	Burst     float64 // rate in a burst divided by the rate in a quiet phase, for mmpp
	MeanBurst float64 // mean length of a burst, for mmpp
	MeanQuiet float64 // mean length of a quiet phase, for mmpp
	Batch     law.Law // number of requests that arrive at the same instant; the zero law if always one
	Rate      plan.RateLaw
	Traffic   []Traffic
	Times     []int64 // times of the requests of a trace, in nanoseconds, scaled as the plan wants
	Clients   int     // number of clients of a closed loop, each of which waits for its answer; 0 for an open loop
	Think     law.Law // time that a client of a closed loop waits between an answer and its next request
}

// Traffic multiplies the request rate by Factor between two instants of the horizon.
type Traffic struct {
	From, To int64
	Factor   float64
}

func (s *Spec) hedges() bool { return s.HedgeNs > 0 || s.HedgeQuantile > 0 }

// Has reports whether the fleet has a tier.
func (s *Spec) Has(tier int) bool { return s.Tiers[tier].Replicas != nil }

// Twins returns, for each window, the index of the first window whose sample serves for both. Such
// windows are those of events at the same instant, and those for which the plan names the same
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

// apart returns how many windows have to be simulated.
func (s *Spec) apart() int {
	n := 0
	for k, of := range s.Twins() {
		if of == k {
			n++
		}
	}
	return n
}
