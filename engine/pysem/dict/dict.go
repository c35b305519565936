// Package dict has immutable maps with Python's insertion order. A change returns another map,
// which shares all unchanged parts with the old one. Equal maps are one and the same, so that ==
// compares two of them whatever their size, and a thousand processes with nearly equal maps need
// little more memory than one.
//
// Two things to use first:
//
//   - [Dict], whose zero value is empty: m = m.Set(k, v) is Python's m[k] = v.
//   - [Dict.All] iterates over a map in its order.
//
// To change:
//
//   - how a map is looked up and changed: dict.go
//   - how it is split into parts that maps share: chunks.go
//   - how equal parts are found: pool.go
//   - how contents are decoded only once: readings.go
package dict

import (
	"hash/maphash"
	"iter"
	"slices"
	"sort"
	"sync/atomic"
	"weak"
)

// Dict is an immutable map that keeps its keys in the order in which they were first set. A key
// that is set again keeps its position; one that was deleted and is set again comes last. Two
// Dicts are == if they have the same keys with the same values in the same order. Any goroutine
// may use one at any time.
type Dict[K, V comparable] struct{ root *root[K, V] } // root is nil when empty

// root is the content of a non-empty map. Equal contents are one and the same root.
type root[K, V comparable] struct {
	space *space[K, V]
	// entries is sorted by hash, so that equal maps have equal lists however they were made.
	// Entries of the same hash are in the order of the map.
	entries list[entry[K, V]]
	order   list[place[K]]
	length  int
	self    weak.Pointer[root[K, V]]
	// step caches the last change made to this map.
	step atomic.Pointer[step[K, V]]
}

// step is the result of setting one key. It is cached because many holders change equal maps in
// the same way, one key after the other.
type step[K, V comparable] struct {
	key   K
	value V
	to    weak.Pointer[root[K, V]]
}

type entry[K, V comparable] struct {
	hash, mixed uint64 // hash is the key's hash, mixed that of key and value
	key         K
	value       V
}

func entryOf[K, V comparable](hash uint64, k K, v V) entry[K, V] {
	return entry[K, V]{hash, hash + maphash.Comparable(seed, v)*mixer, k, v}
}

type place[K comparable] struct {
	hash uint64
	key  K
}

// seed is the seed of all hashes. Hashes decide where maps are split, which no caller can observe.
var seed = maphash.MakeSeed()

func (e entry[K, V]) ends() bool  { return endsChunk(e.hash) }
func (e entry[K, V]) sum() uint64 { return e.hash + maphash.Comparable(seed, e.value)*mixer }
func (p place[K]) ends() bool     { return endsChunk(p.hash) }
func (p place[K]) sum() uint64    { return p.hash }
func (r *root[K, V]) sum() uint64 { return r.entries.sum + r.order.sum*mixer }
func (r *root[K, V]) same(o *root[K, V]) bool {
	return slices.Equal(r.entries.chunks, o.entries.chunks) && slices.Equal(r.order.chunks, o.order.chunks)
}

// Len returns the number of keys.
func (d Dict[K, V]) Len() int {
	if d.root == nil {
		return 0
	}
	return d.root.length
}

// Get returns the value of a key; ok is false if the map does not have it.
func (d Dict[K, V]) Get(k K) (v V, ok bool) {
	if d.root == nil {
		return v, false
	}
	return d.root.get(place[K]{maphash.Comparable(seed, k), k})
}

// Has reports whether the map has a key.
func (d Dict[K, V]) Has(k K) bool {
	_, ok := d.Get(k)
	return ok
}

func (r *root[K, V]) get(p place[K]) (v V, ok bool) {
	if i, j, ok := r.find(p); ok {
		return r.entries.chunks[i].items[j].value, true
	}
	return v, false
}

// find returns the chunk with the entry of a key, and the index in it. If ok is false it is where
// the entry belongs.
func (r *root[K, V]) find(p place[K]) (i, j int, ok bool) {
	chunks := r.entries.chunks
	i = sort.Search(len(chunks), func(i int) bool { return chunks[i].last().hash >= p.hash })
	for ; i < len(chunks); i, j = i+1, 0 {
		items := chunks[i].items
		if j == 0 {
			j = sort.Search(len(items), func(j int) bool { return items[j].hash >= p.hash })
		}
		for ; j < len(items) && items[j].hash == p.hash; j++ {
			if items[j].key == p.key {
				return i, j, true
			}
		}
		if j < len(items) {
			break
		}
	}
	if n := len(chunks); i == n && n > 0 && !chunks[n-1].last().ends() {
		return n - 1, len(chunks[n-1].items), false // the last chunk is still open
	}
	return i, j, false
}

// Set returns the map with a key set to a value.
func (d Dict[K, V]) Set(k K, v V) Dict[K, V] {
	if d.root == nil {
		d.root = spaceOf[K, V]().empty
	}
	if last := d.root.step.Load(); last != nil && last.key == k && last.value == v {
		if to := last.to.Value(); to != nil {
			return Dict[K, V]{to}
		}
	}
	to := d.root.set(k, v)
	d.root.step.Store(&step[K, V]{k, v, to.self})
	return Dict[K, V]{to}
}

func (r *root[K, V]) set(k K, v V) *root[K, V] {
	p := place[K]{maphash.Comparable(seed, k), k}
	i, j, ok := r.find(p)
	if ok && r.entries.chunks[i].items[j].value == v {
		return r
	}
	e, s := entryOf(p.hash, k, v), r.space
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok {
		return s.one(r, s.entries.splice(r.entries, i, j, 1, e), r.order, r.length)
	}
	return s.one(r, s.entries.splice(r.entries, i, j, 0, e), s.order.append(r.order, p), r.length+1)
}

// Delete returns the map without a key, or the same map if it has no such key.
//
// Cost: the time of a delete grows with the number of keys, because the key's position is searched
// for.
func (d Dict[K, V]) Delete(k K) Dict[K, V] {
	r := d.root
	if r == nil {
		return d
	}
	p := place[K]{maphash.Comparable(seed, k), k}
	i, j, ok := r.find(p)
	if !ok {
		return d
	}
	if r.length == 1 {
		return Dict[K, V]{}
	}
	at, behind := r.order.index(p)
	s := r.space
	s.mu.Lock()
	defer s.mu.Unlock()
	return Dict[K, V]{s.one(r, s.entries.splice(r.entries, i, j, 1), s.order.splice(r.order, at, behind, 1), r.length-1)}
}

// All calls yield with each key and its value in the order of the map, until it returns false.
func (d Dict[K, V]) All(yield func(K, V) bool) {
	if d.root == nil {
		return
	}
	for _, c := range d.root.order.chunks {
		for _, p := range c.items {
			v, _ := d.root.get(p)
			if !yield(p.key, v) {
				return
			}
		}
	}
}

// Keys iterates over the keys in the order of the map.
func (d Dict[K, V]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		if d.root == nil {
			return
		}
		for _, c := range d.root.order.chunks {
			for _, p := range c.items {
				if !yield(p.key) {
					return
				}
			}
		}
	}
}
