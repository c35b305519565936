package dict

import "slices"

// list is a sequence that is cut into chunks. Where it is cut is decided by the items alone:
// behind each that ends a chunk. So two sequences have the same chunks where they have the same
// items, however they came to be.
type list[T item] struct {
	chunks []*chunk[T]
	sum    uint64 // of those of the chunks
}

// item is what lists have.
type item interface {
	comparable
	// ends reports whether a list is cut behind the item.
	ends() bool
	// sum is a hash of the item.
	sum() uint64
}

// chunk is a part of a list, never empty. There is one of each content.
type chunk[T item] struct {
	items []T
	hash  uint64
}

// meanChunk is how many items chunks have on average, a power of two: a change copies one
// chunk, and the list of all of them.
const meanChunk = 32

func endsChunk(hash uint64) bool { return hash%meanChunk == 0 }

// mixer spreads the bits of a hash that is multiplied by it.
const mixer = 0x9e3779b97f4a7c15

func (c *chunk[T]) last() T     { return c.items[len(c.items)-1] }
func (c *chunk[T]) sum() uint64 { return c.hash }
func (c *chunk[T]) same(o *chunk[T]) bool {
	return slices.Equal(c.items, o.items)
}

// index is the chunk of an item that the list has, and the item's place in it.
func (l list[T]) index(v T) (i, j int) {
	for i, c := range l.chunks {
		if j := slices.Index(c.items, v); j >= 0 {
			return i, j
		}
	}
	return -1, -1
}

// shelf has the chunks of all lists of one kind.
type shelf[T item] struct {
	pool[chunk[T], *chunk[T]]
	items  []T         // room to put a chunk together
	probe  chunk[T]    // room for what is looked for
	chunks []*chunk[T] // room to put a list together
}

// append returns a list with an item more. It lies in the shelf's room, as that of splice.
func (s *shelf[T]) append(l list[T], v T) list[T] {
	n := len(l.chunks)
	if n == 0 || l.chunks[n-1].last().ends() {
		return s.splice(l, n, 0, 0, v)
	}
	return s.splice(l, n-1, len(l.chunks[n-1].items), 0, v)
}

// splice returns a list in which other items, one at most, are in place of as many as are gone,
// from the j-th of the i-th chunk on. It lies in the shelf's room: the next splice writes over it.
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
		items = append(items, take()...) // what has ended the chunk is gone
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

// chunk finds the chunk of these items, or makes it of a copy of them.
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

// kept is a list that does not lie in a shelf's room: of two that are the same it is the older.
func (l list[T]) kept(older list[T]) list[T] {
	if slices.Equal(l.chunks, older.chunks) {
		return older
	}
	return list[T]{slices.Clone(l.chunks), l.sum}
}
