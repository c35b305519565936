package recipes

import (
	"iter"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

// Names is an immutable list of the names of a znode's children. Lists share the parts in which
// they do not differ, and what is made of those.
type Names = bulk.Names

// NamesWatch is the ChildrenWatch of zk for a function that takes the names as one list.
func NamesWatch(zk env.ZooKeeper, path string, fn func(*Names) error) (env.Watch, error) {
	if c, ok := zk.(*Client); ok {
		return c.childrenWatch(path, c.childrenNames, fn)
	}
	return zk.ChildrenWatch(path, func(children []string) error { return fn(bulk.NamesOf(children)) })
}

// Found has a value for each of some names. It never changes, and clients of a world that have
// found the same have it in common.
type Found[V comparable] struct{ parts []*foundPart[V] }

// foundPart is what was found for a block of names.
type foundPart[V comparable] struct {
	names  []string
	values []V
}

// All goes through the names with their values, in the order of the names.
func (f *Found[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if f == nil {
			return
		}
		for _, p := range f.parts {
			for i, v := range p.values {
				if !yield(p.names[i], v) {
					return
				}
			}
		}
	}
}

// GetFor reads, for one name after the other, the data of one child of parent, as a loop of
// zk.Get does: child says of which, and value what to make of its data, or of the error. The
// first error of either ends it and is returned.
//
// child depends on the name alone, and value on the data alone. It has no effect, but for log
// lines about errors and empty data: see [GetEach].
func GetFor[V comparable](zk env.ZooKeeper, names *Names, parent string, child func(name string) (string, error), value func(name string, data []byte, err error) (V, error)) (*Found[V], error) {
	r := &reading[V]{value: value, found: &Found[V]{}}
	sent, odd := r.blocksOf(names, child)
	if err := getEach(zk, parent, r.children, sent, r); err != nil {
		return nil, err
	}
	if odd != nil {
		return nil, odd
	}
	return r.done(), nil
}

// reading is a GetFor.
type reading[V comparable] struct {
	value    func(name string, data []byte, err error) (V, error)
	blocks   []*readBlock[V]
	children []*bulk.Children // of the blocks
	found    *Found[V]
	values   []V // of the block that is read
}

// readBlock is what GetFor makes of a block of names, for all clients that read for it.
type readBlock[V comparable] struct {
	names    []string
	children bulk.Children
	odd      error // behind the last child
	sent     bool  // all are in the form that is sent
	// part was found last, and seen are the data of which it is.
	part *foundPart[V]
	seen [][]byte
	all  *Found[V] // that was found last, of which this is the first block
}

// blocksOf makes the list of the children; odd is the error behind the last one.
func (r *reading[V]) blocksOf(names *Names, child func(string) (string, error)) (sent bool, odd error) {
	kind := kindOf(child)
	sent = true
	for _, n := range names.Blocks() {
		b := n.Once(kind, func() any { return newReadBlock[V](n.Names, child) }).(*readBlock[V])
		if len(b.children.Names) > 0 {
			r.blocks, r.children = append(r.blocks, b), append(r.children, &b.children)
			sent = sent && b.sent
		}
		if b.odd != nil {
			return sent, b.odd
		}
	}
	return sent, nil
}

func newReadBlock[V comparable](names []string, child func(string) (string, error)) *readBlock[V] {
	b := &readBlock[V]{names: names}
	for _, name := range names {
		c, err := child(name)
		if err != nil {
			b.odd = err
			break
		}
		b.children.Names = append(b.children.Names, c)
	}
	b.sent = canonicalAll(b.children.Names)
	return b
}

// Take takes what was read.
func (r *reading[V]) Take(block, i int, data []byte, err error) error {
	b := r.blocks[block]
	v, err := b.valueOf(i, data, err, r.value)
	if err == nil {
		r.took(b, v)
	}
	return err
}

// took adds to what was found, at the end of a block a part: the one that was found last, where
// that is the same.
func (r *reading[V]) took(b *readBlock[V], values ...V) {
	if r.values = append(r.values, values...); len(r.values) < len(b.children.Names) {
		return
	}
	if b.part == nil || !slices.Equal(b.part.values, r.values) {
		b.part, b.seen = &foundPart[V]{b.names, slices.Clone(r.values)}, nil
	}
	r.found.parts = append(r.found.parts, b.part)
	r.values = r.values[:0]
}

// Usual reports whether data have a value.
func (r *reading[V]) Usual(block, i int, data []byte) bool {
	_, err := r.blocks[block].valueOf(i, data, nil, r.value)
	return err == nil
}

// valueOf returns the value of data, which nearly always are those of which the part is.
func (b *readBlock[V]) valueOf(i int, data []byte, err error, value func(string, []byte, error) (V, error)) (V, error) {
	if err == nil && b.seen != nil && len(data) > 0 && len(data) == len(b.seen[i]) && &data[0] == &b.seen[i][0] {
		var none V // also of odd data
		if v := b.part.values[i]; v != none {
			return v, nil
		}
	}
	return value(b.names[i], data, err)
}

// TakeUsual takes data that have values.
func (r *reading[V]) TakeUsual(block, from, to int, data [][]byte) {
	b := r.blocks[block]
	if len(b.seen) == 0 || &b.seen[0] != &data[0] {
		b.see(data, r.value)
	}
	if from == 0 && to == len(b.part.values) {
		r.found.parts = append(r.found.parts, b.part)
		return
	}
	r.took(b, b.part.values[from:to]...)
}

// see makes the part of data, of which odd ones have no value.
func (b *readBlock[V]) see(data [][]byte, value func(string, []byte, error) (V, error)) {
	p := &foundPart[V]{b.names, make([]V, len(data))}
	for i := range data {
		if len(data[i]) > 0 {
			p.values[i], _ = b.valueOf(i, data[i], nil, value)
		}
	}
	if b.seen = data; b.part == nil || !slices.Equal(b.part.values, p.values) {
		b.part = p
	}
}

// done returns what was found. Clients that have found the same share one *Found, to save memory.
func (r *reading[V]) done() *Found[V] {
	if len(r.blocks) == 0 {
		return r.found
	}
	last := &r.blocks[0].all
	if *last == nil || !slices.Equal((*last).parts, r.found.parts) {
		*last = r.found
	}
	return *last
}
