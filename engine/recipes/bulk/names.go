package bulk

import (
	"slices"
	"sort"

	"github.com/monosim/monosim/engine/lists"
)

// Names is an immutable list of the names of a znode's children, in the server's order. It consists
// of blocks, which are shared by lists that differ in a few names. So even a hundred thousand lists
// of up to a hundred thousand names fit into memory, if each list has one name more than the list
// before it.
type Names struct {
	blocks []*Block
	length int
	bytes  int // total length of all names
	// since caches the last result of Since, because the next process nearly always asks for the
	// same names.
	since struct {
		before *Names
		added  []string
	}
}

// Block is a part of a list of names. All lists with the same names at the same place share it.
type Block struct {
	// Names holds the names of the block. Do not change them.
	Names []string
	keys  []uint32 // sort keys of the names; nil if the names have none
	made  []made
}

// made caches a result of [Block.Once].
type made struct {
	kind  any
	value any
}

// mostNames is the largest number of names in a block.
const mostNames = 64

// NamesOf makes a list with a single block. The caller must not change names afterwards.
func NamesOf(names []string) *Names {
	if len(names) == 0 {
		return &Names{}
	}
	return &Names{blocks: []*Block{{Names: names}}, length: len(names), bytes: sizeOf(names)}
}

// SortedNames makes a list of names. Their keys must be in ascending order.
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

// Bytes returns the total length of the names.
func (n *Names) Bytes() int { return n.bytes }

// Len returns the number of names.
func (n *Names) Len() int { return n.length }

// Blocks returns the parts of the list. No block is empty, and callers must not change them.
func (n *Names) Blocks() []*Block { return n.blocks }

// List returns the names as one slice, which must not be changed.
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

// Has reports whether the list contains a name. It searches all names.
func (n *Names) Has(name string) bool {
	return slices.ContainsFunc(n.blocks, func(b *Block) bool { return slices.Contains(b.Names, name) })
}

// Since returns the names of n that are not in before, which is an earlier list. They are in the
// order of n. Callers must not change the result. If processes share the lists, only one task at a
// time may call it.
func (n *Names) Since(before *Names) []string {
	if n.since.before == before {
		return n.since.added
	}
	had := map[string]bool{}
	for _, b := range before.blocks {
		if !slices.Contains(n.blocks, b) {
			for _, name := range b.Names {
				had[name] = true
			}
		}
	}
	var added []string
	for _, b := range n.blocks {
		if slices.Contains(before.blocks, b) {
			continue
		}
		added = append(added, lists.Filter(b.Names, func(name string) bool { return !had[name] })...)
	}
	n.since.before, n.since.added = before, added
	return added
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

// With returns a list with one more name. It comes after all names with the same key, and before
// all with a greater key. All names of the list must have keys.
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

// Without returns a list without the given name. It returns nil if no such name has the key.
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

// replaced returns the list in which other blocks replace the block with the index at. more and
// bytes say by how much that changes the number of names and their total length.
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

// Once calls make the first time that it is called with this kind, and returns the same result from
// then on. kind identifies the calling code. If several lists share the block, only one task at a
// time may call it.
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
