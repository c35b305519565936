package dict

import (
	"hash/maphash"
	"reflect"
	"slices"
	"sync"
	"weak"
)

// chunk is a part of a map, never empty. There is one of each content. Where a map is cut is
// decided by its keys alone: behind each whose hash ends a chunk. So two maps have the same
// chunks where they have the same items, however they came to be.
type chunk[K, V comparable] struct {
	items []item[K, V]
	hash  uint64 // of all items
	space *space[K, V]
	self  weak.Pointer[chunk[K, V]]
	// next is what the chunk became last by an item that was set. Many holders change their
	// maps alike, one after the other. space.mu guards it.
	next struct {
		item item[K, V]
		to   weak.Pointer[chunk[K, V]]
	}
}

type item[K, V comparable] struct {
	hash  uint64 // of the key
	key   K
	value V
}

// meanChunk is how many items chunks have on average, a power of two: a change copies one
// chunk, and the list of all of them.
const meanChunk = 8

// ends reports whether maps are cut behind the item.
func (it *item[K, V]) ends() bool { return it.hash%meanChunk == 0 }

func (c *chunk[K, V]) last() *item[K, V] { return &c.items[len(c.items)-1] }

// part is a chunk of a map. Each of its two words has a bit for the hash of each of its keys, so
// that a look-up passes over nearly all other chunks without opening them.
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

// bitsOf returns the bits of a hash in part.words.
func bitsOf(hash uint64) [2]uint64 { return [2]uint64{1 << (hash >> 58), 1 << (hash >> 52 & 63)} }

// find returns the place of a key, -1 when there is none.
func (p part[K, V]) find(hash uint64, k K) int {
	for i := range p.items {
		if it := &p.items[i]; it.hash == hash && it.key == k {
			return i
		}
	}
	return -1
}

// set returns the chunk with an item in place of the j-th, or behind all when j is negative.
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

// space finds the chunks of all maps of one type. It holds none of them: what nobody else holds
// goes, and its place in the space when that has grown to twice as many as there were. All
// worlds of a program have it in common: what is found in it is equal to what was looked for,
// so that none sees whether another one has made it.
type space[K, V comparable] struct {
	mu sync.Mutex
	// at has a chunk at its hash, or behind it, without a gap, where others have that hash.
	at   map[uint64]weak.Pointer[chunk[K, V]]
	most int          // how large at gets before it is looked through
	room []item[K, V] // to put a chunk together
}

var spaces sync.Map // by type

// spaceOf returns the space of a type.
func spaceOf[K, V comparable]() *space[K, V] {
	of := reflect.TypeFor[space[K, V]]()
	s, ok := spaces.Load(of)
	if !ok {
		s, _ = spaces.LoadOrStore(of, &space[K, V]{at: map[uint64]weak.Pointer[chunk[K, V]]{}})
	}
	return s.(*space[K, V])
}

// chunk returns the one chunk of these items.
func (s *space[K, V]) chunk(items ...item[K, V]) *chunk[K, V] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.one(items)
}

// one finds the chunk of these items, or makes it of a copy of them. The caller holds mu.
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

// mixer spreads the bits of a hash that is multiplied by it.
const mixer = 0x9e3779b97f4a7c15

// hashOf returns the hash of a chunk.
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

// sweep leaves the chunks that are there.
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
