package model

import (
	"math"
	"math/bits"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// arrive starts a request. intended is when it should have arrived, which is before now if its
// client was late.
func (w *world) arrive(number uint64, intended int64) {
	i := w.takeRequest()
	r := &w.requests[i]
	*r = request{number: number, intended: intended, came: w.now, at: w.now, gen: r.gen, entry: none, stage: stageEntry, next: none}
	rng := w.stream(streamItems, number)
	if len(w.served) > 1 {
		r.model = w.modelOf(number)
		rng = w.stream(streamItems, number)
	}
	m := &w.served[r.model]
	r.items = max(1, math.Round(m.Items.Sample(rng, 0)))
	if w.sample.arrived(r.model, intended); w.sample.counts(intended) {
		w.counted++
	}
	w.system.add(w.now)
	if w.tracer != nil {
		w.tracer.begun(w, i)
	}
	live := w.clients.comeTo(w.live, rng)
	if len(live) == 0 {
		w.fail(i, causeNoReplica)
		return
	}
	r.entry = live[below(rng.Uint64(), len(live))]
	r.caller = r.entry
	if !w.entryStage() {
		w.afterEntry(i)
		return
	}
	w.stages[Entry].add(w.now)
	w.enterEntry(i)
}

// modelOf draws the model to which a request goes, by the shares of the mix.
func (w *world) modelOf(number uint64) uint8 {
	u := w.stream(streamModel, number).Float64()
	for k := range w.served {
		if u -= w.served[k].Share; u < 0 {
			return uint8(k)
		}
	}
	return uint8(len(w.served) - 1)
}

// entryStage reports whether entry containers do work for a request before its calls.
func (w *world) entryStage() bool { return w.spec.Has(Entry) && !w.served[0].Laws[Entry].IsZero() }

// enterEntry gives a request a thread of its entry container. If none is free, the request waits in
// the container's queue, or fails because the queue is full.
func (w *world) enterEntry(i int32) {
	r := &w.requests[i]
	s := &w.servers[r.entry]
	t := &w.spec.Tiers[Entry]
	w.came(s)
	if int(s.busy) < t.Threads {
		s.busy++
		w.runEntry(i)
		return
	}
	if w.full(s, t, r.model) {
		w.stages[Entry].remove(w, r.at)
		w.fail(i, causeQueueFull)
		return
	}
	w.enqueue(s, i, r.model)
}

// runEntry begins the CPU work of a request at its entry container.
func (w *world) runEntry(i int32) {
	r := &w.requests[i]
	m := &w.served[r.model]
	rng := w.stream(streamEntry, r.number)
	work := m.work(Entry, rng, r.items)
	r.parts[partEntryQueue] = w.now - r.at
	r.started = w.now
	_, took := w.start(r.entry, work, &w.onEntry, handle(i, r.gen))
	r.latest = w.now + took
}

// entryDone ends the CPU work of a request at its entry container.
func (w *world) entryDone(arg uint64) {
	i, gen := unhandle(arg)
	r := &w.requests[i]
	if r.gen != gen || r.stage != stageEntry {
		return
	}
	r.parts[partEntry] = w.now - r.started
	if !w.spec.Tiers[Entry].Hold {
		w.nextEntry(r.entry)
	}
	w.stages[Entry].remove(w, r.at)
	w.sample.tier(w, Entry, w.now-r.at)
	w.afterEntry(i)
}

// nextEntry gives a thread that has become free to the next request in an entry container's queue.
func (w *world) nextEntry(at int32) {
	s := &w.servers[at]
	i := s.head
	if i == none {
		s.busy--
		return
	}
	w.dequeue(s, w.requests[i].model)
	s.queued--
	w.runEntry(i)
}

// afterEntry sends a request on to the PS. If it is dense servers that call the PS, it sends the
// request to one of them first.
func (w *world) afterEntry(i int32) {
	r := &w.requests[i]
	if w.spec.FromDense {
		rng := w.stream(streamDense, r.number)
		to := w.choose(Dense, 0, r.entry, rng.Uint64(), rng.Uint64())
		if to == none || !w.servers[to].up {
			w.fail(i, causeNoReplica)
			return
		}
		r.caller = to
		go1 := w.delay(r.entry, to, rng)
		r.parts[partNetwork] += go1
		r.at = w.now
		r.stage = stageReply
		w.at(w.now+go1, &w.onFan, handle(i, r.gen))
		return
	}
	w.fanOut(i)
}

// fanNow sends the calls to the PS once a request has reached the dense server that makes them.
func (w *world) fanNow(arg uint64) {
	i, gen := unhandle(arg)
	if w.requests[i].gen == gen {
		w.fanOut(i)
	}
}

// joined ends a stage of a request, because all the answers that the stage needs have arrived.
func (w *world) joined(arg uint64) {
	i, gen := unhandle(arg)
	r := &w.requests[i]
	if r.gen != gen {
		return
	}
	if r.stage == stageFan {
		w.servers[r.caller].fanning--
		if w.spec.Has(Dense) {
			w.callDense(i)
			return
		}
		r.stage = stageDense // there are no dense servers that would be called next
	}
	w.succeed(i)
}

// callDense sends a request on to a dense server.
func (w *world) callDense(i int32) {
	r := &w.requests[i]
	r.stage = stageDense
	r.at, r.latest, r.pending, r.answered = w.now, w.now, 1, 0
	w.deposit(r.caller, 1)
	rng := w.stream(streamDense, r.number+1<<40)
	to := none
	if w.spec.FromDense {
		to = r.caller
	}
	w.send(i, attemptOf{slot: 0, dense: true, first: w.now, to: to}, rng)
	w.timeouts.push(w, w.now+w.spec.Timeout, handle(i, r.gen), false)
}

// succeed ends a request with success. If a dense server called the PS, the answer first travels
// back to the entry container.
func (w *world) succeed(i int32) {
	r := &w.requests[i]
	if w.spec.FromDense && r.caller != r.entry && r.stage == stageDense {
		rng := w.stream(streamNetwork, r.number)
		back := w.delay(r.caller, r.entry, rng)
		r.parts[partNetwork] += back
		r.stage = stageReply
		w.at(w.now+back, &w.onJoin, handle(i, r.gen))
		return
	}
	w.sample.succeeded(w, r)
	if w.tracer != nil {
		w.tracer.ended(w, i, "")
	}
	w.finish(i)
}

// fail ends a request without success. cause is one of the causes of failed calls, such as
// causeTimeout.
func (w *world) fail(i int32, cause uint8) {
	r := &w.requests[i]
	r.cause = cause
	if r.stage == stageFan {
		w.servers[r.caller].fanning--
	}
	w.abandonAll(i)
	w.sample.failed(r, w.now)
	if w.tracer != nil {
		w.tracer.ended(w, i, plan.Causes[cause])
	}
	w.finish(i)
}

// finish takes a request out of the simulation. If the request still holds a thread of its entry
// container, the thread goes to the next request.
func (w *world) finish(i int32) {
	r := &w.requests[i]
	w.system.remove(w, r.came)
	if w.sample.counts(r.intended) {
		w.counted--
	}
	// A dead container has no busy threads. A container that scaling removed has, because it still
	// finishes the requests that it has.
	if w.spec.Tiers[Entry].Hold && r.stage > stageEntry && r.entry != none && w.servers[r.entry].busy > 0 {
		w.nextEntry(r.entry)
	}
	if w.spec.Arrivals.Clients > 0 {
		w.asksAgain(r.came)
	}
	w.releaseRequest(i)
}

// below maps 64 random bits to a number from 0 to n-1. The larger the bits, the larger the number,
// so that two runs with slightly different n choose alike.
func below(random uint64, n int) int {
	hi, _ := bits.Mul64(random, uint64(n))
	return int(hi)
}
