package model

import "github.com/monosim/monosim/engine/vtime"

// serve handles a call that has reached its container: the call runs, waits, or is rejected.
func (w *world) serve(id int32) {
	c := &w.calls[id]
	s := &w.servers[c.server]
	if !s.up {
		c.flags |= serverDone
		switch {
		case c.flags&clientDone != 0:
			w.track(c, w.spec.Timeout)
			w.releaseCall(id)
		case s.refuse:
			w.failAttempt(id, causeRefused)
		}
		return
	}
	t := &w.spec.Tiers[s.tier]
	c.epoch = s.epoch
	w.came(s)
	w.stages[s.tier].add(w.now)
	if t.Batch != nil {
		w.enterBatch(id)
		return
	}
	if w.late(c, t) {
		w.skip(id)
		return
	}
	if int(s.busy) < t.Threads {
		s.busy++
		w.run(id)
		return
	}
	if w.full(s, t, c.model) {
		w.turnAway(id)
		return
	}
	w.enqueue(s, id, c.model)
}

// causeRefused marks an attempt whose connection was reset, which the caller retries at
// once. If the call fails in the end, it counts as timed out.
const causeRefused = nCauses

// turnAway rejects a call because the queue is full.
func (w *world) turnAway(id int32) {
	c := &w.calls[id]
	w.stages[w.servers[c.server].tier].remove(w, c.arrived)
	c.flags |= serverDone
	if c.flags&clientDone != 0 {
		w.releaseCall(id)
		return
	}
	w.failAttempt(id, causeQueueFull)
}

// run starts a call on a thread of its container.
func (w *world) run(id int32) {
	c := &w.calls[id]
	c.started = w.now
	c.timer, c.work = w.start(c.server, float64(c.work), &w.onComplete, uint64(id))
}

// completed handles a call whose work is done, unless its container has died in the meantime.
func (w *world) completed(arg uint64) {
	id := int32(arg)
	c := &w.calls[id]
	at := c.server
	s := &w.servers[at]
	if c.epoch != s.epoch {
		w.forget(id)
		return
	}
	w.stages[s.tier].remove(w, c.arrived)
	w.sample.tier(w, int(s.tier), w.now-c.arrived)
	w.nextCall(at)
	w.answer(id)
}

// forget handles a call that its container will never answer, for example because the
// container died.
func (w *world) forget(id int32) {
	c := &w.calls[id]
	c.flags |= serverDone
	switch {
	case c.flags&clientDone != 0:
		w.track(c, w.spec.Timeout)
		w.releaseCall(id)
	case w.servers[c.server].refuse:
		w.failAttempt(id, causeRefused)
	}
}

// nextCall gives a free thread of a container to the next call in its queue.
func (w *world) nextCall(at int32) {
	s := &w.servers[at]
	for {
		id := s.head
		if id == none {
			s.busy--
			return
		}
		c := &w.calls[id]
		w.dequeue(s, c.model)
		if c.flags&cancelled != 0 {
			w.releaseCall(id) // withdraw has already subtracted it from s.queued
			continue
		}
		s.queued--
		if w.late(c, &w.spec.Tiers[s.tier]) {
			w.skip(id)
			continue
		}
		w.run(id)
		return
	}
}

// late reports whether a call must not be started because its deadline has passed.
func (w *world) late(c *call, t *Tier) bool {
	return t.SkipLate && w.spec.Timeout > 0 && w.now >= c.sent+w.spec.Timeout
}

// skip ends a late call without any work.
func (w *world) skip(id int32) {
	c := &w.calls[id]
	w.stages[w.servers[c.server].tier].remove(w, c.arrived)
	w.sample.Calls.Skipped++
	c.flags |= serverDone
	if c.flags&clientDone != 0 {
		w.track(c, w.spec.Timeout)
		w.releaseCall(id)
	}
}

// withdraw removes an abandoned call from its container.
func (w *world) withdraw(id int32) {
	c := &w.calls[id]
	s := &w.servers[c.server]
	if c.arrived == 0 || c.epoch != s.epoch || w.spec.Tiers[s.tier].Batch != nil {
		return // on its way or in a batch: it cannot be removed
	}
	w.stages[s.tier].remove(w, c.arrived)
	w.track(c, w.now-c.sent)
	if c.started == 0 {
		c.flags |= cancelled | serverDone
		s.queued--
		return
	}
	if s.share != nil {
		s.share.remove(w, c.server, uint64(id))
	} else {
		c.timer.Cancel()
		w.count(s, w.now, c.started+c.work, -1)
	}
	w.releaseCall(id)
	w.nextCall(w.calls[id].server)
}

// start starts work at a container. The handler h runs with arg when the work is done. took is how
// long the work takes, or 0 if threads share the cores. The whole duration counts as busy time at
// once, so code that ends the work earlier must subtract the rest.
func (w *world) start(at int32, work float64, h *handler, arg uint64) (timer vtime.Timer, took int64) {
	s := &w.servers[at]
	if s.slow != 1 {
		work *= s.slow
	}
	if w.servers[s.host].loading > 0 {
		if f := w.spec.Tiers[s.tier].Interference; f > 0 {
			work *= f
		}
	}
	if s.cold > 0 {
		s.cold--
		work *= w.spec.Tiers[s.tier].ColdFactor
	}
	if s.share != nil {
		s.share.add(w, at, work, h, arg)
		return vtime.Timer{}, 0
	}
	took = int64(work)
	w.count(s, w.now, w.now+took, 1)
	return w.at(w.now+took, h, arg), took
}

// count adds busy time to a container, as far as it lies within the window. Negative cores
// subtract it.
func (w *world) count(s *server, from, to int64, cores float64) {
	s = &w.servers[s.host]
	if s.pod != nil {
		s.pod.worked(w.base+from, w.base+to, cores)
	}
	w.spread(&s.busyNs, from, to, cores)
}

// spread adds the time between two instants, multiplied by cores, to the segments of the window in
// which it lies.
func (w *world) spread(of *[Segments]int64, from, to int64, cores float64) {
	from, to = max(from, w.begin), min(to, w.end)
	for k := Segments - 1; to > from; k-- {
		if start := max(w.starts[k], from); start < to {
			of[k] += int64(float64(to-start) * cores)
			to = start
		}
	}
}

// turns makes a process come up or go down, which begins or ends the life of its container.
func (w *world) turns(s *server, up bool) {
	if s.up == up {
		return
	}
	s.up = up
	host := &w.servers[s.host]
	switch {
	case !up:
		if host.living--; host.living == 0 {
			w.spread(&host.upNs, host.since, w.now, 1)
		}
	case host.living == 0:
		host.since = w.now
		fallthrough
	default:
		host.living++
	}
}

// die ends a container and drops its work.
func (w *world) die(at int32) {
	s := &w.servers[at]
	w.takeBack(at)
	w.turns(s, false)
	s.epoch++
	tier := int(s.tier)
	head := s.head
	s.head, s.queued, s.busy = none, 0, 0
	if s.tails != nil {
		s.tails = noTails()
	}
	if tier == Entry {
		if s.share != nil {
			s.share.clear(w, at, &w.onEntry)
		}
		w.failAllOf(at)
		return
	}
	for id := head; id != none; {
		next := w.calls[id].next
		if w.calls[id].flags&cancelled != 0 {
			w.releaseCall(id)
		} else {
			w.forget(id)
		}
		id = next
	}
	if s.batch != nil {
		w.dieBatches(s)
	}
	if s.share != nil {
		kind := &w.onComplete
		if s.batch != nil {
			kind = &w.onBatch
		}
		s.share.end(w, at, kind)
	}
	w.recount(tier)
	if w.spec.FromDense && tier == Dense {
		w.failAllOf(at)
	}
}

// takeBack subtracts the busy time of work that a dying container leaves unfinished.
func (w *world) takeBack(at int32) {
	s := &w.servers[at]
	if s.share != nil {
		s.share.advance(w, &w.servers[s.host])
		return
	}
	undone := func(end int64) {
		if end > w.now {
			w.count(s, w.now, end, -1)
		}
	}
	switch {
	case s.tier == Entry:
		for i := range w.requests {
			if r := &w.requests[i]; r.stage == stageEntry && r.entry == at {
				undone(r.latest)
			}
		}
	case s.batch != nil:
		for i := range w.batches {
			if b := &w.batches[i]; b.server == at && b.epoch == s.epoch {
				undone(b.ends)
			}
		}
	default:
		for i := range w.calls {
			if c := &w.calls[i]; c.server == at && c.started != 0 && c.flags&serverDone == 0 && c.epoch == s.epoch {
				undone(c.started + c.work)
			}
		}
	}
}

// failAllOf fails the requests that entered at a container, and those for which the
// container calls the PS.
func (w *world) failAllOf(at int32) {
	for i := range w.requests {
		r := &w.requests[i]
		if r.stage == stageFree || r.entry != at && r.caller != at {
			continue
		}
		if r.stage == stageEntry && r.entry == at && w.entryStage() {
			w.stages[Entry].remove(w, r.at)
		}
		cause := uint8(causeTimeout)
		if w.servers[at].oom {
			cause = causeOOM
		}
		w.fail(int32(i), cause)
	}
}

// inServer reports whether a call is waiting for, or holds, a thread of a tier.
func (w *world) inServer(c *call, tier int) bool {
	if c.flags&serverDone != 0 || c.arrived == 0 {
		return false
	}
	s := &w.servers[c.server]
	return int(s.tier) == tier && s.up && s.epoch == c.epoch
}

// recount counts the calls in a tier again after a container has died.
func (w *world) recount(tier int) {
	n, sum := int64(0), int64(0)
	for i := range w.calls {
		c := &w.calls[i]
		if !w.inServer(c, tier) {
			continue
		}
		n++
		sum += w.stages[tier].clip(c.arrived)
	}
	w.stages[tier].set(w, n, sum)
}
