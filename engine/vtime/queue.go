package vtime

// slot holds what a pending event will do.
type slot struct {
	gen   uint32
	next  uint32
	cause uint64
	arg   uint64
	proc  *Process
	node  *Node
	do    Handler
	kind  Kind
	near  bool // the event is in the near queue, not in the heap
}

// Timer is a scheduled event that can be cancelled. The zero Timer is none.
type Timer struct {
	w    *World
	slot uint32
	gen  uint32
}

// Pending reports whether the event is still to happen.
func (t Timer) Pending() bool { return t.w != nil && t.w.slots[t.slot].gen == t.gen }

// Cancel keeps the event from happening, and reports whether it was still to happen.
func (t Timer) Cancel() bool {
	if !t.Pending() {
		return false
	}
	if t.w.slots[t.slot].near {
		t.w.wheel.remove(t.slot)
		t.w.release(t.slot)
		return true
	}
	t.w.release(t.slot)
	t.w.live--
	if len(t.w.heap) > 64 && t.w.live*2 < len(t.w.heap) {
		t.w.fill()
		t.w.heap.compact(t.w.void)
	}
	return true
}

// fill closes the place that the event which is happening has left.
func (w *World) fill() {
	if w.hole {
		w.hole = false
		w.heap.drop()
	}
}

func (w *World) void(e *event) bool { return w.slots[e.slot].gen != e.gen }

func (w *World) release(i uint32) {
	s := &w.slots[i]
	s.gen++
	s.do, s.proc = nil, nil
	s.next = w.free
	w.free = i + 1
}

// schedule queues an event; one in the past happens now.
func (w *World) schedule(at int64, node *Node, proc *Process, kind Kind, do Handler, arg uint64) Timer {
	at = max(at, w.now)
	i := w.take(node, proc, kind, do, arg)
	s := &w.slots[i]
	if s.near = w.wheel.holds(w.now, at) && w.wheel.push(i, at, w.now, w.seq); s.near {
		return Timer{w: w, slot: i, gen: s.gen}
	}
	return w.push(event{at: at, born: w.now, seq: w.seq, slot: i, gen: s.gen})
}

// beforeAll is earlier than any event was scheduled.
const beforeAll = -1

// scheduleAsOf queues an event that is, among those of its instant, where one is that
// was scheduled at the earlier time born.
func (w *World) scheduleAsOf(born, at int64, proc *Process, kind Kind, do Handler, arg uint64) Timer {
	i := w.take(proc.node, proc, kind, do, arg)
	s := &w.slots[i]
	s.near = false
	return w.push(event{at: at, born: born, seq: w.seq, slot: i, gen: s.gen})
}

// take fills a slot for the next event.
func (w *World) take(node *Node, proc *Process, kind Kind, do Handler, arg uint64) uint32 {
	var i uint32
	if w.free != 0 {
		i = w.free - 1
		w.free = w.slots[i].next
	} else {
		w.slots = append(w.slots, slot{})
		i = uint32(len(w.slots) - 1)
	}
	s := &w.slots[i]
	s.node, s.kind, s.do, s.arg, s.proc, s.cause = node, kind, do, arg, proc, w.cause
	w.seq++
	return i
}

// push adds an event to the heap.
func (w *World) push(e event) Timer {
	w.live++
	if w.hole {
		w.hole = false
		w.heap.replace(e)
	} else {
		w.heap.push(e)
	}
	return Timer{w: w, slot: e.slot, gen: e.gen}
}

// peek is the next event, which in the heap may be void.
func (w *World) peek() (e event, near, ok bool) {
	w.fill()
	switch {
	case w.wheel.words != 0:
		e, near = w.peekNear()
		return e, near, true
	case len(w.heap) > 0:
		return w.heap[0], false, true
	}
	return event{}, false, false
}

// peekNear is peek while there are near events.
func (w *World) peekNear() (e event, near bool) {
	if !w.wheel.found {
		w.wheel.find(w.now)
	}
	if len(w.heap) > 0 && w.heap[0].before(&w.wheel.min) {
		return w.heap[0], false
	}
	e = w.wheel.min
	e.gen = w.slots[e.slot].gen
	return e, true
}
