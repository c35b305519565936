package dict

import (
	"reflect"
	"sync"
	"weak"
)

// space holds all maps of one type, and their parts, for as long as they are referenced. All
// worlds of a program share it. That is safe because a lookup returns only values that equal its
// argument, so no world can observe another.
type space[K, V comparable] struct {
	empty   *root[K, V] // empty is only used for its step: an empty map has no root
	mu      sync.Mutex
	entries shelf[entry[K, V]]
	order   shelf[place[K]]
	roots   pool[root[K, V], *root[K, V]]
	probe   root[K, V] // probe is a buffer for the root to look up
}

var spaces sync.Map // maps a type to its space

func spaceOf[K, V comparable]() *space[K, V] {
	of := reflect.TypeFor[space[K, V]]()
	if s, ok := spaces.Load(of); ok {
		return s.(*space[K, V])
	}
	fresh := &space[K, V]{}
	fresh.empty = &root[K, V]{space: fresh}
	s, _ := spaces.LoadOrStore(of, fresh)
	return s.(*space[K, V])
}

// one returns the map with the given lists, which are in the space's buffers; old is the map from
// which they were made. The caller holds mu.
func (s *space[K, V]) one(old *root[K, V], entries list[entry[K, V]], order list[place[K]], length int) *root[K, V] {
	p := &s.probe
	p.entries, p.order, p.length = entries, order, length
	r := s.roots.find(p)
	if r == nil {
		r = &root[K, V]{space: s, entries: entries.kept(old.entries), order: order.kept(old.order), length: length}
		r.self = s.roots.add(r)
	}
	return r
}

// pool finds equal values. It references them weakly, so that unused values are collected. It
// removes their entries when it has grown to twice its size.
type pool[T any, P pooled[T]] struct {
	// at holds each value at its sum, or at the next free number if other values have that sum.
	at   map[uint64]weak.Pointer[T]
	most int // most is the size of at that triggers the next sweep
}

type pooled[T any] interface {
	*T
	sum() uint64
	same(P *T) bool
}

const fewest = 1024

// find returns the pool's value that equals v; nil if there is none.
func (p *pool[T, P]) find(v P) P {
	at := v.sum()
	for w, ok := p.at[at]; ok; w, ok = p.at[at] {
		if found := w.Value(); found != nil && P(found).same(v) {
			return found
		}
		at++
	}
	return nil
}

func (p *pool[T, P]) add(v P) weak.Pointer[T] {
	if len(p.at) >= p.most {
		p.sweep()
	}
	w := weak.Make((*T)(v))
	p.put(v.sum(), w)
	return w
}

func (p *pool[T, P]) put(at uint64, w weak.Pointer[T]) {
	for _, taken := p.at[at]; taken; _, taken = p.at[at] {
		at++
	}
	p.at[at] = w
}

// sweep removes the entries of collected values.
func (p *pool[T, P]) sweep() {
	old := p.at
	p.at = make(map[uint64]weak.Pointer[T], len(old)/2)
	for _, w := range old { //lint:ordered the values are a set
		if v := w.Value(); v != nil {
			p.put(P(v).sum(), w)
		}
	}
	p.most = 2*len(p.at) + fewest
}
