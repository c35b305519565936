package vtime

import "math/bits"

// entry is the part of an event that the heap compares and moves. The rest of the event is in its
// slot, which the heap reads only if two events have the same instant.
type entry struct {
	at   int64
	slot uint32
}

func (a entry) before(slots []slot, b entry) bool {
	return a.at < b.at || a.at == b.at && slots[a.slot].order < slots[b.slot].order
}

// eventHeap is a min-heap ordered by instant and then by order. Each entry has four children, which
// share a cache line. So a level costs as much as in a binary heap, but the heap has half as many
// levels.
type eventHeap struct {
	// entries starts at index heapTop, so that the children of any entry begin at a
	// multiple of four.
	entries []entry
}

const heapTop = 3

func heapParent(i int) int   { return i/4 + 2 }
func heapChildren(i int) int { return 4*i - 8 }

func (h *eventHeap) len() int { return max(len(h.entries)-heapTop, 0) }

// first returns the earliest entry; the heap must not be empty.
func (h *eventHeap) first() entry { return h.entries[heapTop] }

func (h *eventHeap) push(slots []slot, e entry) {
	if h.entries == nil {
		h.entries = make([]entry, heapTop, 64)
	}
	h.entries = append(h.entries, e)
	s := h.entries
	i := len(s) - 1
	for i > heapTop {
		parent := heapParent(i)
		if !e.before(slots, s[parent]) {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = e
}

// drop removes the first entry.
func (h *eventHeap) drop(slots []slot) {
	last := len(h.entries) - 1
	e := h.entries[last]
	h.entries = h.entries[:last]
	if last > heapTop {
		h.sift(slots, heapTop, e)
	}
}

// replace removes the first entry and adds e.
func (h *eventHeap) replace(slots []slot, e entry) { h.sift(slots, heapTop, e) }

// sift puts e at index i or at a descendant of i, so that the heap is in order again.
func (h *eventHeap) sift(slots []slot, i int, e entry) {
	s := h.entries
	for {
		child := heapChildren(i)
		if child+4 > len(s) {
			break
		}
		child += leastOfFour(slots, (*[4]entry)(s[child:]))
		if !s[child].before(slots, e) {
			s[i] = e
			return
		}
		s[i] = s[child]
		i = child
	}
	if child := heapChildren(i); child < len(s) {
		child += least(slots, s[child:])
		if s[child].before(slots, e) {
			s[i] = s[child]
			i = child
		}
	}
	s[i] = e
}

// leastOfFour returns the index of the earliest of four entries, as least does. It avoids branches
// on the instants, because a processor cannot predict these.
func leastOfFour(slots []slot, s *[4]entry) int {
	a := earlier(s[1].at, s[0].at)
	b := 2 + earlier(s[3].at, s[2].at)
	first, second := s[a&3].at, s[b&3].at
	if first == second || s[0].at == s[1].at || s[2].at == s[3].at {
		return least(slots, s[:])
	}
	return a + (b-a)*earlier(second, first)
}

// earlier returns 1 when the instant a is before b, otherwise 0.
func earlier(a, b int64) int {
	_, borrow := bits.Sub64(uint64(a), uint64(b), 0)
	return int(borrow)
}

// least returns the index of the earliest entry.
func least(slots []slot, s []entry) int {
	m := 0
	for i := 1; i < len(s); i++ {
		if s[i].before(slots, s[m]) {
			m = i
		}
	}
	return m
}

// compact drops cancelled events, frees their slots and restores the order of the heap.
func (h *eventHeap) compact(slots []slot, free func(slot uint32)) {
	if h.len() == 0 {
		return
	}
	kept := h.entries[:heapTop]
	for _, e := range h.entries[heapTop:] {
		if slots[e.slot].do == nil {
			free(e.slot)
		} else {
			kept = append(kept, e)
		}
	}
	h.entries = kept
	for i := heapParent(len(kept) - 1); i >= heapTop; i-- {
		h.sift(slots, i, kept[i])
	}
}
