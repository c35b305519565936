package vtime

// slot holds what a pending event will do.
type slot struct {
	gen   uint32
	next  uint32 // free slot, or slot of the same bucket; plus one
	at    int64  // of a near event, as is seq
	seq   uint64
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

// Pending says whether the event is still to happen.
func (t Timer) Pending() bool { return t.w != nil && t.w.slots[t.slot].gen == t.gen }

// Cancel makes the event void; it reports whether it was still to happen.
func (t Timer) Cancel() bool {
	if !t.Pending() {
		return false
	}
	if t.w.slots[t.slot].near {
		t.w.near.remove(t.w.slots, t.slot)
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
	if at < w.now {
		at = w.now
	}
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
	s.at, s.seq = at, w.seq
	if s.near = w.near.holds(w.now, at) && w.near.push(w.slots, i); !s.near {
		w.pushFar(event{at: at, seq: w.seq, slot: i, gen: s.gen})
	}
	return Timer{w: w, slot: i, gen: s.gen}
}

func (w *World) pushFar(e event) {
	w.live++
	if w.hole {
		w.hole = false
		w.heap.replace(e)
	} else {
		w.heap.push(e)
	}
}

// peek is the next event, which in the heap may be void.
func (w *World) peek() (e event, near, ok bool) {
	w.fill()
	i, near := w.near.first(w.now)
	if near {
		s := &w.slots[i]
		e = event{at: s.at, seq: s.seq, slot: i, gen: s.gen}
	}
	if len(w.heap) > 0 && (!near || w.heap[0].before(&e)) {
		return w.heap[0], false, true
	}
	return e, near, near
}

// take takes out the event that peek has found.
func (w *World) take(e *event, near bool) {
	if near {
		w.near.remove(w.slots, e.slot)
		return
	}
	w.hole = true
}
