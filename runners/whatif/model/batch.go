package model

// batcher is the queue of one server process. The open batch, the last, goes on filling
// while all threads are busy. It is closed when it is full, or when a thread is free and
// its timeout has passed.
type batcher struct {
	busy   int32
	queued int32 // batches that wait, the open one among them
	head   int32 // of the batches that wait
	tail   int32 // the open one, when open
	open   bool
}

// batch is calls that are computed together.
type batch struct {
	items   float64
	since   int64 // when its first call came
	head    int32
	tail    int32
	next    int32
	server  int32
	process uint8
	epoch   uint32
	gen     uint32
}

func (w *world) takeBatch() int32 {
	i := w.freeB
	if i == none {
		w.batches = append(w.batches, batch{})
		return int32(len(w.batches) - 1)
	}
	w.freeB = w.batches[i].next
	return i
}

// enterBatch puts a call into a batch of its process.
func (w *world) enterBatch(id int32) {
	c := &w.calls[id]
	s := &w.servers[c.server]
	p := &s.batch[c.process]
	t := w.spec.Tiers[Dense].Batch
	items := w.requests[c.req].items
	if c.flags&clientDone != 0 {
		items = 1 // its request has ended while the call was on its way
	}
	if p.open && w.batches[p.tail].items+items > float64(t.MaxItems) {
		p.open = false
	}
	if !p.open {
		if int(p.queued) >= t.MaxQueued {
			w.turnAway(id)
			return
		}
		w.openBatch(c.server, c.process, p)
	}
	b := &w.batches[p.tail]
	b.items += items
	c.next = none
	if b.head == none {
		b.head = id
	} else {
		w.calls[b.tail].next = id
	}
	b.tail = id
	if b.items >= float64(t.MaxItems) {
		p.open = false
	}
	w.feed(c.server, c.process)
}

func (w *world) openBatch(at int32, process uint8, p *batcher) {
	i := w.takeBatch()
	s := &w.servers[at]
	w.batches[i] = batch{since: w.now, head: none, tail: none, next: none, server: at, process: process, epoch: s.epoch, gen: w.batches[i].gen}
	if p.head == none {
		p.head = i
	} else {
		w.batches[p.tail].next = i
	}
	p.tail = i
	p.queued++
	p.open = true
	if timeout := w.spec.Tiers[Dense].Batch.TimeoutNs; timeout > 0 {
		w.at(w.now+timeout, &w.onBatchTimer, handle(i, w.batches[i].gen))
	}
}

// feed gives batches that are ready to free threads.
func (w *world) feed(at int32, process uint8) {
	p := &w.servers[at].batch[process]
	t := w.spec.Tiers[Dense].Batch
	for int(p.busy) < t.Threads && p.head != none {
		i := p.head
		b := &w.batches[i]
		if i == p.tail && p.open {
			if w.now < b.since+t.TimeoutNs {
				return // it goes on filling
			}
			p.open = false
		}
		p.head = b.next
		p.queued--
		p.busy++
		w.runBatch(i)
	}
}

func (w *world) runBatch(i int32) {
	b := &w.batches[i]
	t := &w.spec.Tiers[Dense]
	work := t.Law.MeanOf(b.items)
	if !t.Noise.IsZero() {
		rng := w.stream(streamDense, uint64(w.calls[b.head].sent)^uint64(i)<<40)
		work *= t.Noise.Sample(rng, 0)
	}
	for id := b.head; id != none; id = w.calls[id].next {
		w.calls[id].started = w.now
	}
	w.start(b.server, work, &w.onBatch, handle(i, b.gen))
}

// batchDue is an open batch whose timeout has passed.
func (w *world) batchDue(arg uint64) {
	i, gen := unhandle(arg)
	if b := &w.batches[i]; b.gen == gen {
		w.feed(b.server, b.process)
	}
}

// batchDone answers all calls of a batch.
func (w *world) batchDone(arg uint64) {
	i, gen := unhandle(arg)
	b := &w.batches[i]
	if b.gen != gen {
		return
	}
	at, process := b.server, b.process
	alive := b.epoch == w.servers[at].epoch
	if alive {
		w.servers[at].batch[process].busy--
	}
	head := b.head
	w.releaseBatch(i)
	for id := head; id != none; {
		c := &w.calls[id]
		next := c.next
		c.next = none
		if alive {
			w.stages[Dense].remove(w, c.arrived)
			w.sample.tier(w, Dense, w.now-c.arrived)
			w.answer(id)
		} else {
			w.forget(id)
		}
		id = next
	}
	if alive {
		w.feed(at, process)
	}
}

func (w *world) releaseBatch(i int32) {
	b := &w.batches[i]
	b.gen++
	b.next = w.freeB
	w.freeB = i
}

// dieBatches loses the batches of a container that has died.
func (w *world) dieBatches(s *server) {
	for k := range s.batch {
		p := &s.batch[k]
		for i := p.head; i != none; {
			next := w.batches[i].next
			for id := w.batches[i].head; id != none; {
				after := w.calls[id].next
				w.forget(id)
				id = after
			}
			w.releaseBatch(i)
			i = next
		}
		*p = batcher{head: none, tail: none}
	}
}
