package vtime

import "math/bits"

// timingWheel is the timer queue for the next half millisecond. Most events lie there, because they
// answer what has just happened. Each microsecond has a bucket, a list of slots in the order of
// their events. Adding or taking an event costs a few steps, however many there are. A crowded
// bucket refuses an event in its middle, which goes into the heap like all later events.
type timingWheel struct {
	heads, tails [wheelBuckets]uint32 // indexes of slots plus one; 0 if the bucket is empty
	filled       [wheelBuckets / 64]uint64
	words        uint64 // bit i is set when filled[i] is not 0
	// min is the slot of the earliest event. It is valid only while found is set.
	min   uint32
	found bool
}

const (
	wheelShift   = 10 // a bucket is 1.024 µs long
	wheelBuckets = 512
	wheelCrowd   = 16
)

func wheelBucket(at int64) int { return int(at>>wheelShift) & (wheelBuckets - 1) }

// holds reports whether an instant is near enough for the wheel.
func (q *timingWheel) holds(now, at int64) bool { return at>>wheelShift-now>>wheelShift < wheelBuckets }

// push adds the event of slot i, which must be the last at its instant. It reports false if the
// bucket is too crowded.
func (q *timingWheel) push(slots []slot, i uint32) bool {
	s := &slots[i]
	at := s.at
	b := wheelBucket(at)
	if q.words == 0 {
		q.min, q.found = i, true
	}
	switch tail := q.tails[b]; {
	case tail == 0:
		q.heads[b], q.tails[b] = i+1, i+1
		q.filled[b>>6] |= 1 << (b & 63)
		q.words |= 1 << (b >> 6)
		s.next = 0
	case slots[tail-1].at <= at:
		slots[tail-1].next = i + 1
		q.tails[b] = i + 1
		s.next = 0
	case !q.insert(slots, i, &q.heads[b]):
		return false
	}
	if q.found && at < slots[q.min].at {
		q.min = i
	}
	return true
}

// insert adds an event in the middle of its bucket. It reports false if the bucket is too crowded.
func (q *timingWheel) insert(slots []slot, i uint32, link *uint32) bool {
	for range wheelCrowd {
		other := &slots[*link-1]
		if other.at > slots[i].at {
			slots[i].next = *link
			*link = i + 1
			return true
		}
		link = &other.next
	}
	return false
}

// earliest returns the slot of the earliest event. The wheel must not be empty.
func (q *timingWheel) earliest(now int64) uint32 {
	if !q.found {
		q.min, q.found = q.first(now), true
	}
	return q.min
}

// first searches the buckets for the slot of the earliest event.
func (q *timingWheel) first(now int64) uint32 {
	b := wheelBucket(now)
	word := b >> 6
	if later := q.filled[word] >> (b & 63); later != 0 {
		return q.heads[b+bits.TrailingZeros64(later)] - 1
	}
	words := q.words >> (word + 1) << (word + 1)
	if words == 0 {
		words = q.words // wrap around
	}
	word = bits.TrailingZeros64(words)
	return q.heads[word<<6+bits.TrailingZeros64(q.filled[word])] - 1
}

// remove removes the event of a slot.
func (q *timingWheel) remove(slots []slot, i uint32) {
	if q.min == i {
		q.found = false
	}
	b := wheelBucket(slots[i].at)
	link, before := &q.heads[b], uint32(0)
	for *link != i+1 {
		before = *link
		link = &slots[before-1].next
	}
	*link = slots[i].next
	if *link != 0 {
		return
	}
	q.tails[b] = before
	if before == 0 {
		q.filled[b>>6] &^= 1 << (b & 63)
		if q.filled[b>>6] == 0 {
			q.words &^= 1 << (b >> 6)
		}
	}
}
