package model

import (
	"math/rand/v2"
	"time"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
)

const none = int32(-1)

// request is one request on its way.
type request struct {
	number   uint64
	intended int64 // when it was to come
	came     int64 // when it came
	at       int64 // when its present stage began
	latest   int64 // of the answers so far
	started  int64 // of its entry stage
	items    float64
	entry    int32 // container
	caller   int32 // container that calls the PS
	pending  int32 // calls without an answer
	answered int32
	next     int32 // in a queue, or free
	gen      uint32
	timeouts uint8 // in a row on the worst call
	stage    uint8
	cause    uint8
	partial  bool
	model    uint8
	parts    [nParts]int64 // of its latency
}

// Stages of a request.
const (
	stageFree = iota
	stageEntry
	stageFan
	stageDense
	stageReply
)

// Parts of a latency; what they are called is in PartNames.
const (
	partEntryQueue = iota
	partEntry
	partRetry
	partConnection // for a connection of the caller to the container, and for a thread that sends
	partNetwork
	partQueue
	partService
	partBatch      // for others of its batch, or for the batch's timeout
	partDenseQueue // for a thread, with its batch or without one
	partDense
	nParts
)

// PartNames are the parts of a latency in the order of a request's way.
var PartNames = [nParts]string{"entry queue", "entry compute", "retry", "connection wait", "network", "ps queue", "ps compute", "batch wait", "dense queue", "dense compute"}

// call is one attempt of a call.
type call struct {
	sent    int64 // when it left its caller
	first   int64 // when the first attempt of it did
	left    int64 // when it had a connection
	arrived int64
	started int64
	work    int64 // of a call in a batch, how long it waited for that
	back    int64 // delay of its answer
	req     int32
	server  int32
	caller  int32
	next    int32 // in a chain of arrivals, a queue, or free
	gen     uint32
	reqGen  uint32
	epoch   uint32
	slot    int16
	attempt uint8
	waits   uint8 // attempts of it before that ran out of time
	flags   uint16
	process uint8
	model   uint8
	timer   vtime.Timer
}

// Flags of a call.
const (
	clientDone = 1 << iota // its caller waits no more
	serverDone             // its server has nothing to do with it
	answerLost
	hedging
	cancelled // still in a queue that will pass it over
	connected // counts among the connections of its pair
	waiting   // for a connection
	dense
	tracked // its caller knows how long it took
)

// server is a container.
type server struct {
	tier    uint8
	up      bool
	visible bool
	refuse  bool
	removed bool
	oom     bool
	flaps   bool // registers again and again (Q109)
	blind   bool // its agent does not reach ZooKeeper
	loading int32
	shard   int16
	loc     Location
	epoch   uint32
	busy    int32
	fanning int32 // requests that it calls the PS for
	queued  int32
	head    int32
	tail    int32
	slow    float64
	busyNs  [Segments]int64 // within the window
	share   *sharing
	batch   []batcher // by process and model
	feeds   []feeder  // by process
}

// world is one simulation of one window.
type world struct {
	spec    *Spec
	clock   *vtime.World
	node    *vtime.Node
	now     int64
	base    int64 // horizon time of virtual time 0
	begin   int64 // of the window, in virtual time
	end     int64
	starts  [Segments]int64 // of its segments
	key     uint64
	served  []Served
	stride  int // slots of a request
	perPair int // calls of a request that one container may get
	shards  int

	requests []request
	freeReq  int32
	calls    []call
	freeCall int32
	slots    []int32 // current call of each fan-out slot of each request
	hedges   []int32
	servers  []server
	first    [tiers]int // first server of each tier
	// views are the replicas that a balancer sees, by place of the caller and shard.
	views [tiers][][]int32
	// last are the views that blind callers have, of which there are so many.
	last     [tiers][][]int32
	blind    int
	places   int
	live     []int32 // entries that are up
	turn     []uint32
	timeouts deadlines
	hedgings deadlines
	pairs    pairs
	trackers []tracker // of callers, when calls are hedged after a quantile
	callers  int       // their tier
	past     []int32   // containers of attempts that failed, for retries elsewhere
	fresh    []int32
	constant [3]int64 // delay of a class, where it is constant
	varies   [3]bool
	cut      [][]bool // idcs between which nothing passes
	losses   [][]float64
	tape     []change
	arrivals arrivals
	batches  []batch
	freeB    int32

	pcg  rand.PCG
	rand *rand.Rand

	system tally
	stages [tiers]tally
	sample *Sample
	tracer *tracer // nil when nobody looks
	// halt, unless nil, says that the end of the window is not wanted any more.
	halt func() bool

	onArrival, onEntry, onArrive, onComplete, onJoin, onTimeout, onHedge, onReply, onFan handler
	onShared, onBatchTimer, onBatch, onChange, onThink, onHedgeOf                        handler
}

// handler is what an event does to a world; a pointer to it allocates nothing.
type handler struct {
	w  *world
	do func(w *world, arg uint64)
}

// Handle notes the time and acts.
func (h *handler) Handle(arg uint64) {
	h.w.now = int64(h.w.clock.Now())
	h.do(h.w, arg)
}

var kind = vtime.NewKind("whatif.event")

// at schedules an event.
func (w *world) at(t int64, h *handler, arg uint64) vtime.Timer {
	return w.node.Schedule(time.Duration(t), kind, h, arg)
}

// Components that have a random stream of their own (CAP-3.17): draws of one request in
// one component depend on seed, replication and the request's number alone, so that
// candidates of a search see the same requests.
const (
	streamArrivals = iota + 1
	streamItems
	streamEntry
	streamPS
	streamBalance
	streamRetry
	streamDense
	streamNetwork
	streamControl
	streamThink
	streamModel
)

// stream seeds the generator for the draws of one thing of one component.
func (w *world) stream(component, number uint64) *rand.Rand {
	h := tasks.Mix(w.key+component, number)
	w.pcg.Seed(h, number^0x9e3779b97f4a7c15)
	return w.rand
}

// takeRequest is a free request.
func (w *world) takeRequest() int32 {
	i := w.freeReq
	if i == none {
		i = int32(len(w.requests))
		w.requests = append(w.requests, request{})
		for range w.stride {
			w.slots = append(w.slots, none)
			if w.spec.hedges() {
				w.hedges = append(w.hedges, none)
			}
		}
		return i
	}
	w.freeReq = w.requests[i].next
	return i
}

func (w *world) releaseRequest(i int32) {
	r := &w.requests[i]
	r.stage = stageFree
	r.gen++
	r.next = w.freeReq
	w.freeReq = i
}

func (w *world) takeCall() int32 {
	i := w.freeCall
	if i == none {
		w.calls = append(w.calls, call{})
		return int32(len(w.calls) - 1)
	}
	w.freeCall = w.calls[i].next
	return i
}

func (w *world) releaseCall(i int32) {
	c := &w.calls[i]
	c.gen++
	c.flags = clientDone | serverDone
	c.next = w.freeCall
	w.freeCall = i
}

// handle is an argument of an event that names a thing for as long as it lives.
func handle(i int32, gen uint32) uint64 { return uint64(uint32(i)) | uint64(gen)<<32 }

func unhandle(arg uint64) (int32, uint32) { return int32(uint32(arg)), uint32(arg >> 32) }
