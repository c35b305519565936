package vtime

import "math/bits"

// farEvents holds the later events, roughly sorted. The highest six bits in which an event's
// instant differs from base choose its bucket. All earlier events are in the heap. When the heap is
// empty, the earliest bucket moves into it, or into finer buckets when it has many events.
// Appending an event to two or three lists and then to a small heap is cheaper than one large heap,
// which with ten thousand events would not fit the processor's caches.
type farEvents struct {
	base   int64
	limit  uint64 // instant from which on events are not in the heap, but here
	count  int
	levels uint64 // bit i is set when filled[i] is not 0
	filled [farLevels]uint64
	tails  farTails
	blocks []farBlock
	free   uint32 // index of the first free block plus one; 0 if there is none
}

// farTails holds the index of the last block of each bucket plus one, and 0 for an empty bucket.
type farTails [farLevels][farBuckets]uint32

// farBlock is a part of a bucket. All blocks of a bucket but the last are full.
type farBlock struct {
	before  uint32 // index of the bucket's previous block plus one; 0 if there is none
	used    uint32 // number of entries in use
	entries [farBlockSize]entry
}

const (
	farBits      = 6
	farBuckets   = 1 << farBits
	farLevels    = 11
	farBlockSize = 15
	// farMany is the number of events above which a bucket is split into finer ones.
	farMany = 256
)

// holds reports whether events of an instant belong in these buckets rather than in the heap.
func (f *farEvents) holds(at int64) bool { return uint64(at) >= f.limit }

// push adds an event. holds must be true for its instant.
func (f *farEvents) push(e entry) {
	level := (bits.Len64(uint64(e.at^f.base)|1) - 1) / farBits
	bucket := e.at >> (level * farBits) & (farBuckets - 1)
	tail := &f.tails[level][bucket]
	if *tail == 0 {
		f.filled[level] |= 1 << bucket
		f.levels |= 1 << level
	}
	if *tail == 0 || f.blocks[*tail-1].used == farBlockSize {
		*tail = f.block(*tail)
	}
	b := &f.blocks[*tail-1]
	b.entries[b.used] = e
	b.used++
	f.count++
}

// block returns an empty block that is linked to the bucket's previous block.
func (f *farEvents) block(before uint32) uint32 {
	i := f.free
	if i == 0 {
		f.blocks = append(f.blocks, farBlock{})
		i = uint32(len(f.blocks))
	} else {
		f.free = f.blocks[i-1].before
	}
	b := &f.blocks[i-1]
	b.before, b.used = before, 0
	return i
}

// take removes the last block of a bucket and returns its entries. The next push may reuse the
// block, so the caller must copy the entries before.
func (f *farEvents) take(tail *uint32) []entry {
	i := *tail
	b := &f.blocks[i-1]
	*tail = b.before
	b.before, f.free = f.free, i
	f.count -= int(b.used)
	return b.entries[:b.used]
}

// many reports whether a bucket has more than farMany events.
func (f *farEvents) many(tail uint32) bool {
	n := 0
	for ; tail != 0 && n <= farMany; tail = f.blocks[tail-1].before {
		n += int(f.blocks[tail-1].used)
	}
	return n > farMany
}

// earliest removes the earliest bucket and returns its last block. The caller has to take all
// events of the bucket, and to push them again: into finer buckets if coarse is true, and otherwise
// into the heap.
func (f *farEvents) earliest() (tail uint32, coarse bool) {
	level := bits.TrailingZeros64(f.levels)
	bucket := bits.TrailingZeros64(f.filled[level])
	if f.filled[level] &^= 1 << bucket; f.filled[level] == 0 {
		f.levels &^= 1 << level
	}
	tail, f.tails[level][bucket] = f.tails[level][bucket], 0
	shift := level * farBits
	start := uint64(f.base)>>shift&^(farBuckets-1)<<shift | uint64(bucket)<<shift
	f.base = int64(start)
	coarse = level > 0 && f.many(tail)
	if f.limit = start; !coarse {
		f.limit += 1 << shift
	}
	return tail, coarse
}

// empty removes all buckets and returns them. The caller has to take all events out of them.
func (f *farEvents) empty() farTails {
	tails := f.tails
	f.tails, f.filled, f.levels = farTails{}, [farLevels]uint64{}, 0
	return tails
}

// refill moves the earliest events into the heap, which must be empty.
func (w *World) refill() {
	f := &w.far
	for f.count > 0 && w.heap.len() == 0 {
		tail, coarse := f.earliest()
		w.repush(tail, !coarse)
	}
	w.heapLimit = max(4*farMany, 2*w.heap.len())
}

// repush pushes the events of a removed bucket again and drops the cancelled ones.
func (w *World) repush(tail uint32, toHeap bool) {
	var copied [farBlockSize]entry
	for tail != 0 {
		entries := copied[:copy(copied[:], w.far.take(&tail))]
		if toHeap {
			w.touch(entries)
		}
		for _, e := range entries {
			switch {
			case w.slots[e.slot].do == nil:
				w.recycle(e.slot)
			case toHeap:
				w.heap.push(w.slots, e)
			default:
				w.far.push(e)
			}
		}
	}
}

// touch reads the memory that the next events will need, to bring it into the processor's cache.
// Many cache misses at once take little longer than one.
func (w *World) touch(entries []entry) {
	sum := uint64(0)
	for _, e := range entries {
		sum += w.slots[e.slot].node.hash
	}
	for _, e := range entries {
		if t, ok := w.slots[e.slot].do.(*Task); ok && t.co != nil {
			sum += uint64(len(t.waitsFor))
			warm(t.co.self, t.co.stack, t.co.next)
		}
	}
	w.touched = sum
}

// compact drops all cancelled events from the heap and the buckets.
func (w *World) compact() {
	w.fill()
	w.heap.compact(w.slots, w.recycle)
	w.repushAll()
}

func (w *World) repushAll() {
	tails := w.far.empty()
	for level := range tails {
		for _, tail := range tails[level] {
			w.repush(tail, false)
		}
	}
}

// spread sorts all events into buckets anew when the heap has become too large. That happens after
// a time of few, distant events, when the heap covers too long a span of time.
func (w *World) spread() {
	w.fill()
	w.far.base, w.far.limit = w.now, uint64(w.now)
	w.repushAll()
	for _, e := range w.heap.entries[heapTop:] {
		w.far.push(e)
	}
	w.heap.entries = w.heap.entries[:heapTop]
}
