package dict

import (
	"reflect"
	"sync"
	"weak"
)

// space has all maps of one type, and their parts, as long as somebody holds them. All worlds
// of a program have it in common: what is found in it is equal to what was looked for, so that
// none sees whether another one has made it.
type space[K, V comparable] struct {
	empty   *root[K, V] // for its step: an empty map has no root
	mu      sync.Mutex
	entries shelf[entry[K, V]]
	order   shelf[place[K]]
	roots   pool[root[K, V], *root[K, V]]
	probe   root[K, V] // room for what is looked for
}

var spaces sync.Map // by type

// spaceOf is the space of a type.
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

// one is the map of lists that lie in the space's room; old is the map that they were made
// from. The caller holds mu.
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

// pool finds equal values. It holds none of them: what nobody else holds goes, and its place
// in the pool when that has grown to twice as many as there were.
type pool[T any, P pooled[T]] struct {
	// at has a value at its sum, or behind it, without a gap, where others have that sum.
	at   map[uint64]weak.Pointer[T]
	most int // how large at gets before it is looked through
}

// pooled is a pointer to what a pool finds.
type pooled[T any] interface {
	*T
	sum() uint64
	same(P *T) bool
}

const fewest = 1024

// find is the value of the pool that is the same as one, nil when there is none.
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

// add adds a value that it has not.
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

// sweep leaves the values that are there.
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
