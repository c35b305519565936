package vtime

// slot holds a pending event in one cache line.
type slot struct {
	at    int64   // ns since the start of the world
	order uint64  // among the events of one instant, see orderOf
	do    Handler // nil when the event was cancelled, or the slot is free
	arg   uint64
	proc  *Process // whose life it depends on; nil for none
	node  *Node
	gen   uint32 // moves on when the event happens or is cancelled
	next  uint32 // inHeap, or the slot behind it in its bucket or in the list of free ones, plus one; 0 for none
}

// inHeap is the next of a slot whose event is in the heap, or will come there. It stays
// until the heap gives it back, also when it was cancelled: the heap asks for its order.
const inHeap = ^uint32(0)

// The events of one instant happen in the order of their classes, and those of a class in
// the order of scheduling, but for the first class: steps of loops are numbered by loop
// and part.
const (
	steps     uint64 = 0 << 62
	beforeAll uint64 = 1 << 62 // starts of tasks, and the like
	inTurn    uint64 = 2 << 62 // all others
)

// orderOf returns the order of an event by its class and number. The kind has the last bits,
// which decide nothing, as no number is used twice.
func orderOf(class, number uint64, kind Kind) uint64 {
	return class | number<<16&^(3<<62) | uint64(kind)
}

func (s *slot) kind() Kind     { return Kind(s.order) }
func (s *slot) number() uint64 { return s.order << 2 >> 18 }
func (s *slot) step() bool     { return s.order < beforeAll }

// Timer is a scheduled event that can be cancelled. The zero Timer is none.
type Timer struct {
	w    *World
	slot uint32
	gen  uint32
}

// Pending reports whether the event is still to happen.
func (t Timer) Pending() bool {
	return t.w != nil && int(t.slot) < len(t.w.slots) && t.w.slots[t.slot].gen == t.gen
}

// Cancel keeps the event from happening, and reports whether it was still to happen.
func (t Timer) Cancel() bool {
	if !t.Pending() {
		return false
	}
	w := t.w
	s := &w.slots[t.slot]
	if s.next != inHeap {
		w.wheel.remove(w.slots, t.slot)
		s.clear()
		w.recycle(t.slot)
		return true
	}
	s.clear()
	w.live--
	if n := w.heap.len() + w.far.count; n > 64 && w.live*2 < n {
		w.compact()
	}
	return true
}

// clear makes the slot's event one that does not happen.
func (s *slot) clear() {
	s.gen++
	s.do, s.proc = nil, nil
}

// recycle frees a slot which neither heap nor wheel holds any more.
func (w *World) recycle(i uint32) {
	w.slots[i].next = w.free
	w.free = i + 1
}

// fill closes the place that the event which is happening has left.
func (w *World) fill() {
	if w.hole {
		w.hole = false
		w.heap.drop(w.slots)
	}
	if w.far.count > 0 && w.heap.len() == 0 {
		w.refill()
	}
}

// schedule queues an event; one in the past happens now.
func (w *World) schedule(at int64, node *Node, proc *Process, kind Kind, do Handler, arg uint64) Timer {
	at = max(at, w.now)
	i := w.take(at, inTurn, node, proc, kind, do, arg)
	if !w.wheel.holds(w.now, at) || !w.wheel.push(w.slots, i) {
		w.push(i)
	}
	return Timer{w: w, slot: i, gen: w.slots[i].gen}
}

// scheduleBeforeAll queues an event of the present instant that happens before all those
// which were not queued in this way.
func (w *World) scheduleBeforeAll(proc *Process, kind Kind, do Handler, arg uint64) Timer {
	i := w.take(w.now, beforeAll, proc.node, proc, kind, do, arg)
	w.push(i)
	return Timer{w: w, slot: i, gen: w.slots[i].gen}
}

// take fills a slot for the next event.
func (w *World) take(at int64, class uint64, node *Node, proc *Process, kind Kind, do Handler, arg uint64) uint32 {
	w.seq++
	return w.fillSlot(at, class, w.seq, node, proc, kind, do, arg)
}

// fillSlot fills a slot for an event with a number.
func (w *World) fillSlot(at int64, class, number uint64, node *Node, proc *Process, kind Kind, do Handler, arg uint64) uint32 {
	i := w.free - 1
	if w.free == 0 {
		w.slots = append(w.slots, slot{})
		i = uint32(len(w.slots) - 1)
	} else {
		w.free = w.slots[i].next
	}
	s := &w.slots[i]
	s.at, s.order = at, orderOf(class, number, kind)
	s.do, s.arg, s.proc, s.node = do, arg, proc, node
	if w.causal {
		w.noteCause(i)
	}
	return i
}

// noteCause keeps the cause of the event in a slot. Only traces with records or origins
// ask for it.
func (w *World) noteCause(i uint32) {
	for int(i) >= len(w.causes) {
		w.causes = append(w.causes, 0)
	}
	w.causes[i] = w.cause
}

// push adds the event of a slot to those that are not near.
func (w *World) push(i uint32) {
	w.live++
	s := &w.slots[i]
	s.next = inHeap
	e := entry{at: s.at, slot: i}
	switch {
	case w.far.holds(e.at):
		w.far.push(e)
	case w.hole:
		w.hole = false
		w.heap.replace(w.slots, e)
	default:
		w.heap.push(w.slots, e)
		if n := w.heap.len(); n > w.crowd && 3*n > w.far.count {
			w.spread()
		}
	}
}

// peek returns the slot of the next event, which may be a cancelled one of the heap.
func (w *World) peek() (i uint32, near, ok bool) {
	w.fill()
	if w.wheel.words == 0 {
		if w.heap.len() == 0 {
			return 0, false, false
		}
		return w.heap.first().slot, false, true
	}
	i, near = w.peekNear()
	return i, near, true
}

// peekNear does what peek does while there are near events.
func (w *World) peekNear() (i uint32, near bool) {
	min := w.wheel.earliest(w.slots, w.now)
	if w.heap.len() > 0 && w.heap.first().before(w.slots, entry{at: w.slots[min].at, slot: min}) {
		return w.heap.first().slot, false
	}
	return min, true
}
