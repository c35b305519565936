package model

// serve is a call that has come to its container.
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
			w.gone(id, causeRefused)
		}
		return
	}
	t := &w.spec.Tiers[s.tier]
	c.epoch = s.epoch
	w.stages[s.tier].add(w.now)
	if t.Batch != nil {
		w.enterBatch(id)
		return
	}
	if int(s.busy) < t.Threads {
		s.busy++
		w.run(id)
		return
	}
	if t.Queue >= 0 && int(s.queued) >= t.Queue {
		w.turnAway(id)
		return
	}
	s.queued++
	if s.head == none {
		s.head = id
	} else {
		w.calls[s.tail].next = id
	}
	s.tail = id
}

// causeRefused is a connection that is reset: the caller tries again at once, and what
// fails in the end has run out of time, like its cause.
const causeRefused = nCauses

// turnAway is a call for which the queue is full.
func (w *world) turnAway(id int32) {
	c := &w.calls[id]
	w.stages[w.servers[c.server].tier].remove(w, c.arrived)
	c.flags |= serverDone
	if c.flags&clientDone != 0 {
		w.releaseCall(id)
		return
	}
	w.gone(id, causeQueueFull)
}

// run gives a call a thread.
func (w *world) run(id int32) {
	c := &w.calls[id]
	c.started = w.now
	c.timer = w.start(c.server, float64(c.work), &w.onComplete, uint64(id))
}

// completed is a call whose work is done, or whose container has died meanwhile.
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

// forget is a call that its container will never answer.
func (w *world) forget(id int32) {
	c := &w.calls[id]
	c.flags |= serverDone
	switch {
	case c.flags&clientDone != 0:
		w.track(c, w.spec.Timeout)
		w.releaseCall(id)
	case w.servers[c.server].refuse:
		w.gone(id, causeRefused)
	}
}

// nextCall gives the thread of a container to the next call.
func (w *world) nextCall(at int32) {
	s := &w.servers[at]
	for {
		id := s.head
		if id == none {
			s.busy--
			return
		}
		c := &w.calls[id]
		s.head = c.next
		c.next = none
		if c.flags&cancelled != 0 {
			w.releaseCall(id) // it was counted out when it was withdrawn
			continue
		}
		s.queued--
		w.run(id)
		return
	}
}

// withdraw takes a call that nobody waits for from its container.
func (w *world) withdraw(id int32) {
	c := &w.calls[id]
	s := &w.servers[c.server]
	if c.arrived == 0 || c.epoch != s.epoch || w.spec.Tiers[s.tier].Batch != nil || s.share != nil && c.started != 0 {
		return // on its way, or among others: it goes on
	}
	w.stages[s.tier].remove(w, c.arrived)
	w.track(c, w.now-c.sent)
	if c.started == 0 {
		c.flags |= cancelled | serverDone
		s.queued--
		return
	}
	c.timer.Cancel()
	w.releaseCall(id)
	w.nextCall(w.calls[id].server)
}

// start lets a container work, and does h when the work is done.
func (w *world) start(at int32, work float64, h *handler, arg uint64) vtimer {
	s := &w.servers[at]
	if s.slow != 1 {
		work *= s.slow
	}
	if s.loading > 0 {
		if f := w.spec.Tiers[s.tier].Interference; f > 0 {
			work *= f
		}
	}
	if s.share != nil {
		s.share.add(w, at, work, h, arg)
		return vtimer{}
	}
	end := w.now + int64(work)
	w.count(s, w.now, end, 1)
	return w.at(end, h, arg)
}

// count adds busy time within the window.
func (w *world) count(s *server, from, to int64, cores float64) {
	if from < w.begin {
		from = w.begin
	}
	if to > w.end {
		to = w.end
	}
	for k := Segments - 1; to > from; k-- {
		if start := max(w.starts[k], from); start < to {
			s.busyNs[k] += int64(float64(to-start) * cores)
			to = start
		}
	}
}

// die ends a container: what it did is lost.
func (w *world) die(at int32) {
	s := &w.servers[at]
	s.up = false
	s.epoch++
	w.forgets(at)
	tier := int(s.tier)
	head := s.head
	s.head, s.queued, s.busy = none, 0, 0
	if tier == Entry {
		w.dieEntry(at)
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
		s.share.end(w)
	}
	w.recount(tier)
	if w.spec.FromDense && tier == Dense {
		w.failAllOf(at)
	}
}

// dieEntry fails all requests of an entry container.
func (w *world) dieEntry(at int32) {
	if s := &w.servers[at]; s.share != nil {
		s.share.clear()
	}
	w.failAllOf(at)
}

// failAllOf fails the requests that a container entered or calls for.
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

// inServer reports whether a call is before or on a thread of a tier.
func (w *world) inServer(c *call, tier int) bool {
	if c.flags&serverDone != 0 || c.arrived == 0 {
		return false
	}
	s := &w.servers[c.server]
	return int(s.tier) == tier && s.up && s.epoch == c.epoch
}

// recount sets the number of calls in a tier after a container has died: those of its
// containers that are alive.
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
