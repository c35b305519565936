package model

import (
	"math/rand/v2"
	"slices"
)

// Causes of failed calls, in the order of their names in [plan.Causes].
const (
	causeTimeout = iota
	causeQueueFull
	causeConnWait
	causeNoReplica
	causeOOM
	nCauses
)

// attemptOf describes an attempt of a call that is to be sent.
type attemptOf struct {
	slot    int
	dense   bool
	attempt uint8
	waits   uint8 // number of the call's earlier attempts that timed out
	first   int64 // time at which the first attempt of the call was sent
	to      int32 // container that the attempt has to be sent to; none if the balancer may choose
	hedge   bool
}

// chain is a list of calls that arrive at the same instant, in the order in which they were sent.
type chain struct{ head, tail int32 }

// fanOut sends all calls of a request to the PS. Calls that take equally long over the network
// share one arrival event, which saves most of the events.
func (w *world) fanOut(i int32) {
	r := &w.requests[i]
	r.stage = stageFan
	r.at, r.latest, r.started = w.now, w.now, w.now
	w.enterFan(i)
	calls := w.served[r.model].Calls
	if len(calls) == 0 {
		w.joined(handle(i, r.gen))
		return
	}
	r.pending, r.answered = int32(len(calls)), 0
	rng := w.stream(streamPS, r.number)
	chains := [3]chain{{head: none}, {head: none}, {head: none}}
	gen := r.gen
	w.deposit(r.caller, len(calls))
	for slot := range calls {
		w.sendChained(i, attemptOf{slot: slot, first: w.now, to: none}, rng, &chains)
		if w.requests[i].gen != gen {
			break // the request failed because a shard has no replica
		}
	}
	for class := range chains {
		if head := chains[class].head; head != none {
			w.at(w.now+w.constant[class]+w.connecting(class), &w.onArrive, uint64(head))
		}
	}
	if w.requests[i].gen == gen && w.requests[i].stage == stageFan {
		w.timeouts.push(w, w.now+w.spec.Timeout, handle(i, gen), false)
		if w.trackers != nil {
			w.hedgeLater(i)
		} else if w.spec.HedgeNs > 0 {
			w.hedgings.push(w, w.now+w.spec.HedgeNs, handle(i, gen), false)
		}
	}
}

// connecting returns how long it takes to open a connection before a call: one network round trip.
// It does not include the fixed cost of a call (PerRPC), which is paid once (CAP-12.11).
func (w *world) connecting(class int) int64 {
	if w.spec.Connect {
		return 2 * (w.constant[class] - w.spec.PerRPC/2)
	}
	return 0
}

func (w *world) send(i int32, a attemptOf, rng *rand.Rand) {
	w.sendChained(i, a, rng, nil)
}

// sendChained sends one attempt of a call. If chains is not nil and the network delay is constant,
// the attempt gets no arrival event of its own, but joins the chain of its distance class.
func (w *world) sendChained(i int32, a attemptOf, rng *rand.Rand, chains *[3]chain) {
	r := &w.requests[i]
	m := &w.served[r.model]
	tier, shard, items := PS, 0, r.items
	if a.dense {
		tier = Dense
	} else {
		to := &m.Calls[a.slot]
		shard, items = to.Shard, r.items*to.Share
	}
	t := &w.spec.Tiers[tier]
	work := 0.0
	if t.Batch == nil {
		work = m.work(tier, rng, items)
	}
	to, random := a.to, rng.Uint64()
	if to == none {
		to = w.choose(tier, shard, r.caller, random, random*0x9e3779b97f4a7c15)
	} else if w.spec.Breaker.Failures > 0 && !w.passes(w.pair(r.caller, to)) {
		to = none
	}
	w.sample.Calls.Sent++
	if to == none {
		w.sample.Calls.Refused++
		if w.tracer != nil {
			w.tracer.unsent(w, i, a, tier)
		}
		if !a.hedge { // if a hedge cannot be sent, the first call just goes on
			w.retryOrFail(i, a, causeNoReplica)
		}
		return
	}
	id := w.takeCall()
	c := &w.calls[id]
	*c = call{sent: w.now, first: a.first, left: w.now, work: int64(work), req: i, server: to, caller: r.caller, next: none, gen: c.gen, reqGen: r.gen, slot: int16(a.slot), attempt: a.attempt, waits: a.waits, model: r.model}
	if a.dense {
		c.flags = dense
		if t.Batch != nil {
			c.process = uint8(below(random*0xbf58476d1ce4e5b9, t.Batch.Processes))
		}
	}
	w.probes(c)
	base := int(i) * w.stride
	if a.hedge {
		c.flags |= hedging
		w.sample.Calls.Hedged++
		w.hedges[base+a.slot] = id
	} else {
		w.slots[base+a.slot] = id
	}
	if w.pairs.exact && !w.connect(id) {
		return
	}
	w.travel(id, chains, rng)
}

// travel sends a call over the network to its container.
func (w *world) travel(id int32, chains *[3]chain, rng *rand.Rand) {
	c := &w.calls[id]
	from := w.requests[c.req].caller
	class := w.class(from, c.server)
	if w.losing(from, c.server, c) {
		c.flags |= serverDone // the network loses the call
		return
	}
	if !w.varies[class] {
		c.back = w.constant[class]
		if chains != nil {
			if one := &chains[class]; one.head == none {
				one.head, one.tail = id, id
			} else {
				w.calls[one.tail].next, one.tail = id, id
			}
			return
		}
		w.at(w.now+w.constant[class]+w.connecting(class), &w.onArrive, uint64(id))
		return
	}
	there := w.draw(class, rng)
	c.back = w.draw(class, rng)
	if w.spec.Connect {
		there += there + c.back - w.spec.PerRPC/2*2
	}
	w.at(w.now+there, &w.onArrive, uint64(id))
}

// class returns the distance class of two containers: 0 in the same cluster, 1 in two clusters of
// the same idc, 2 in two idcs.
func (w *world) class(a, b int32) int {
	if a == none {
		return 0
	}
	x, y := w.servers[a].loc, w.servers[b].loc
	switch {
	case x == y:
		return 0
	case x.IDC == y.IDC:
		return 1
	}
	return 2
}

// draw draws the one-way network delay of a distance class, and adds half of a call's fixed cost
// (PerRPC).
func (w *world) draw(class int, rng *rand.Rand) int64 {
	return int64(w.spec.Latency[class].Sample(rng, 0)) + w.spec.PerRPC/2
}

// delay returns the one-way network delay between two containers.
func (w *world) delay(a, b int32, rng *rand.Rand) int64 {
	class := w.class(a, b)
	if !w.varies[class] {
		return w.constant[class]
	}
	return w.draw(class, rng)
}

// losing draws whether the network loses a call, and returns true if it does. It also draws whether
// the network will lose the answer, and notes that in the call.
func (w *world) losing(from, to int32, c *call) bool {
	if w.cut == nil || from == none {
		return false
	}
	a, b := w.servers[from].loc.IDC, w.servers[to].loc.IDC
	if w.cut[a][b] {
		return true
	}
	p := w.losses[a][b]
	if p == 0 {
		return false
	}
	rng := w.stream(streamNetwork, uint64(c.sent)^uint64(c.slot)<<48^uint64(c.req)<<20)
	if rng.Float64() < p {
		return true
	}
	if rng.Float64() < p {
		c.flags |= answerLost
	}
	return false
}

// deliver hands the calls of a chain to their containers.
func (w *world) deliver(arg uint64) {
	for id := int32(arg); id != none; {
		c := &w.calls[id]
		next := c.next
		c.next = none
		c.arrived = w.now
		w.serve(id)
		id = next
	}
}

// answer sends a container's answer to the caller.
func (w *world) answer(id int32) {
	c := &w.calls[id]
	c.flags |= serverDone
	if w.tracer != nil {
		w.tracer.worked(w, id)
	}
	if c.flags&clientDone != 0 {
		w.track(c, w.now+c.back-c.sent)
		w.sample.Calls.Late++
		w.releaseCall(id)
		return
	}
	back := w.now + c.back
	if c.flags&answerLost != 0 || w.spec.Timeout > 0 && back > c.sent+w.spec.Timeout {
		w.sample.Calls.Late++
		return // the answer is lost or too late, so the caller will have given up
	}
	if w.pairs.exact || w.spec.hedges() {
		w.at(back, &w.onReply, handle(id, c.gen))
		return
	}
	// A request goes on only when its last answer has come. So an answer needs no event of its own.
	w.countAnswer(id, back)
}

// reply hands an answer to the caller.
func (w *world) reply(arg uint64) {
	id, gen := unhandle(arg)
	c := &w.calls[id]
	if c.gen != gen {
		return
	}
	if c.flags&clientDone != 0 {
		w.sample.Calls.Late++
		w.releaseCall(id)
		return
	}
	w.countAnswer(id, w.now)
}

// countAnswer counts an answer that arrives at the instant back. If it is the request's last, it
// ends the present stage of the request.
func (w *world) countAnswer(id int32, back int64) {
	c := &w.calls[id]
	r := &w.requests[c.req]
	i := c.req
	w.sample.Calls.Answered++
	if w.tracer != nil {
		w.tracer.called(w, id, back, callAnswered)
	}
	w.track(c, back-c.sent)
	w.succeeds(c)
	w.disconnect(id)
	if back >= r.latest {
		r.latest = back
		w.critical(r, c, back)
	}
	base := int(i)*w.stride + int(c.slot)
	if w.spec.hedges() && c.flags&dense == 0 {
		w.dropOther(base, id)
	}
	w.slots[base] = none
	w.releaseCall(id)
	r.answered++
	r.pending--
	if r.pending > 0 {
		return
	}
	w.settle(i)
}

// dropOther abandons the one of a call and its hedge that was not answered first.
func (w *world) dropOther(base int, id int32) {
	for _, other := range [2]int32{w.slots[base], w.hedges[base]} {
		if other != none && other != id {
			w.abandon(other)
		}
	}
	w.hedges[base] = none
}

// critical records how the latency of a request's latest answer is made up (retries, queue,
// service, network and others). The latest answer is the one that decides when the request goes on.
func (w *world) critical(r *request, c *call, back int64) {
	queue, service := c.started-c.arrived, w.now-c.started
	if w.pairs.exact || w.spec.hedges() {
		service -= c.back
	}
	if c.flags&dense != 0 {
		waited := int64(0)
		if w.spec.Tiers[Dense].Batch != nil {
			waited = c.work
		}
		r.parts[partBatch], r.parts[partDenseQueue], r.parts[partDense] = waited, queue-waited, service
		r.parts[partRetry] += c.sent - c.first
		r.parts[partConnection] += c.left - c.sent
		r.parts[partNetwork] += back - c.left - queue - service
		return
	}
	r.parts[partRetry] = c.sent - c.first
	r.parts[partQueue], r.parts[partService] = queue, service
	r.parts[partConnection] = c.left - c.sent
	r.parts[partNetwork] = back - c.left - queue - service
	r.timeouts = max(r.timeouts, c.waits)
}

// settle ends a stage of a request that waits for no more calls. If there are too few answers, the
// request fails. If not, it goes on when its latest answer has arrived.
func (w *world) settle(i int32) {
	r := &w.requests[i]
	m := &w.served[r.model]
	need := int32(len(m.Calls))
	if r.stage == stageDense {
		need = 1
	} else if m.MinShards > 0 {
		need = int32(m.MinShards)
	}
	if r.answered < need {
		w.fail(i, r.cause)
		return
	}
	r.partial = r.partial || r.stage == stageFan && int(r.answered) < len(m.Calls)
	if r.latest <= w.now {
		w.joined(handle(i, r.gen))
		return
	}
	w.at(r.latest, &w.onJoin, handle(i, r.gen))
}

// abandon gives up a call, because the caller no longer needs the answer.
func (w *world) abandon(id int32) {
	w.sample.Calls.Abandoned++
	if w.tracer != nil {
		w.tracer.called(w, id, w.now, callAbandoned)
	}
	w.fails(&w.calls[id], false)
	w.giveUp(id)
}

// giveUp ends the caller's wait for a call. The call is freed if its server has finished with it.
// Otherwise the plan decides (client.abandon) whether the call is withdrawn from the server, or the
// server computes an answer that nobody waits for.
func (w *world) giveUp(id int32) {
	c := &w.calls[id]
	c.flags |= clientDone
	w.disconnect(id)
	switch {
	case c.flags&waiting != 0:
		c.flags |= cancelled
	case c.flags&serverDone != 0:
		w.trackGone(c)
		w.releaseCall(id)
	case w.spec.Cancel:
		w.withdraw(id)
	}
}

// retryOrFail is called when an attempt has failed. It retries the call if the plan and the retry
// budget allow it. Otherwise the call has failed, and perhaps with it the request.
func (w *world) retryOrFail(i int32, a attemptOf, cause uint8) {
	r := &w.requests[i]
	r.cause = cause
	base := int(i)*w.stride + a.slot
	w.slots[base] = none
	if int(a.attempt) < w.spec.Retries && cause != causeNoReplica && w.affords(r.caller) {
		a.attempt++
		a.hedge = false
		if w.spec.Backoff.Base > 0 {
			w.retryLater(i, a)
		} else {
			w.retry(i, a)
		}
		return
	}
	r.pending--
	r.timeouts = max(r.timeouts, a.waits)
	m := &w.served[r.model]
	failed := len(m.Calls) - int(r.answered) - int(r.pending)
	if r.stage == stageDense || m.MinShards == 0 || failed > len(m.Calls)-m.MinShards {
		w.fail(i, cause)
		return
	}
	if r.latest = max(r.latest, w.now); r.pending == 0 {
		w.settle(i)
	}
}

// retry sends the next attempt of a call.
func (w *world) retry(i int32, a attemptOf) {
	r := &w.requests[i]
	a.to = w.retarget(i, a)
	rng := w.stream(streamRetry, r.number<<16^uint64(a.slot)<<4^uint64(a.attempt))
	gen, base := r.gen, int(i)*w.stride+a.slot
	w.send(i, a, rng)
	if id := w.slots[base]; id != none && w.requests[i].gen == gen {
		w.timeouts.push(w, w.now+w.spec.Timeout, handle(id, w.calls[id].gen), true)
	}
}

// retarget returns the container to which the next attempt of a call has to go. It returns none if
// the balancer may choose.
func (w *world) retarget(i int32, a attemptOf) int32 {
	switch {
	case w.spec.FromDense && a.dense:
		return w.requests[i].caller
	case w.spec.Same && a.to != none:
		return a.to
	case w.spec.Distinct:
		return w.untried(i, a)
	}
	return none
}

// tried notes the container of a failed attempt, so that the call's retries can avoid it.
func (w *world) tried(i int32, a attemptOf, server int32) {
	at := (int(i)*w.stride+a.slot)*w.spec.Retries + int(a.attempt)
	for at >= len(w.past) {
		w.past = append(w.past, none)
	}
	if int(a.attempt) < w.spec.Retries {
		w.past[at] = server
	}
}

// untried draws one of the replicas at which no attempt of the call has failed. It returns none if
// there is none.
func (w *world) untried(i int32, a attemptOf) int32 {
	tier, shard := PS, 0
	if a.dense {
		tier = Dense
	} else {
		shard = w.served[w.requests[i].model].Calls[a.slot].Shard
	}
	begin := (int(i)*w.stride + a.slot) * w.spec.Retries
	past := w.past[begin : begin+int(a.attempt)]
	w.fresh = w.fresh[:0]
	for _, s := range w.closed(w.view(tier, shard, w.requests[i].caller), w.requests[i].caller) {
		if !slices.Contains(past, s) {
			w.fresh = append(w.fresh, s)
		}
	}
	if len(w.fresh) == 0 {
		return none
	}
	rng := w.stream(streamRetry, w.requests[i].number<<16^uint64(a.slot)<<4^uint64(a.attempt)^1<<60)
	return w.fresh[below(rng.Uint64(), len(w.fresh))]
}

// failAttempt is called when an attempt has timed out or was refused.
func (w *world) failAttempt(id int32, cause uint8) {
	c := &w.calls[id]
	i := c.req
	if w.tracer != nil {
		w.tracer.called(w, id, w.now, outcomeOf(cause))
	}
	a := attemptOf{slot: int(c.slot), dense: c.flags&dense != 0, attempt: c.attempt, waits: c.waits, first: c.first, to: none}
	if cause == causeTimeout {
		a.waits++
		w.sample.Calls.TimedOut++
		w.track(c, w.spec.Timeout)
		if c.flags&waiting != 0 {
			cause = causeConnWait
		}
	} else {
		w.sample.Calls.Refused++
		if cause == causeRefused {
			cause = causeTimeout
		}
	}
	w.fails(c, cause != causeConnWait)
	if w.spec.Same {
		a.to = c.server
	}
	if w.spec.Distinct {
		w.tried(i, a, c.server)
	}
	second := c.flags&hedging != 0
	w.giveUp(id)
	if second { // only the hedge has failed; the first call goes on
		w.hedges[int(i)*w.stride+a.slot] = none
		return
	}
	if w.spec.hedges() && !a.dense {
		base := int(i)*w.stride + a.slot
		if other := w.hedges[base]; other != none {
			w.hedges[base] = none
			w.abandon(other)
		}
	}
	w.retryOrFail(i, a, cause)
}

// abandonAll abandons all calls of a request.
func (w *world) abandonAll(i int32) {
	for slot := range w.stride {
		base := int(i)*w.stride + slot
		for _, list := range [2][]int32{w.slots, w.hedges} {
			if base >= len(list) || list[base] == none {
				continue
			}
			w.abandon(list[base])
			list[base] = none
		}
	}
}

// expired handles a deadline that has come. If single is true, it is the deadline of one retry.
// Otherwise it is the deadline of the first attempts of all calls of a request.
func (w *world) expired(arg uint64, single bool) {
	i, gen := unhandle(arg)
	if single {
		if c := &w.calls[i]; c.gen == gen && c.flags&clientDone == 0 {
			w.failAttempt(i, causeTimeout)
		}
		return
	}
	for slot := range w.stride {
		r := &w.requests[i]
		if r.gen != gen {
			return
		}
		id := w.slots[int(i)*w.stride+slot]
		if id != none && w.calls[id].attempt == 0 && w.calls[id].sent+w.spec.Timeout <= w.now {
			w.failAttempt(id, causeTimeout)
		}
	}
}

// over reports whether there is nothing left to do at a deadline, because its call or request has
// ended.
func (w *world) over(arg uint64, single bool) bool {
	i, gen := unhandle(arg)
	if single {
		c := &w.calls[i]
		return c.gen != gen || c.flags&clientDone != 0
	}
	r := &w.requests[i]
	return r.gen != gen || r.pending == 0
}
