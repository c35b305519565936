package model

// deadlines is a queue of deadlines that all have the same timeout, so that they are due in the
// order in which they were added. A ring buffer and one scheduled event, for the first deadline,
// therefore suffice.
type deadlines struct {
	ring []deadline
	head int
	n    int
	set  bool     // whether an event is scheduled
	fire *handler // handler of that event
}

type deadline struct {
	at     int64
	arg    uint64
	single bool // whether arg identifies a single call instead of a request
}

func (d *deadlines) push(w *world, at int64, arg uint64, single bool) {
	if d.fire == &w.onTimeout && w.spec.Timeout == 0 {
		return
	}
	if d.n == len(d.ring) {
		larger := make([]deadline, max(64, 2*d.n))
		for i := range d.n {
			larger[i] = d.ring[(d.head+i)%d.n]
		}
		d.ring, d.head = larger, 0
	}
	d.ring[(d.head+d.n)&(len(d.ring)-1)] = deadline{at, arg, single}
	d.n++
	if !d.set {
		d.set = true
		w.at(at, d.fire, 0)
	}
}

// fired calls act for each deadline that is due, and schedules the next one whose call is still
// open.
func (d *deadlines) fired(w *world, act func(arg uint64, single bool)) {
	for d.n > 0 {
		first := d.ring[d.head]
		if !w.over(first.arg, first.single) {
			if first.at > w.now {
				w.at(first.at, d.fire, 0)
				return
			}
			d.pop()
			act(first.arg, first.single)
			continue
		}
		d.pop()
	}
	d.set = false
}

func (d *deadlines) pop() {
	d.head = (d.head + 1) & (len(d.ring) - 1)
	d.n--
}

// hedge sends a second call beside each of a request's first attempts that is still unanswered.
func (w *world) hedge(arg uint64, _ bool) {
	i, gen := unhandle(arg)
	if w.requests[i].stage != stageFan {
		return
	}
	for slot := range w.served[w.requests[i].model].Calls {
		if w.requests[i].gen != gen {
			return
		}
		at := int(i)*w.stride + slot
		id := w.slots[at]
		if id == none || w.hedges[at] != none || w.calls[id].attempt > 0 {
			continue
		}
		rng := w.stream(streamRetry, w.requests[i].number<<16^uint64(slot)<<4^0xf)
		w.send(i, attemptOf{slot: slot, first: w.calls[id].first, waits: w.calls[id].waits, to: none, hedge: true}, rng)
	}
}
