package vtime

import "math/bits"

// farEvents holds the events from some instant on, roughly sorted: in buckets by the
// highest six bits in which an instant differs from base. The heap has all earlier ones.
// When it is empty the earliest bucket goes into it, or into finer buckets when it has
// many events. So an event is added to the end of a list two or three times and then to a
// small heap, in place of to one heap of all events, which is in no near cache when there
// are ten thousand.
type farEvents struct {
	base   int64
	limit  uint64 // the first instant that is not the heap's
	count  int
	levels uint64 // which of filled are not 0
	filled [farLevels]uint64
	tails  farTails
	blocks []farBlock
	free   uint32 // first free block plus one; 0 means none
}

// farTails are the last blocks of buckets plus one; 0 means none.
type farTails [farLevels][farBuckets]uint32

// farBlock is a part of a bucket. All but the last are full.
type farBlock struct {
	before  uint32 // block plus one
	used    uint32
	entries [farBlockSize]entry
}

const (
	farBits      = 6
	farBuckets   = 1 << farBits
	farLevels    = 11
	farBlockSize = 15
	// farMany is how many events of a bucket go into finer ones.
	farMany = 256
)

// holds reports whether an instant is not the heap's.
func (f *farEvents) holds(at int64) bool { return uint64(at) >= f.limit }

// push adds an event of an instant that it holds.
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

// block is an empty block behind another.
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

// take takes the last block off a bucket, for the caller to copy what is in it before
// anything is pushed.
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

// earliest takes the earliest bucket out, which the caller has to empty. When coarse, its
// events are to be pushed anew, into finer buckets; otherwise they are the heap's.
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

// empty takes all buckets out, each of which the caller has to empty.
func (f *farEvents) empty() farTails {
	tails := f.tails
	f.tails, f.filled, f.levels = farTails{}, [farLevels]uint64{}, 0
	return tails
}

// refill lets the heap, which is empty, have the earliest events.
func (w *World) refill() {
	f := &w.far
	for f.count > 0 && w.heap.len() == 0 {
		tail, coarse := f.earliest()
		w.repush(tail, !coarse)
	}
	w.crowd = max(4*farMany, 2*w.heap.len())
}

// repush pushes the events of a bucket that was taken out, but for cancelled ones.
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

// touch reads what will be needed soon of events that happen soon: many misses of the
// caches at once take little longer than one.
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

// compact drops all cancelled events.
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

// spread is called when the heap is crowded: when few events lay far apart, the first of
// them was given a long time for itself. All events are sorted into buckets anew.
func (w *World) spread() {
	w.fill()
	w.far.base, w.far.limit = w.now, uint64(w.now)
	w.repushAll()
	for _, e := range w.heap.entries[heapTop:] {
		w.far.push(e)
	}
	w.heap.entries = w.heap.entries[:heapTop]
}
