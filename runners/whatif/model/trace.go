package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Trace records the slowest requests of one window of one replication, and what happened to
// containers and links in that time. All times are nanoseconds from the start of the horizon.
type Trace struct {
	Window      Window
	Replication int
	// Requests holds the slowest requests, beginning with the slowest. A failed request counts with
	// the time until it failed.
	Requests []TracedRequest
	// Marks lists what happened to containers and links in the window, in order.
	Marks []TraceMark
	// Bins counts the requests in each of equally long parts of the window.
	Bins [TraceBins]TraceBin
	// Hash is the hash of the simulation's events. [Spec.Run] computes the same.
	Hash uint64
}

// TraceBins is the number of parts of a window in which a trace counts requests.
const TraceBins = 100

// TraceBin counts the requests that arrived, completed and failed in one part of the window, and
// those in flight at the end of that part.
type TraceBin struct{ Arrived, Completed, Failed, InFlight int64 }

// TraceMark is something that happened to a container or a link.
type TraceMark struct {
	At    int64
	What  string // the kind of change, as in whatNames
	Where string // name of the container, of the link's two idcs, or of the clients' idc
}

// TracedRequest is the record of one request.
type TracedRequest struct {
	Number   uint64 // number of the request in the replication
	Model    int    // index of the request's model in Spec.Mix
	Items    int
	Intended int64  // instant at which the request should have come
	Came     int64  // instant at which it came
	End      int64  // instant at which it was answered or failed
	Entry    string // name of its entry container
	// Queue is for how many nanoseconds the request waited at its entry container, and Compute for
	// how many it then worked there.
	Queue, Compute int64
	Failed         string // why the request failed, "" if it was answered
	Partial        bool   // whether the answers of some shards are missing
	Calls          []TracedCall
}

// TracedCall is one attempt of a call. Arrived, Started and Done are when it reached its container,
// got a thread there, and was finished by the container. Each is 0 if that did not happen, or after
// the end of the trace.
type TracedCall struct {
	Slot      int // number of the call among the calls of the request's fan-out; 0 for a call to a dense server
	Tier      string
	Container string
	Attempt   int   // number of attempts of the call before this one
	Hedge     bool  // whether it is a second call, sent beside a slow first one
	Sent      int64 // instant at which the caller sent it
	Arrived   int64
	Started   int64
	Done      int64
	End       int64 // time at which the caller got the answer or gave up
	Outcome   string
}

// Outcomes of a traced call, as its caller saw them.
const (
	callAnswered  = "answered"
	callTimedOut  = "timed out"
	callRefused   = "refused"
	callAbandoned = "abandoned"
	callNoReplica = "no replica"
)

// tracer records single requests during a simulation. A world that is not traced has none.
type tracer struct {
	most int
	// open holds the records of the requests in flight and of those in kept, by the handle of the
	// request.
	open map[uint64]*TracedRequest
	kept []*TracedRequest
	// done holds when a container finished a call that has not ended for its caller yet, by the
	// handle of the call.
	done map[uint64]int64
	bins [TraceBins]TraceBin
}

// Trace simulates one window of one replication as Run does. It records as many of the slowest
// requests as the argument says.
func (s *Spec) Trace(window, replication, requests int) (*Trace, error) {
	w := s.world(window, replication)
	defer w.clock.Close()
	w.tracer = &tracer{most: requests, open: map[uint64]*TracedRequest{}, done: map[uint64]int64{}}
	if w.sample.Refused != "" {
		return nil, fmt.Errorf("window %s: %s", s.Windows[window].Name, w.sample.Refused)
	}
	if err := s.run(w); err != nil {
		return nil, err
	}
	t := &Trace{Window: s.Windows[window], Replication: replication, Marks: w.marks(), Bins: w.tracer.bins, Hash: w.sample.Hash}
	for _, one := range w.tracer.kept {
		t.Requests = append(t.Requests, *one)
	}
	flight := int64(0)
	for k := range t.Bins {
		b := &t.Bins[k]
		flight += b.Arrived - b.Completed - b.Failed
		b.InFlight = flight
	}
	return t, nil
}

// bin returns the part of the window that it is now, and nil outside the window.
func (t *tracer) bin(w *world) *TraceBin {
	if w.now < w.begin || w.now >= w.end {
		return nil
	}
	return &t.bins[(w.now-w.begin)*TraceBins/(w.end-w.begin)]
}

// horizon converts virtual time to time since the start of the horizon. It leaves 0, which stands
// for never.
func (w *world) horizon(at int64) int64 {
	if at == 0 {
		return 0
	}
	return w.base + at
}

// begun begins the record of a request that arrives.
func (t *tracer) begun(w *world, i int32) {
	r := &w.requests[i]
	if !w.sample.counts(r.intended) {
		return
	}
	if b := t.bin(w); b != nil {
		b.Arrived++
	}
	t.open[handle(i, r.gen)] = &TracedRequest{Number: r.number, Model: int(r.model), Items: int(r.items), Intended: w.base + r.intended, Came: w.base + r.came}
}

// ended records the end of a request, and keeps the request if it is among the slowest.
func (t *tracer) ended(w *world, i int32, cause string) {
	r := &w.requests[i]
	key := handle(i, r.gen)
	one := t.open[key]
	if one == nil {
		return
	}
	if b := t.bin(w); b != nil && cause == "" {
		b.Completed++
	} else if b != nil {
		b.Failed++
	}
	one.End, one.Failed, one.Partial = w.base+w.now, cause, r.partial
	one.Queue, one.Compute = r.parts[partEntryQueue], r.parts[partEntry]
	if r.entry != none {
		one.Entry = w.nameOf(r.entry)
	}
	at, _ := slices.BinarySearchFunc(t.kept, one, func(a, b *TracedRequest) int {
		return cmp.Or(cmp.Compare(b.End-b.Intended, a.End-a.Intended), cmp.Compare(a.Number, b.Number))
	})
	if at >= t.most {
		delete(t.open, key)
		return
	}
	t.kept = slices.Insert(t.kept, at, one)
	if len(t.kept) > t.most {
		last := t.kept[t.most]
		t.kept = t.kept[:t.most]
		for k, v := range t.open { //lint:order one of them
			if v == last {
				delete(t.open, k)
			}
		}
	}
}

// called records that a call ended for its caller, at the time end.
func (t *tracer) called(w *world, id int32, end int64, outcome string) {
	c := &w.calls[id]
	one := t.open[handle(c.req, c.reqGen)]
	key := handle(id, c.gen)
	done := t.done[key]
	delete(t.done, key)
	if one == nil {
		return
	}
	if outcome == callAnswered && done == 0 {
		done = w.now
	}
	one.Calls = append(one.Calls, TracedCall{Slot: int(c.slot), Tier: plan.TierNames[w.servers[c.server].tier], Container: w.nameOf(c.server), Attempt: int(c.attempt), Hedge: c.flags&hedging != 0,
		Sent: w.base + c.sent, Arrived: w.horizon(c.arrived), Started: w.horizon(c.started), Done: w.horizon(done), End: w.base + end, Outcome: outcome})
}

// outcomeOf returns how a call that failed for the given cause is described in a trace.
func outcomeOf(cause uint8) string {
	if cause == causeTimeout {
		return callTimedOut
	}
	return callRefused
}

// unsent records a call that could not be sent, because no replica was visible.
func (t *tracer) unsent(w *world, i int32, a attemptOf, tier int) {
	r := &w.requests[i]
	if one := t.open[handle(i, r.gen)]; one != nil {
		one.Calls = append(one.Calls, TracedCall{Slot: a.slot, Tier: plan.TierNames[tier], Attempt: int(a.attempt), Hedge: a.hedge, Sent: w.base + w.now, End: w.base + w.now, Outcome: callNoReplica})
	}
}

// worked records that a container has finished a call, even if the caller no longer waits for it.
func (t *tracer) worked(w *world, id int32) {
	c := &w.calls[id]
	one := t.open[handle(c.req, c.reqGen)]
	if one == nil {
		return
	}
	if c.flags&clientDone == 0 {
		t.done[handle(id, c.gen)] = w.now
		return
	}
	for k := range one.Calls {
		if x := &one.Calls[k]; x.Slot == int(c.slot) && x.Attempt == int(c.attempt) && x.Hedge == (c.flags&hedging != 0) && x.Sent == w.base+c.sent {
			x.Arrived, x.Started, x.Done = w.horizon(c.arrived), w.horizon(c.started), w.base+w.now
		}
	}
}

// nameOf returns the name of a container in reports.
func (w *world) nameOf(i int32) string {
	s := &w.servers[i]
	n := int(i) - w.first[s.tier]
	name := fmt.Sprintf("%s %d", plan.TierNames[s.tier], n)
	if shards := len(w.spec.Tiers[s.tier].Replicas); s.tier == PS {
		k := int32(0)
		for j := i - 1; j >= int32(w.first[s.tier]) && w.servers[j].shard == s.shard; j-- {
			k++
		}
		name = fmt.Sprintf("ps shard %d of %d, replica %d", s.shard, shards, k)
	}
	return name
}

// whatNames describes each kind of change in a trace.
var whatNames = map[uint8]string{goesDown: "goes down", comesUp: "comes up", isSeen: "is seen by callers", isUnseen: "is no longer seen by callers", slows: "changes its speed",
	loads: "begins to load a version", loaded: "has loaded a version", copies: "begins to copy weights to its device", cuts: "lets nothing pass", loses: "loses packets", retires: "is taken away",
	isLost: "loses its session", isBack: "is registered anew", hides: "is registered as UNKNOWN", shows: "is AVAILABLE again", moves: "changes where its clients go", drains: "gets no more requests", blinds: "loses its connection to ZooKeeper", sights: "is connected to ZooKeeper again"}

// marks returns the changes within the window.
func (w *world) marks() []TraceMark {
	var list []TraceMark
	for _, c := range w.tape {
		if at := c.at - w.base; at < w.begin || at >= w.end {
			continue
		}
		one := TraceMark{At: c.at, What: whatNames[c.what]}
		switch c.what {
		case cuts, loses:
			one.Where = fmt.Sprintf("link %d-%d", c.a, c.b)
			if idcs := w.spec.Control.Plan.Fleet.IDCs; c.a < len(idcs) && c.b < len(idcs) {
				one.Where = "link " + idcs[c.a].Name + "-" + idcs[c.b].Name
			}
		case moves:
			one.Where = w.spec.Control.Plan.Fleet.IDCs[c.a].Name
		default:
			one.Where = w.nameOf(c.server)
		}
		list = append(list, one)
	}
	return list
}
