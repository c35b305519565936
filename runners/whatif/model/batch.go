package model

// feeder holds the batch threads of one server process, which all models of the process share. They
// visit the models' queues in turn, like the threads of TensorFlow Serving's SharedBatchScheduler.
type feeder struct {
	busy int32 // number of batch threads that compute now
	turn int32 // index of the model whose queue is visited next
}

// batcher is the batch queue of one model in one server process. The last batch is open: it
// accepts calls while all threads are busy. A batch closes when it is full. It also closes
// when its timeout has passed and a thread is free.
type batcher struct {
	queued int32 // number of batches that have not begun, including the open one
	head   int32 // index of the first of these batches
	tail   int32 // index of the last of these batches, which may be open
	open   bool  // whether the last batch still accepts calls
}

// batch is a list of calls that are computed together.
type batch struct {
	items   float64 // number of items of its calls, summed
	since   int64   // time at which its first call came
	formed  int64   // time at which it became full or reached its timeout
	ends    int64   // time at which its work ends; 0 before the work begins, and always if threads share cores
	work    float64 // nanoseconds of work on a device; stored while the batch's input waits for weights to be copied
	head    int32   // index of its first call
	tail    int32   // index of its last call
	next    int32   // index of the next batch in the queue or in the list of free batches
	server  int32   // container that computes the batch
	process uint8   // server process of the container
	model   uint8   // index of the model in whose queue the batch is
	epoch   uint32  // the container's epoch when the batch was formed; if it differs later, the container has died
	gen     uint32  // number of times that this batch's index was reused, see handle
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

// enterBatch adds a call to the open batch of its model's queue. If too many batches wait already,
// the call is rejected.
func (w *world) enterBatch(id int32) {
	c := &w.calls[id]
	s := &w.servers[c.server]
	p := &s.batch[w.queueOf(c.process, w.served[c.model].Queue)]
	t := w.spec.Tiers[Dense].Batch
	items := w.requests[c.req].items
	if c.flags&clientDone != 0 {
		items = 1 // its request ended while the call was on its way, so its items are no longer known
	}
	if p.open && w.batches[p.tail].items+items > float64(t.MaxItems) {
		w.form(p)
	}
	if !p.open {
		if int(p.queued) >= t.MaxQueued {
			w.turnAway(id)
			return
		}
		w.openBatch(c, p)
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
		w.form(p)
	}
	w.feed(c.server, c.process)
}

// form closes the open batch of a queue, so that it accepts no more calls.
func (w *world) form(p *batcher) {
	p.open = false
	b := &w.batches[p.tail]
	b.formed = min(b.formed, w.now)
}

func (w *world) openBatch(c *call, p *batcher) {
	i := w.takeBatch()
	s := &w.servers[c.server]
	w.batches[i] = batch{since: w.now, formed: w.now + w.spec.Tiers[Dense].Batch.TimeoutNs, head: none, tail: none, next: none, server: c.server, process: c.process, model: w.served[c.model].Queue, epoch: s.epoch, gen: w.batches[i].gen}
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

// queueOf returns the index of a model's queue in a process.
func (w *world) queueOf(process, model uint8) int { return int(process)*len(w.served) + int(model) }

// feed gives ready batches to free threads, visiting the models' queues in turn.
func (w *world) feed(at int32, process uint8) {
	f := &w.servers[at].feeds[process]
	models := int32(len(w.served))
	for tried := int32(0); int(f.busy) < w.spec.Tiers[Dense].Batch.Threads && tried < models; {
		p := &w.servers[at].batch[w.queueOf(process, uint8(f.turn))]
		f.turn = (f.turn + 1) % models
		i := w.ready(p)
		if i == none {
			tried++
			continue
		}
		tried = 0
		if w.skipBatch(i) {
			continue
		}
		f.busy++
		w.runBatch(i)
	}
}

// ready takes the next batch from a queue. It returns none if the queue is empty, or if its only
// batch still waits for calls.
func (w *world) ready(p *batcher) int32 {
	i := p.head
	if i == none {
		return none
	}
	b := &w.batches[i]
	if i == p.tail && p.open {
		if w.now < b.since+w.spec.Tiers[Dense].Batch.TimeoutNs {
			return none
		}
		p.open = false
	}
	p.head = b.next
	p.queued--
	return i
}

func (w *world) runBatch(i int32) {
	b := &w.batches[i]
	m := &w.served[b.model]
	work := m.Laws[Dense].MeanOf(b.items)
	if !m.Noise[Dense].IsZero() {
		rng := w.stream(streamDense, uint64(w.calls[b.head].sent)^uint64(i)<<40)
		work *= m.Noise[Dense].Sample(rng, 0)
	}
	for id := b.head; id != none; id = w.calls[id].next {
		c := &w.calls[id]
		c.started = w.now
		c.work = max(min(b.formed, w.now)-c.arrived, 0)
	}
	if s := &w.servers[b.server]; s.device != nil {
		d := w.spec.Tiers[Dense].Device
		b.work = work + s.device.more(w, s, b, d)
		if wait := s.device.waits(w, b, d); wait > 0 {
			w.at(w.now+wait, &w.onPiece, handle(i, b.gen))
			return
		}
		work = b.work
	}
	w.beginBatch(i, work)
}

func (w *world) beginBatch(i int32, work float64) {
	b := &w.batches[i]
	if _, took := w.start(b.server, work, &w.onBatch, handle(i, b.gen)); took > 0 {
		w.batches[i].ends = w.now + took
	}
}

// skipBatch ends a batch without any work if all of its calls are past their deadline, and reports
// whether it did (as ProcessBatch in batching_session.cc).
func (w *world) skipBatch(i int32) bool {
	for id := w.batches[i].head; id != none; id = w.calls[id].next {
		if !w.late(&w.calls[id], &w.spec.Tiers[Dense]) {
			return false
		}
	}
	head := w.batches[i].head
	w.releaseBatch(i)
	for id := head; id != none; {
		next := w.calls[id].next
		w.calls[id].next = none
		w.skip(id)
		id = next
	}
	return true
}

// batchDue runs when the timeout of a batch is over. If a thread is free, the batch begins, unless
// it has begun already.
func (w *world) batchDue(arg uint64) {
	i, gen := unhandle(arg)
	if b := &w.batches[i]; b.gen == gen {
		w.feed(b.server, b.process)
	}
}

// batchDone answers all calls of a batch. If the container died in the meantime, it drops them.
func (w *world) batchDone(arg uint64) {
	i, gen := unhandle(arg)
	b := &w.batches[i]
	if b.gen != gen {
		return
	}
	at, process := b.server, b.process
	alive := b.epoch == w.servers[at].epoch
	if alive {
		s := &w.servers[at]
		s.feeds[process].busy--
		if s.device != nil {
			s.device.idle = w.now
		}
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

// dieBatches drops the batches of a container that has died.
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
	clear(s.feeds)
}
