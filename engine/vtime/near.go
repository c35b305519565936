package vtime

import "math/bits"

// nearQueue holds the events of the next millisecond, which are most events: what
// answers to what has just happened. Each microsecond has a bucket, a list of slots
// in the order of their events. To add or take an event costs a few steps, however
// many there are. A bucket that is crowded refuses one in its middle; that goes into
// the heap like all that is further away.
type nearQueue struct {
	heads, tails [nearBuckets]uint32 // slots plus one; 0 means none
	filled       [nearBuckets / 64]uint64
	words        uint64 // which of filled are not 0
}

const (
	nearShift   = 10 // a bucket is 1.024 µs long
	nearBuckets = 1024
	nearCrowd   = 16
)

func nearBucket(at int64) int { return int(at>>nearShift) & (nearBuckets - 1) }

// holds says whether an instant is near enough.
func (q *nearQueue) holds(now, at int64) bool { return at>>nearShift-now>>nearShift < nearBuckets }

// push adds the event of a slot, which was scheduled after all others.
func (q *nearQueue) push(slots []slot, i uint32) bool {
	s := &slots[i]
	b := nearBucket(s.at)
	s.next = 0
	switch tail := q.tails[b]; {
	case tail == 0:
		q.heads[b], q.tails[b] = i+1, i+1
		q.filled[b>>6] |= 1 << (b & 63)
		q.words |= 1 << (b >> 6)
	case slots[tail-1].at <= s.at:
		slots[tail-1].next = i + 1
		q.tails[b] = i + 1
	default:
		return q.insert(slots, i, &q.heads[b])
	}
	return true
}

// insert adds an event before the last of its bucket.
func (q *nearQueue) insert(slots []slot, i uint32, link *uint32) bool {
	at := slots[i].at
	for range nearCrowd {
		if slots[*link-1].at > at {
			slots[i].next = *link
			*link = i + 1
			return true
		}
		link = &slots[*link-1].next
	}
	return false
}

// first is the slot of the earliest event.
func (q *nearQueue) first(now int64) (i uint32, ok bool) {
	if q.words == 0 {
		return 0, false
	}
	b := nearBucket(now)
	word := b >> 6
	if later := q.filled[word] >> (b & 63); later != 0 {
		return q.heads[b+bits.TrailingZeros64(later)] - 1, true
	}
	words := q.words >> (word + 1) << (word + 1)
	if words == 0 {
		words = q.words // round the end
	}
	word = bits.TrailingZeros64(words)
	return q.heads[word<<6+bits.TrailingZeros64(q.filled[word])] - 1, true
}

// remove takes out the event of a slot.
func (q *nearQueue) remove(slots []slot, i uint32) {
	s := &slots[i]
	b := nearBucket(s.at)
	link, before := &q.heads[b], uint32(0)
	for *link != i+1 {
		before = *link
		link = &slots[before-1].next
	}
	*link = s.next
	if s.next != 0 {
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
