package dict

import (
	"hash/maphash"
	"reflect"
	"slices"
	"sync"
	"weak"
)

// chunk is a non-empty part of a map. Equal chunks are always one object. The keys alone decide
// where a map is divided: a chunk ends after each key whose hash satisfies a condition. So two maps
// share the chunks in which their items are equal, whatever their history.
type chunk[K, V comparable] struct {
	items []item[K, V]
	hash  uint64 // hash of all items
	space *space[K, V]
	self  weak.Pointer[chunk[K, V]]
	// next caches the last change of this chunk: the item that was set, and the resulting chunk.
	// Many holders change their maps in the same way, one after another. space.mu guards it.
	next struct {
		item item[K, V]
		to   weak.Pointer[chunk[K, V]]
	}
}

type item[K, V comparable] struct {
	hash  uint64 // hash of the key
	key   K
	value V
}

// meanChunk is the average number of items in a chunk, a power of two. A change copies one chunk
// and the list of all chunks.
const meanChunk = 8

// ends reports whether a chunk ends after this item.
func (it *item[K, V]) ends() bool { return it.hash%meanChunk == 0 }

func (c *chunk[K, V]) last() *item[K, V] { return &c.items[len(c.items)-1] }

// part is a chunk in a map, with a small Bloom filter. Each of the two words has a bit for each
// key, by the key's hash. A look-up uses the words to skip nearly all chunks that do not have the
// key.
type part[K, V comparable] struct {
	*chunk[K, V]
	words [2]uint64
}

func (c *chunk[K, V]) part() part[K, V] {
	p := part[K, V]{chunk: c}
	for i := range c.items {
		bits := bitsOf(c.items[i].hash)
		p.words[0] |= bits[0]
		p.words[1] |= bits[1]
	}
	return p
}

// bitsOf returns the bits that a hash sets in part.words.
func bitsOf(hash uint64) [2]uint64 { return [2]uint64{1 << (hash >> 58), 1 << (hash >> 52 & 63)} }

// find returns the index of a key in the chunk, or -1 if the chunk does not have it.
func (p part[K, V]) find(hash uint64, k K) int {
	for i := range p.items {
		if it := &p.items[i]; it.hash == hash && it.key == k {
			return i
		}
	}
	return -1
}

// set returns the chunk in which the item replaces the item at index j. If j is negative, the item
// is appended.
func (c *chunk[K, V]) set(j int, it item[K, V]) *chunk[K, V] {
	s := c.space
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.next.item == it {
		if to := c.next.to.Value(); to != nil {
			return to
		}
	}
	s.room = append(s.room[:0], c.items...)
	if j < 0 {
		s.room = append(s.room, it)
	} else {
		s.room[j] = it
	}
	to := s.one(s.room)
	c.next.item, c.next.to = it, to.self
	return to
}

// space finds the chunks of all maps of one type. It refers to them weakly, so that a chunk that no
// map uses is freed. Places of freed chunks are removed when the table has doubled. All worlds of a
// program share a space. A chunk found in it equals the one that was looked for, so a world cannot
// notice whether another has made it.
type space[K, V comparable] struct {
	mu sync.Mutex
	// at has each chunk at its hash or, if other chunks are there, at the next free number. All numbers
	// from a chunk's hash to its place are taken.
	at   map[uint64]weak.Pointer[chunk[K, V]]
	most int          // sweep is called before a chunk is added, once at has this length
	room []item[K, V] // buffer in which the items of a new chunk are collected
}

var spaces sync.Map // by type

// spaceOf returns the space that all maps with the key type K and the value type V share.
func spaceOf[K, V comparable]() *space[K, V] {
	of := reflect.TypeFor[space[K, V]]()
	s, ok := spaces.Load(of)
	if !ok {
		s, _ = spaces.LoadOrStore(of, &space[K, V]{at: map[uint64]weak.Pointer[chunk[K, V]]{}})
	}
	return s.(*space[K, V])
}

// chunk returns the single chunk object with these items.
func (s *space[K, V]) chunk(items ...item[K, V]) *chunk[K, V] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.one(items)
}

// one finds the chunk with these items, or makes one with a copy of them. The caller must hold mu.
func (s *space[K, V]) one(items []item[K, V]) *chunk[K, V] {
	hash := hashOf(items)
	at := hash
	for w, ok := s.at[at]; ok; w, ok = s.at[at] {
		if c := w.Value(); c != nil && slices.Equal(c.items, items) {
			return c
		}
		at++
	}
	if len(s.at) >= s.most {
		s.sweep()
	}
	c := &chunk[K, V]{items: slices.Clone(items), hash: hash, space: s}
	c.self = weak.Make(c)
	s.put(c)
	return c
}

// mixer is a multiplier that spreads the bits of a hash.
const mixer = 0x9e3779b97f4a7c15

// hashOf returns the hash of a chunk with these items.
func hashOf[K, V comparable](items []item[K, V]) (hash uint64) {
	for i := range items {
		hash = (hash^items[i].hash)*mixer ^ maphash.Comparable(seed, items[i].value)
		hash ^= hash >> 32
	}
	return hash
}

func (s *space[K, V]) put(c *chunk[K, V]) {
	at := c.hash
	for _, taken := s.at[at]; taken; _, taken = s.at[at] {
		at++
	}
	s.at[at] = c.self
}

const fewest = 1024

// sweep removes the entries of freed chunks from the table.
func (s *space[K, V]) sweep() {
	old := s.at
	s.at = make(map[uint64]weak.Pointer[chunk[K, V]], len(old)/2)
	for _, w := range old { //lint:ordered the chunks are a set
		if c := w.Value(); c != nil {
			s.put(c)
		}
	}
	s.most = 2*len(s.at) + fewest
}
