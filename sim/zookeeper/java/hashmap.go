package java

import (
	"slices"
	"unicode/utf16"

	"github.com/monosim/monosim/engine/lists"
)

// This file is Java's HashMap as far as its order goes (HashMap.java of OpenJDK 17): buckets are lists in
// the order of arrival. The ninth entry of a bucket doubles a table of less than 64 buckets; in a larger
// one it makes the bucket a red-black tree, whose list then changes with the tree.

// TreeFrom is how many entries a bucket has that becomes a tree.
const TreeFrom = 9

const (
	treeBuckets   = 64 // of a table with trees
	untreeifyUpTo = 6  // entries of a tree that is split
)

// Listed sorts the members of a set into the order in which Java iterates over them. members must be in the
// order of arrival. The table began with first buckets, and has held up to peak members. text returns what
// a member is, and spread its Spread. What was removed counts for the size of the table, not for its trees.
func Listed[T any](members []T, first uint32, peak int, spread func(T) uint32, text func(T) string) {
	if len(members) < 2 {
		return
	}
	buckets := Buckets(first, peak)
	if list := inBuckets(members, buckets, spread); !Crowded(lists.Map(list, func(p placed[T]) uint32 { return p.bucket })) {
		for i, p := range list {
			members[i] = p.member
		}
		return
	}
	t := table[T]{bins: make([]bin[T], first)}
	for _, m := range members {
		t.add(&entry[T]{member: m, hash: int32(spread(m)), key: utf16.Encode([]rune(text(m)))})
	}
	for uint32(len(t.bins)) < buckets {
		t.double()
	}
	at := 0
	for _, b := range t.bins {
		for e := b.first; e != nil; e = e.next {
			members[at] = e.member
			at++
		}
	}
}

// Crowded reports whether a bucket has so many members that its order may be another than that of arrival. It
// takes the buckets of all members, in ascending order.
func Crowded(buckets []uint32) bool {
	for i := TreeFrom - 1; i < len(buckets); i++ {
		if buckets[i] == buckets[i-TreeFrom+1] {
			return true
		}
	}
	return false
}

type table[T any] struct {
	bins []bin[T]
	size int
}

type bin[T any] struct {
	first *entry[T]
	tree  bool
}

type entry[T any] struct {
	member     T
	hash       int32
	key        []uint16
	next, prev *entry[T] // of the list; prev in trees only

	parent, left, right *entry[T]
	red                 bool
}

func (t *table[T]) at(hash int32) *bin[T] { return &t.bins[uint32(hash)&uint32(len(t.bins)-1)] }

func (t *table[T]) add(e *entry[T]) {
	switch b := t.at(e.hash); {
	case b.first == nil:
		b.first = e
	case b.tree:
		t.addToTree(b, e)
	default:
		last, count := b.first, 2
		for ; last.next != nil; last = last.next {
			count++
		}
		if last.next = e; count >= TreeFrom {
			t.crowd(b)
		}
	}
	if t.size++; t.size > len(t.bins)/4*3 {
		t.double()
	}
}

func (t *table[T]) crowd(b *bin[T]) {
	if len(t.bins) < treeBuckets {
		t.double()
		return
	}
	t.plant(b)
}

// double moves the entries into a table of twice as many buckets. They keep their order.
func (t *table[T]) double() {
	half := len(t.bins)
	t.bins = append(t.bins, make([]bin[T], half)...)
	for i := range half {
		old := t.bins[i]
		if old.first == nil {
			continue
		}
		var halves [2][]*entry[T]
		for e := old.first; e != nil; e = e.next {
			to := 0
			if uint32(e.hash)&uint32(half) != 0 {
				to = 1
			}
			halves[to] = append(halves[to], e)
		}
		for k, list := range halves {
			b := &t.bins[i+k*half]
			*b = bin[T]{}
			if len(list) == 0 {
				continue
			}
			both := len(halves[1-k]) > 0
			link(list)
			b.first = list[0]
			switch {
			case !old.tree || len(list) <= untreeifyUpTo:
			case both:
				t.plant(b)
			default:
				b.tree = true // as it was
			}
		}
	}
}

func link[T any](list []*entry[T]) {
	for i, e := range list {
		e.next, e.prev = nil, nil
		if i > 0 {
			list[i-1].next, e.prev = e, list[i-1]
		}
	}
}

// plant makes a bucket's list a tree (treeify).
func (t *table[T]) plant(b *bin[T]) {
	b.tree = true
	var root, before *entry[T]
	for x := b.first; x != nil; x = x.next {
		x.prev, before = before, x
		x.parent, x.left, x.right, x.red = nil, nil, nil, false
		if root == nil {
			root = x
			continue
		}
		x.hang(x.place(root))
		root = balanced(root, x)
	}
	b.lead(root)
}

func (t *table[T]) addToTree(b *bin[T], x *entry[T]) {
	root := b.first
	for root.parent != nil {
		root = root.parent
	}
	above := x.place(root)
	x.hang(above)
	x.next, x.prev = above.next, above
	if above.next != nil {
		above.next.prev = x
	}
	above.next = x
	b.lead(balanced(root, x))
}

// lead puts the root of a tree at the front of its list (moveRootToFront).
func (b *bin[T]) lead(root *entry[T]) {
	if root == b.first {
		return
	}
	if root.next != nil {
		root.next.prev = root.prev
	}
	if root.prev != nil {
		root.prev.next = root.next
	}
	b.first.prev = root
	root.next, root.prev = b.first, nil
	b.first = root
}

// before reports whether an entry is to the left of another in a tree.
func (e *entry[T]) before(other *entry[T]) bool {
	if e.hash != other.hash {
		return e.hash < other.hash
	}
	return slices.Compare(e.key, other.key) <= 0
}

// place returns the entry of a tree below which e belongs.
func (e *entry[T]) place(root *entry[T]) (above *entry[T]) {
	for p := root; p != nil; {
		above = p
		if p = p.right; e.before(above) {
			p = above.left
		}
	}
	return above
}

func (e *entry[T]) hang(above *entry[T]) {
	e.parent = above
	if e.before(above) {
		above.left = e
	} else {
		above.right = e
	}
}

// balanced restores a red-black tree after x has come, and returns its root (balanceInsertion).
func balanced[T any](root, x *entry[T]) *entry[T] {
	for x.red = true; ; {
		above := x.parent
		if above == nil {
			x.red = false
			return x
		}
		top := above.parent
		if !above.red || top == nil {
			return root
		}
		onLeft := above == top.left
		uncle := top.left
		if onLeft {
			uncle = top.right
		}
		if uncle != nil && uncle.red {
			uncle.red, above.red, top.red = false, false, true
			x = top
			continue
		}
		if inner := x == above.right; inner == onLeft {
			x = above
			root = rotated(root, x, onLeft)
			above = x.parent
			top = above.parent
		}
		above.red, top.red = false, true
		root = rotated(root, top, !onLeft)
	}
}

// rotated turns p down to the left or to the right, and returns the root.
func rotated[T any](root, p *entry[T], left bool) *entry[T] {
	up := p.left
	if left {
		up = p.right
		p.right = up.left
		if p.right != nil {
			p.right.parent = p
		}
		up.left = p
	} else {
		p.left = up.right
		if p.left != nil {
			p.left.parent = p
		}
		up.right = p
	}
	switch above := p.parent; {
	case above == nil:
		root = up
		root.red = false
	case above.left == p:
		above.left = up
	default:
		above.right = up
	}
	up.parent, p.parent = p.parent, up
	return root
}
