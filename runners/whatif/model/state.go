package model

import (
	"math/rand/v2"
	"time"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
)

const none = int32(-1)

type request struct {
	number   uint64
	intended int64 // time at which the request should have come
	came     int64 // time at which it came, which is later if its client was late
	at       int64 // time at which its present stage began
	// latest is when the latest answer so far arrives. While the request works at its entry
	// container, latest is when that work ends.
	latest   int64
	started  int64 // time at which its work at the entry container began
	items    float64
	entry    int32         // container at which the request came in
	caller   int32         // container that calls the PS for the request
	pending  int32         // calls without an answer
	answered int32         // calls with an answer
	next     int32         // index of the next request in a queue or in the list of free requests
	gen      uint32        // number of times that this index was reused, see handle
	timeouts uint8         // largest number of consecutive timeouts of any of its calls
	stage    uint8         // stageFree to stageReply
	cause    uint8         // why a call of the request failed
	partial  bool          // whether the request went on without the answers of some shards
	model    uint8         // index in world.served of the model that it is for
	parts    [nParts]int64 // parts of its latency, in nanoseconds
}

// Stages of a request.
const (
	stageFree = iota
	stageEntry
	stageFan
	stageDense
	stageReply
)

// Parts of a request's latency. [PartNames] has their names.
const (
	partEntryQueue = iota
	partEntry
	partRetry
	partConnection // waiting for a sending thread and for a connection to the container
	partNetwork
	partQueue
	partService
	partBatch      // time that the call waits until its batch is full or the batch's timeout is over
	partDenseQueue // time that the call then waits for a thread; without batching, the whole wait
	partDense
	nParts
)

// PartNames names the parts of latency, in the order in which a request goes through them.
var PartNames = [nParts]string{"entry queue", "entry compute", "retry", "connection wait", "network", "ps queue", "ps compute", "batch wait", "dense queue", "dense compute"}

// call is one attempt of a call. Its times are in nanoseconds of virtual time.
type call struct {
	sent    int64 // time at which the caller decided to send it
	first   int64 // time at which the first attempt was sent
	left    int64 // time at which the call got a connection and was sent
	arrived int64 // time at which it reached its container; 0 before that
	started int64 // time at which its work began; 0 before that
	// work is the CPU time that the call needs. Once the call runs, work is how long it runs. For a
	// call in a batch, work is how long the call waited until the batch was full or timed out.
	work    int64
	back    int64  // network delay of the answer
	req     int32  // index of its request
	server  int32  // container that it is sent to
	caller  int32  // container that sends it
	next    int32  // index of the next call in a chain of arrivals, in a queue, or in the list of free calls
	gen     uint32 // number of times that this index was reused, see handle
	reqGen  uint32 // gen of its request when the call was sent; if it differs later, that request has ended
	epoch   uint32 // epoch of the container when the call arrived; if it differs later, the container has died
	slot    int16  // number of the call among the calls of the request's fan-out
	attempt uint8  // number of attempts of the call before this one
	waits   uint8  // number of earlier attempts that timed out
	flags   uint16
	process uint8       // server process of the container
	model   uint8       // index in world.served of the model that it is for
	timer   vtime.Timer // event at which its work is done
}

// Flags of a call.
const (
	clientDone = 1 << iota // its caller no longer waits
	serverDone             // its server is finished with it
	answerLost             // the network loses the answer
	hedging                // a second call (hedge), sent beside a slow first one
	cancelled              // abandoned, but still in its server's queue, which will skip it
	connected              // counted as a connection between its caller and its container
	waiting                // waits for a connection to its container
	dense                  // a call to a dense server
	probing                // sent by an open circuit breaker to test whether the container answers again
	tracked                // its latency has been given to its caller's tracker
)

type server struct {
	tier    uint8
	up      bool // whether its process runs
	visible bool // whether callers see it in ZooKeeper
	refuse  bool // whether, while it is dead, its machine resets connections instead of staying silent
	removed bool // whether the spec's condition has taken it away for the whole horizon
	oom     bool // whether it died because its memory was full
	// flaps says that the container registers in ZooKeeper and vanishes from it again and again, as
	// a fault of the reference makes it (quirk Q109).
	flaps   bool
	blind   bool  // its agent cannot reach ZooKeeper
	drained bool  // an entry container that gets no more requests before it ends
	loading int32 // number of versions that it is loading
	cold    int32 // number of slow calls that it still has to begin before it is warm
	gone    int64 // time at which it last went down or retired
	shard   int16
	host    int32 // index of the server whose cores it uses: itself or, in a mixed container, the PS
	loc     Location
	epoch   uint32             // number of times that it has died
	busy    int32              // number of its threads that are working
	fanning int32              // number of requests for which it now calls the PS
	queued  int32              // number of requests or calls that wait for a thread
	head    int32              // index of the first of them
	tail    int32              // index of the last of them
	tails   *[priorities]int32 // last element of each priority in its queue; nil without priorities
	slow    float64            // factor by which its work takes longer; 1 usually
	tokens  float64            // tokens left in its retry budget
	busyNs  [Segments]int64    // nanoseconds of work in each segment of the window
	upNs    [Segments]int64    // nanoseconds for which the container was up in each segment
	living  int32              // number of processes of the container that are up; counted only in the server that host names
	since   int64              // time at which the first of these processes came up
	left    bool               // whether scaling has removed it at some time, even if it came back later
	share   *sharing           // how its threads share cores; nil if each thread has a core of its own
	pod     *pod               // what an autoscaler measures of the container; nil if no autoscaler measures
	batch   []batcher          // batch queues, one for each process and model
	feeds   []feeder           // batch threads of each process
	device  *device            // accelerator; nil if the container has none
}

// world is the state of one simulation: one window of one replication.
type world struct {
	spec  *Spec
	clock *vtime.World
	node  *vtime.Node
	now   int64 // present virtual time, in nanoseconds like all times here
	base  int64 // time of the plan, from the start of its horizon, at which virtual time is 0
	begin int64 // start of the window, in virtual time
	end   int64 // end of the window, in virtual time
	// last is when the simulation ends. From end to last, the window's open requests continue and
	// new requests come, which are not counted.
	last    int64
	counted int             // number of requests of the window that have not ended
	starts  [Segments]int64 // virtual times at which the segments of the window start
	key     uint64          // seed of all random streams
	served  []Served        // models that requests may be for
	stride  int             // number of entries that each request has in slots, one for each call of its fan-out
	perPair int             // largest number of calls that a request sends to one container
	shards  int             // number of shards of PS

	requests []request
	freeReq  int32 // index of the first free request, none if all are in use
	calls    []call
	freeCall int32   // index of the first free call, none if all are in use
	slots    []int32 // calls in progress: stride entries for each request
	hedges   []int32 // second calls beside those in slots
	servers  []server
	first    [tiers]int // index in servers of each tier's first container
	// views lists the replicas that callers see, by the caller's location and by shard.
	views [tiers][][]int32
	// staleViews holds the views as they were when the first caller lost ZooKeeper. Callers without
	// ZooKeeper keep using these views, and blind counts these callers.
	staleViews [tiers][][]int32
	blind      int
	places     int // number of places by which callers are distinguished; clusters is the number of them in each idc
	clusters   int
	live       []int32 // entry containers to which requests may come
	clients    clients
	turn       []uint32  // position of round robin, for each caller and shard
	timeouts   deadlines // when first attempts time out
	hedgings   deadlines // when first attempts get a second call
	pairs      pairs
	trackers   []tracker   // one for each caller; nil if calls are not hedged after a quantile of latency
	callers    int         // tier of the containers that call the PS
	past       []int32     // for each call, the containers at which attempts failed, so that retries can avoid them
	fresh      []int32     // scratch of untried: replicas at which no attempt of a call has failed
	allowed    []int32     // containers to which the caller's breakers allow a call
	constant   [3]int64    // one-way delay within a cluster, between clusters of an idc, and between idcs, where it does not vary
	varies     [3]bool     // whether the delay of each of these three distances varies
	cut        [][]bool    // whether the link between two idcs is broken
	losses     [][]float64 // probability that the link between two idcs loses a message
	tape       []change    // changes of containers and links; events refer to them by index
	history    *history    // what happens to containers over the horizon; nil if nothing does
	running    bool        // whether the simulation of requests has begun
	scalers    []*scaler
	made       int  // number of containers that autoscalers have started
	keepsLooks bool // whether to keep what autoscalers saw at each look, for [Spec.Measured]
	arrivals   arrivals
	batches    []batch
	freeB      int32 // index of the first free batch, none if all are in use

	pcg  rand.PCG
	rand *rand.Rand

	system tally        // counts the requests in the whole fleet
	stages [tiers]tally // counts, for each tier, the requests or calls in its containers
	sample *Sample
	looked int64   // number of steps of the sample's series that have ended
	tracer *tracer // nil unless a trace was asked for
	// halt, unless nil, reports whether the simulation should stop early.
	halt func() bool

	onArrival, onEntry, onArrive, onComplete, onJoin, onTimeout, onHedge, onReply, onFan                          handler
	onShared, onBatchTimer, onBatch, onChange, onThink, onHedgeOf, onLook, onScrape, onBackoff, onPiece, onAgenda handler
}

// handler is the action of an event. Events hold a pointer to a handler, so that scheduling
// allocates nothing.
type handler struct {
	w  *world
	do func(w *world, arg uint64)
}

// Handle updates the present time and runs the action.
func (h *handler) Handle(arg uint64) {
	h.w.now = int64(h.w.clock.Now())
	h.do(h.w, arg)
}

var kind = vtime.NewKind("whatif.event")

// at schedules an event at a virtual instant in nanoseconds.
func (w *world) at(t int64, h *handler, arg uint64) vtime.Timer {
	return w.node.Schedule(time.Duration(t), kind, h, arg)
}

// The components of the model, each of which has a random stream of its own (CAP-3.17). What is
// drawn for a request in a component depends only on the seed, the replication and the request's
// number. So all candidate fleets of a search see the same requests.
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
	streamBegin
	streamBackoff
)

// stream seeds the world's only random generator for one component and request number, and returns
// it. The next call of stream seeds the same generator anew.
func (w *world) stream(component, number uint64) *rand.Rand {
	h := tasks.Mix(w.key+component, number)
	w.pcg.Seed(h, number^0x9e3779b97f4a7c15)
	return w.rand
}

// takeRequest returns the index of a free request.
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

// handle packs an index and its generation into the argument of an event. A generation counts how
// often the index was reused, so that an event can tell whether it is about an earlier user of the
// index.
func handle(i int32, gen uint32) uint64 { return uint64(uint32(i)) | uint64(gen)<<32 }

func unhandle(arg uint64) (int32, uint32) { return int32(uint32(arg)), uint32(arg >> 32) }
