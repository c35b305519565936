package dict

import "slices"

// list is a sequence that is split into chunks. Its items alone decide where: after each item
// whose ends is true. So equal sequences have equal chunks, however they were made.
type list[T item] struct {
	chunks []*chunk[T]
	sum    uint64 // sum is the sum of the chunks' hashes
}

type item interface {
	comparable
	// ends reports whether a list is split after the item.
	ends() bool
	// sum is a hash of the item.
	sum() uint64
}

// chunk is a part of a list, never empty. Equal chunks are one and the same.
type chunk[T item] struct {
	items []T
	hash  uint64
}

// meanChunk is the mean number of items in a chunk, a power of two. A change copies one chunk, and
// the list of all chunks.
const meanChunk = 32

func endsChunk(hash uint64) bool { return hash%meanChunk == 0 }

// mixer is the multiplier that spreads the bits of a hash.
const mixer = 0x9e3779b97f4a7c15

func (c *chunk[T]) last() T     { return c.items[len(c.items)-1] }
func (c *chunk[T]) sum() uint64 { return c.hash }
func (c *chunk[T]) same(o *chunk[T]) bool {
	return slices.Equal(c.items, o.items)
}

// index returns the chunk that contains an item, and the item's index in it.
func (l list[T]) index(v T) (i, j int) {
	for i, c := range l.chunks {
		if j := slices.Index(c.items, v); j >= 0 {
			return i, j
		}
	}
	return -1, -1
}

// shelf holds the chunks of all lists of one type.
type shelf[T item] struct {
	pool[chunk[T], *chunk[T]]
	items  []T         // items is a buffer to build a chunk in
	probe  chunk[T]    // probe is a buffer for the chunk to look up
	chunks []*chunk[T] // chunks is a buffer to build a list in
}

// append returns the list with one more item. Like splice's, the result is in the shelf's buffer.
func (s *shelf[T]) append(l list[T], v T) list[T] {
	n := len(l.chunks)
	if n == 0 || l.chunks[n-1].last().ends() {
		return s.splice(l, n, 0, 0, v)
	}
	return s.splice(l, n-1, len(l.chunks[n-1].items), 0, v)
}

// splice returns the list with gone items replaced by at most one, from the j-th item of the i-th
// chunk on. The result is in the shelf's buffer: the next splice overwrites it.
func (s *shelf[T]) splice(l list[T], i, j, gone int, by ...T) list[T] {
	items, next, sum := s.items[:0], i, l.sum
	take := func() []T {
		c := l.chunks[next]
		next, sum = next+1, sum-c.hash
		return c.items
	}
	if i < len(l.chunks) {
		old := take()
		items = append(append(append(items, old[:j]...), by...), old[j+gone:]...)
	} else {
		items = append(items, by...)
	}
	if n := len(items); n > 0 && !items[n-1].ends() && next < len(l.chunks) {
		items = append(items, take()...) // the item that ended the chunk is gone
	}
	s.items = items
	chunks := append(s.chunks[:0], l.chunks[:i]...)
	add := func(items []T) {
		if len(items) > 0 {
			c := s.chunk(items)
			chunks, sum = append(chunks, c), sum+c.hash
		}
	}
	if cut := j + len(by); len(by) > 0 && by[0].ends() {
		add(items[:cut])
		items = items[cut:]
	}
	add(items)
	s.chunks = append(chunks, l.chunks[next:]...)
	return list[T]{s.chunks, sum}
}

// chunk returns the shelf's chunk with these items, or adds one with a copy of them.
func (s *shelf[T]) chunk(items []T) *chunk[T] {
	hash := uint64(0)
	for i := range items {
		hash = (hash ^ items[i].sum()) * mixer
		hash ^= hash >> 32
	}
	s.probe = chunk[T]{items, hash}
	c := s.find(&s.probe)
	if c == nil {
		c = &chunk[T]{slices.Clone(items), hash}
		s.add(c)
	}
	return c
}

// kept returns a copy of the list that is not in a shelf's buffer; older if the two are equal.
func (l list[T]) kept(older list[T]) list[T] {
	if slices.Equal(l.chunks, older.chunks) {
		return older
	}
	return list[T]{slices.Clone(l.chunks), l.sum}
}
