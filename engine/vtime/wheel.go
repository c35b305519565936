package vtime

import "math/bits"

// timingWheel is the timer queue of the next half millisecond, in which most events
// lie: what answers to what has just happened. Each microsecond has a bucket, a list of
// events in their order. To add or take an event costs a few steps, however many
// there are. A bucket that is crowded refuses one in its middle; that goes into the
// heap like all that is further away.
type timingWheel struct {
	heads, tails [wheelBuckets]uint32 // slots plus one; 0 means none
	filled       [wheelBuckets / 64]uint64
	words        uint64       // which of filled are not 0
	links        []wheelEvent // by slot
	// min is the earliest event, while found says that it is known.
	min   event
	found bool
}

// wheelEvent is an event in a bucket.
type wheelEvent struct {
	at   int64
	born int64
	seq  uint64
	next uint32 // slot of the one behind it, plus one
}

const (
	wheelShift   = 10 // a bucket is 1.024 µs long
	wheelBuckets = 512
	wheelCrowd   = 16
)

func wheelBucket(at int64) int { return int(at>>wheelShift) & (wheelBuckets - 1) }

// holds reports whether an instant is near enough.
func (q *timingWheel) holds(now, at int64) bool { return at>>wheelShift-now>>wheelShift < wheelBuckets }

// push adds the event of slot i, which was scheduled now, after all others.
func (q *timingWheel) push(i uint32, at, now int64, seq uint64) bool {
	for int(i) >= len(q.links) {
		q.links = append(q.links, wheelEvent{})
	}
	q.links[i] = wheelEvent{at: at, born: now, seq: seq}
	b := wheelBucket(at)
	if q.words == 0 || q.found && at < q.min.at {
		q.min, q.found = event{at: at, born: now, seq: seq, slot: i}, true
	}
	switch tail := q.tails[b]; {
	case tail == 0:
		q.heads[b], q.tails[b] = i+1, i+1
		q.filled[b>>6] |= 1 << (b & 63)
		q.words |= 1 << (b >> 6)
	case q.links[tail-1].at <= at:
		q.links[tail-1].next = i + 1
		q.tails[b] = i + 1
	default:
		return q.insert(i, &q.heads[b])
	}
	return true
}

// insert adds an event before the last of its bucket.
func (q *timingWheel) insert(i uint32, link *uint32) bool {
	for range wheelCrowd {
		other := &q.links[*link-1]
		if other.at > q.links[i].at {
			q.links[i].next = *link
			*link = i + 1
			return true
		}
		link = &other.next
	}
	return false
}

// find looks for the earliest event; there must be one.
func (q *timingWheel) find(now int64) {
	i := q.first(now)
	q.min, q.found = event{at: q.links[i].at, born: q.links[i].born, seq: q.links[i].seq, slot: i}, true
}

// first is the slot of the earliest event.
func (q *timingWheel) first(now int64) uint32 {
	b := wheelBucket(now)
	word := b >> 6
	if later := q.filled[word] >> (b & 63); later != 0 {
		return q.heads[b+bits.TrailingZeros64(later)] - 1
	}
	words := q.words >> (word + 1) << (word + 1)
	if words == 0 {
		words = q.words // round the end
	}
	word = bits.TrailingZeros64(words)
	return q.heads[word<<6+bits.TrailingZeros64(q.filled[word])] - 1
}

// remove takes out the event of a slot.
func (q *timingWheel) remove(i uint32) {
	e := &q.links[i]
	if q.min.slot == i {
		q.found = false
	}
	b := wheelBucket(e.at)
	link, before := &q.heads[b], uint32(0)
	for *link != i+1 {
		before = *link
		link = &q.links[before-1].next
	}
	*link = e.next
	if e.next != 0 {
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
