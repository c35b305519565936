package vtime

// slot holds a pending event in one cache line.
type slot struct {
	at    int64   // nanoseconds since the start of the world
	order uint64  // position among the events of the instant (see orderOf)
	do    Handler // nil if the event was cancelled or the slot is free
	arg   uint64
	proc  *Process // process without which the event does not happen; may be nil
	node  *Node
	gen   uint32 // increased when the event happens or is cancelled
	next  uint32 // inHeap, or one more than the index of the next slot in the bucket or in the list of free slots; 0 at the end
}

// inHeap is the value of next in a slot whose event is in the heap, or in the buckets from which
// the heap is filled. A cancelled event keeps the value until the heap returns the slot, because
// the heap still compares its order.
const inHeap = ^uint32(0)

// Events at one instant happen class by class. Within a class they happen in the order of
// scheduling. Only steps of loops are ordered by loop and part instead.
const (
	steps     uint64 = 0 << 62
	beforeAll uint64 = 1 << 62 // class of the starts of tasks, which come before all other events of the instant
	inTurn    uint64 = 2 << 62 // all other events
)

// orderOf returns an event's order, from its class and number. The last bits hold the kind. They
// never decide the order, because no number is used twice.
func orderOf(class, number uint64, kind Kind) uint64 {
	return class | number<<16&^(3<<62) | uint64(kind)
}

func (s *slot) kind() Kind     { return Kind(s.order) }
func (s *slot) number() uint64 { return s.order << 2 >> 18 }
func (s *slot) step() bool     { return s.order < beforeAll }

// Timer is a scheduled event that can be cancelled. The zero Timer stands for no event.
type Timer struct {
	w    *World
	slot uint32
	gen  uint32
}

// Pending reports whether the event has yet to happen.
func (t Timer) Pending() bool {
	return t.w != nil && int(t.slot) < len(t.w.slots) && t.w.slots[t.slot].gen == t.gen
}

// Cancel keeps the event from happening. It reports false when the event has happened already or
// was cancelled.
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

// clear cancels the event in the slot. Timers of that event then have no effect.
func (s *slot) clear() {
	s.gen++
	s.do, s.proc = nil, nil
}

// recycle frees a slot that neither the heap nor the wheel holds any more.
func (w *World) recycle(i uint32) {
	w.slots[i].next = w.free
	w.free = i + 1
}

// fill removes the current event from the top of the heap, and refills an empty heap. The event
// stays there until the next change of the heap, so that a new event can replace it.
func (w *World) fill() {
	if w.hole {
		w.hole = false
		w.heap.drop(w.slots)
	}
	if w.far.count > 0 && w.heap.len() == 0 {
		w.refill()
	}
}

// schedule queues an event. If its instant is in the past, it happens at the current instant.
func (w *World) schedule(at int64, node *Node, proc *Process, kind Kind, do Handler, arg uint64) Timer {
	at = max(at, w.now)
	i := w.take(at, inTurn, node, proc, kind, do, arg)
	if !w.wheel.holds(w.now, at) || !w.wheel.push(w.slots, i) {
		w.push(i)
	}
	return Timer{w: w, slot: i, gen: w.slots[i].gen}
}

// scheduleBeforeAll queues an event at the current instant, before all events that schedule has
// queued.
func (w *World) scheduleBeforeAll(proc *Process, kind Kind, do Handler, arg uint64) Timer {
	i := w.take(w.now, beforeAll, proc.node, proc, kind, do, arg)
	w.push(i)
	return Timer{w: w, slot: i, gen: w.slots[i].gen}
}

// take fills a slot for an event, with the next number in the order of scheduling.
func (w *World) take(at int64, class uint64, node *Node, proc *Process, kind Kind, do Handler, arg uint64) uint32 {
	w.seq++
	return w.fillSlot(at, class, w.seq, node, proc, kind, do, arg)
}

// fillSlot fills a slot for an event with a given number, and returns the slot's index.
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

// noteCause stores the current cause for the event in slot i. Only traces with records or origins
// need it.
func (w *World) noteCause(i uint32) {
	for int(i) >= len(w.causes) {
		w.causes = append(w.causes, 0)
	}
	w.causes[i] = w.cause
}

// push adds an event that is too late for the wheel. It goes into the heap, or into the far events.
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
		if n := w.heap.len(); n > w.heapLimit && 3*n > w.far.count {
			w.spread()
		}
	}
}

// peek returns the slot of the next event. near reports whether it is in the wheel. An event in the
// heap may have been cancelled.
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

// peekNear does what peek does when the wheel is not empty.
func (w *World) peekNear() (i uint32, near bool) {
	min := w.wheel.earliest(w.now)
	if w.heap.len() > 0 && w.heap.first().before(w.slots, entry{at: w.slots[min].at, slot: min}) {
		return w.heap.first().slot, false
	}
	return min, true
}
