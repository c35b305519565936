package bulk

import (
	"slices"
	"sort"
)

// Names are the names of a znode's children, in the order in which a server lists them.
// They never change. They lie in blocks, which lists share that differ in a few names: a
// hundred thousand lists of as many names, of which each has one more than the one before,
// are affordable.
type Names struct {
	blocks []*Block
	length int
	bytes  int // of all names
}

// Block is a part of a list.
type Block struct {
	// Names are not to be changed.
	Names []string
	keys  []uint32 // nil for names without an order of their own
	made  []made
}

// made is what was made of a block.
type made struct {
	kind  any
	value any
}

// mostNames is how many names a block has at the most.
const mostNames = 64

// NamesOf is a list in one block. names must not be changed from now on.
func NamesOf(names []string) *Names {
	if len(names) == 0 {
		return &Names{}
	}
	return &Names{blocks: []*Block{{Names: names}}, length: len(names), bytes: sizeOf(names)}
}

// SortedNames is a list whose names have keys, which ascend.
func SortedNames(names []string, keys []uint32) *Names {
	n := &Names{length: len(names), bytes: sizeOf(names)}
	for len(names) > 0 {
		size := min(len(names), mostNames*3/4)
		n.blocks = append(n.blocks, &Block{Names: slices.Clone(names[:size]), keys: slices.Clone(keys[:size])})
		names, keys = names[size:], keys[size:]
	}
	return n
}

func sizeOf(names []string) (bytes int) {
	for _, name := range names {
		bytes += len(name)
	}
	return bytes
}

// Bytes is how long all names together are.
func (n *Names) Bytes() int { return n.bytes }

// Len is how many names there are.
func (n *Names) Len() int { return n.length }

// Blocks are the parts of the list, none of which is empty. They are not to be changed.
func (n *Names) Blocks() []*Block { return n.blocks }

// List is the list in one piece, which is not to be changed.
func (n *Names) List() []string {
	if len(n.blocks) == 1 {
		return n.blocks[0].Names
	}
	list := make([]string, 0, n.length)
	for _, b := range n.blocks {
		list = append(list, b.Names...)
	}
	return list
}

// SameAs reports whether two lists have the same names in the same order.
func (n *Names) SameAs(o *Names) bool {
	if n.length != o.length {
		return false
	}
	if slices.Equal(n.blocks, o.blocks) {
		return true
	}
	return slices.Equal(n.List(), o.List())
}

// With is a list with a name more, behind all of the same key and before all of a greater
// one. All names must have keys.
func (n *Names) With(name string, key uint32) *Names {
	at := sort.Search(len(n.blocks), func(i int) bool { return n.blocks[i].keys[0] > key })
	if at == 0 {
		if len(n.blocks) == 0 {
			return SortedNames([]string{name}, []uint32{key})
		}
		at = 1
	}
	old := n.blocks[at-1]
	i := sort.Search(len(old.keys), func(i int) bool { return old.keys[i] > key })
	b := &Block{Names: inserted(old.Names, i, name), keys: inserted(old.keys, i, key)}
	with := []*Block{b}
	if len(b.Names) > mostNames {
		half := len(b.Names) / 2
		with = []*Block{
			{Names: slices.Clone(b.Names[:half]), keys: slices.Clone(b.keys[:half])},
			{Names: slices.Clone(b.Names[half:]), keys: slices.Clone(b.keys[half:])},
		}
	}
	return n.replaced(at-1, with, 1, len(name))
}

// Without is a list with a name less. It is nil when the key has no such name.
func (n *Names) Without(name string, key uint32) *Names {
	at := sort.Search(len(n.blocks), func(i int) bool { return n.blocks[i].keys[len(n.blocks[i].keys)-1] >= key })
	for ; at < len(n.blocks) && n.blocks[at].keys[0] <= key; at++ {
		b := n.blocks[at]
		i := slices.Index(b.Names, name)
		if i < 0 || b.keys[i] != key {
			continue
		}
		if len(b.Names) == 1 {
			return n.replaced(at, nil, -1, -len(name))
		}
		return n.replaced(at, []*Block{{Names: removed(b.Names, i), keys: removed(b.keys, i)}}, -1, -len(name))
	}
	return nil
}

// replaced is the list with others in place of a block.
func (n *Names) replaced(at int, by []*Block, more, bytes int) *Names {
	blocks := make([]*Block, 0, len(n.blocks)-1+len(by))
	blocks = append(append(append(blocks, n.blocks[:at]...), by...), n.blocks[at+1:]...)
	return &Names{blocks: blocks, length: n.length + more, bytes: n.bytes + bytes}
}

func inserted[T any](list []T, at int, v T) []T {
	with := make([]T, 0, len(list)+1)
	return append(append(append(with, list[:at]...), v), list[at:]...)
}

func removed[T any](list []T, at int) []T {
	without := make([]T, 0, len(list)-1)
	return append(append(without, list[:at]...), list[at+1:]...)
}

// Once is what was made of the block under a kind, which tells apart what different code
// makes of it; the first call makes it. Only one task at a time may call it for blocks
// that lists share.
func (b *Block) Once(kind any, make func() any) any {
	for i := range b.made {
		if b.made[i].kind == kind {
			return b.made[i].value
		}
	}
	v := make()
	b.made = append(b.made, made{kind, v})
	return v
}
