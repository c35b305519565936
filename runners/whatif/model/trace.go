package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Trace is what became of single requests of one window of one replication, and of the
// containers meanwhile. All instants are nanoseconds from the begin of the horizon.
type Trace struct {
	Window      Window
	Replication int
	// Requests are the slowest of the window, the slowest first; one that failed took as
	// long as it took to fail.
	Requests []TracedRequest
	// Marks are what happened to containers and links in the window, in order.
	Marks []TraceMark
	// Bins are equal parts of the window.
	Bins [TraceBins]TraceBin
	// Hash is that of the events, the same as of [Spec.Run].
	Hash uint64
}

// TraceBins are the parts of a window that a trace counts requests in.
const TraceBins = 100

// TraceBin counts the requests of the window that came and that ended in a part of it, and
// those that were in flight at its end.
type TraceBin struct{ Arrived, Completed, Failed, InFlight int64 }

// TraceMark is something that happened to a container or to a link.
type TraceMark struct {
	At    int64
	What  string
	Where string
}

// TracedRequest is one request.
type TracedRequest struct {
	Number   uint64
	Model    int // of the mix
	Items    int
	Intended int64
	Came     int64
	End      int64
	Entry    string
	// Queue and Compute are the parts at the entry container, from Came on.
	Queue, Compute int64
	Failed         string // why, "" for an answer
	Partial        bool
	Calls          []TracedCall
}

// TracedCall is one attempt of a call. Arrived, Started and Done are when it came to its
// container, to a thread and to its end there, 0 for never or not within the trace.
type TracedCall struct {
	Slot      int // of the fan-out; 0 for dense
	Tier      string
	Container string
	Attempt   int
	Hedge     bool
	Sent      int64
	Arrived   int64
	Started   int64
	Done      int64
	End       int64 // for the caller
	Outcome   string
}

// How a traced call ended for its caller.
const (
	callAnswered  = "answered"
	callTimedOut  = "timed out"
	callRefused   = "refused"
	callAbandoned = "abandoned"
	callNoReplica = "no replica"
)

// tracer takes down single requests. The world has none when nobody looks.
type tracer struct {
	most int
	// open are requests in flight and those that are kept, by their handles.
	open map[uint64]*TracedRequest
	kept []*TracedRequest
	done map[uint64]int64 // ends of work whose answers are not taken yet, by handles of calls
	bins [TraceBins]TraceBin
}

// Trace simulates one window of one replication as Run does, and takes down its slowest
// requests, so many at most.
func (s *Spec) Trace(window, replication, requests int) (*Trace, error) {
	w := s.world(window, replication)
	defer w.clock.Close()
	w.tracer = &tracer{most: requests, open: map[uint64]*TracedRequest{}, done: map[uint64]int64{}}
	if err := s.run(w, window, replication); err != nil {
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

// bin is the part of the window that now is in, nil after it.
func (t *tracer) bin(w *world) *TraceBin {
	if w.now < w.begin || w.now >= w.end {
		return nil
	}
	return &t.bins[(w.now-w.begin)*TraceBins/(w.end-w.begin)]
}

// horizon is an instant of the world from the begin of the horizon, 0 for none.
func (w *world) horizon(at int64) int64 {
	if at == 0 {
		return 0
	}
	return w.base + at
}

// begun takes down a request that comes.
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

// ended takes down the end of a request, and keeps it when it is among the slowest.
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

// called takes down a call that has ended for its caller at an instant.
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

// outcomeOf is how a call ended that came to nothing.
func outcomeOf(cause uint8) string {
	if cause == causeTimeout {
		return callTimedOut
	}
	return callRefused
}

// unsent takes down a call for which there is no replica.
func (t *tracer) unsent(w *world, i int32, a attemptOf, tier int) {
	r := &w.requests[i]
	if one := t.open[handle(i, r.gen)]; one != nil {
		one.Calls = append(one.Calls, TracedCall{Slot: a.slot, Tier: plan.TierNames[tier], Attempt: int(a.attempt), Hedge: a.hedge, Sent: w.base + w.now, End: w.base + w.now, Outcome: callNoReplica})
	}
}

// worked takes down that a container is done with a call, whether or not its caller still
// waits.
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

// nameOf is a container as people know it.
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

// whatNames are the changes that a trace shows, by their kinds.
var whatNames = map[uint8]string{goesDown: "goes down", comesUp: "comes up", isSeen: "is seen by callers", isUnseen: "is no longer seen by callers", slows: "changes its speed",
	loads: "begins to load a version", loaded: "has loaded a version", cuts: "lets nothing pass", joins: "lets all pass again", loses: "loses packets", retires: "is taken away",
	isLost: "loses its session", isBack: "is registered anew", hides: "is registered as UNKNOWN", shows: "is AVAILABLE again", blinds: "loses its connection to ZooKeeper", sights: "is connected to ZooKeeper again"}

// marks are the changes within the window.
func (w *world) marks() []TraceMark {
	var list []TraceMark
	for _, c := range w.tape {
		if at := c.at - w.base; at < w.begin || at >= w.end {
			continue
		}
		one := TraceMark{At: c.at, What: whatNames[c.what]}
		switch c.what {
		case cuts, joins, loses:
			one.Where = fmt.Sprintf("link %d-%d", c.a, c.b)
			if idcs := w.spec.Control.Plan.Fleet.IDCs; c.a < len(idcs) && c.b < len(idcs) {
				one.Where = "link " + idcs[c.a].Name + "-" + idcs[c.b].Name
			}
		default:
			one.Where = w.nameOf(c.server)
		}
		list = append(list, one)
	}
	return list
}
