package recipes

import (
	"iter"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

// Names is an immutable list of the names of a znode's children. Lists share their equal parts, and
// what was computed from these parts.
type Names = bulk.Names

// NamesWatch works as zk.ChildrenWatch, for a function that takes the names as a Names.
func NamesWatch(zk env.ZooKeeper, path string, fn func(*Names) error) (env.Watch, error) {
	if c, ok := zk.(*Client); ok {
		return c.childrenWatch(path, c.childrenNames, fn)
	}
	return zk.ChildrenWatch(path, func(children []string) error { return fn(bulk.NamesOf(children)) })
}

// Found is an immutable list of names with a value for each. Clients that have found the same share
// it.
type Found[V comparable] struct{ parts []*foundPart[V] }

// foundPart holds the values for one block of names.
type foundPart[V comparable] struct {
	names  []string
	values []V
}

// All returns the names with their values, in the order of the names.
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

// GetFor reads the data of one child of parent for each name, one after another, as a loop of
// zk.Get does. The function child returns the name of the child to read, and value makes the result
// from the data or the error. GetFor stops at the first error of either function and returns it.
// child must depend only on its argument, and value only on the data. value must have no effect
// except for log lines about errors and empty data (see [GetEach]).
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

// reading is a call of GetFor in progress.
type reading[V comparable] struct {
	value    func(name string, data []byte, err error) (V, error)
	blocks   []*readBlock[V]
	children []*bulk.Children // children of each block
	found    *Found[V]
	values   []V // values found so far in the present block
}

// readBlock is what GetFor computes from a block of names. All clients that read the children of
// the block share it.
type readBlock[V comparable] struct {
	names    []string
	children bulk.Children
	odd      error // error of the first name that has no child to read; it comes after the children
	sent     bool  // whether all names are in the canonical form in which kazoo sends them
	// part is the last result for the block, and seen the data from which it was made.
	part *foundPart[V]
	seen [][]byte
	all  *Found[V] // last complete result whose first block is this one
}

// blocksOf lists the children to read. odd is the error of the first name for which the function
// child fails. Neither that name nor those after it are read.
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

// Take receives the data of one child, or the error of reading it.
func (r *reading[V]) Take(block, i int, data []byte, err error) error {
	b := r.blocks[block]
	v, err := b.valueOf(i, data, err, r.value)
	if err == nil {
		r.took(b, v)
	}
	return err
}

// took adds values to the result. At the end of a block it adds a part with the block's values. If
// the last part made for the block has the same values, it adds that one, so that results share
// memory.
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

// Usual reports whether value makes a result from the data, without an error.
func (r *reading[V]) Usual(block, i int, data []byte) bool {
	_, err := r.blocks[block].valueOf(i, data, nil, r.value)
	return err == nil
}

// valueOf returns the value for the data of a child. Nearly always the data is the same as before,
// and the value is taken from the last part.
func (b *readBlock[V]) valueOf(i int, data []byte, err error, value func(string, []byte, error) (V, error)) (V, error) {
	if err == nil && b.seen != nil && len(data) > 0 && len(data) == len(b.seen[i]) && &data[0] == &b.seen[i][0] {
		var none V // the zero value also stands for data without a value
		if v := b.part.values[i]; v != none {
			return v, nil
		}
	}
	return value(b.names[i], data, err)
}

// TakeUsual receives the data of several children of a block, from each of which value makes a
// result.
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

// see makes the part for the data of a block. Data from which value makes no result gets the zero
// value.
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
