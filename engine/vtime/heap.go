package vtime

// event is one entry of the queue, a value: node, kind and what is to happen
// live in the slot, so that sifting moves 32 bytes and the collector sees no
// pointers.
type event struct {
	at   int64  // ns since the start of the world
	born int64  // when it was scheduled, or is to count as scheduled
	seq  uint64 // order of scheduling; born and then this decide between events of one instant
	slot uint32
	gen  uint32 // the event is void when the slot's generation has moved on
}

func (a *event) before(b *event) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.born < b.born || (a.born == b.born && a.seq < b.seq)
}

// eventHeap is a binary min-heap on (at, born, seq). It moves a hole instead of
// swapping, which halves the copies.
type eventHeap []event

func (h *eventHeap) push(e event) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(&s[parent]) {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = e
}

func (h *eventHeap) pop() event {
	top := (*h)[0]
	h.drop()
	return top
}

// drop takes out the first event.
func (h *eventHeap) drop() {
	s := *h
	last := s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) > 0 {
		s.sift(0, last)
	}
}

// replace puts e in the place of the first event. It nearly always comes early
// (the answer to what has just happened) or late (the next period), so it looks
// at the top before it walks down.
func (h eventHeap) replace(e event) {
	if len(h) > 1 {
		child := 1
		if len(h) > 2 && h[2].before(&h[1]) {
			child = 2
		}
		if h[child].before(&e) {
			h.sift(0, e)
			return
		}
	}
	h[0] = e
}

// sift puts e at position i or below, where it belongs. It walks the hole down
// to a leaf along the smaller children and then lets e rise: an element taken
// from the end nearly always belongs near the end, so this saves a comparison
// a level.
func (h eventHeap) sift(i int, e event) {
	n := len(h)
	start := i
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if right := child + 1; right < n && h[right].before(&h[child]) {
			child = right
		}
		h[i] = h[child]
		i = child
	}
	for i > start {
		parent := (i - 1) / 2
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

// compact drops the events for which void is true and restores the order.
func (h *eventHeap) compact(void func(*event) bool) {
	s := *h
	kept := s[:0]
	for i := range s {
		if !void(&s[i]) {
			kept = append(kept, s[i])
		}
	}
	*h = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		kept.sift(i, kept[i])
	}
}
