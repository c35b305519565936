package model

// noTails returns the ends of an empty priority queue, one for each priority.
func noTails() *[priorities]int32 {
	t := &[priorities]int32{}
	for k := range t {
		t[k] = none
	}
	return t
}

// full reports whether a container's queue is full for a request to the given model, whose
// priority may have a limit of its own.
func (w *world) full(s *server, t *Tier, model uint8) bool {
	limit := t.Queue
	if t.Limits != nil {
		limit = t.Limits[w.served[model].Priority]
	}
	return limit >= 0 && int(s.queued) >= limit
}

// after returns the link to the next element of a queue. Elements are requests at an entry
// container, and calls elsewhere.
func (w *world) after(s *server, id int32) *int32 {
	if s.tier == Entry {
		return &w.requests[id].next
	}
	return &w.calls[id].next
}

// enqueue adds a request or call to its container's queue: at the end, or behind the last
// element of at least the same priority.
func (w *world) enqueue(s *server, id int32, model uint8) {
	s.queued++
	before := s.tail
	switch {
	case s.head == none:
		before = none
	case s.tails != nil:
		before = none
		for p := int(w.served[model].Priority); p >= 0 && before == none; p-- {
			before = s.tails[p]
		}
	}
	next := w.after(s, id)
	if before == none {
		*next = s.head
		s.head = id
	} else {
		link := w.after(s, before)
		*next, *link = *link, id
	}
	if *next == none {
		s.tail = id
	}
	if s.tails != nil {
		s.tails[w.served[model].Priority] = id
	}
}

// dequeue removes the first element of a queue that is not empty. model is the element's
// model.
func (w *world) dequeue(s *server, model uint8) {
	id := s.head
	next := w.after(s, id)
	s.head, *next = *next, none
	if s.tails != nil {
		if last := &s.tails[w.served[model].Priority]; *last == id {
			*last = none
		}
	}
}
