package java

import (
	"iter"
	"slices"
	"strings"
)

// This file simulates Java's HashMap, but only what determines the order of its entries
// (HashMap.java of OpenJDK 17). A bucket is a list in the order of arrival. When a bucket gets its
// ninth entry, a table with fewer than 64 buckets doubles. In a larger table that bucket becomes a
// red-black tree, and changes of the tree also reorder its list.

const (
	treeFrom      = 9  // number of entries from which on a bucket becomes a tree
	treeBuckets   = 64 // smallest number of buckets with which a table has trees
	untreeifyUpTo = 6  // number of entries up to which a tree that is split becomes a list
)

// Set simulates the table of a Java HashSet, but keeps only what determines the order of the
// members. The caller stores the members themselves, in the order of arrival.
type Set struct {
	buckets uint32
	size    int32
	// counts holds the number of members of each bucket. It is nil while the set has less than nine
	// members, and until count computes it.
	counts []uint8
	// odd holds the buckets that are or were trees, by number. All other buckets list their members
	// in the order of arrival.
	odd map[uint32]*bin
}

// Member is what a Set must know about a member: its text, and the text's Spread.
type Member struct {
	Text   string
	Spread uint32
}

// NewSet returns an empty set. first is the number of buckets with which its table begins.
func NewSet(first uint32) *Set { return &Set{buckets: first} }

// Buckets returns the number of buckets.
func (s *Set) Buckets() uint32 { return s.buckets }

// Plain reports whether all buckets list their members in the order of arrival.
func (s *Set) Plain() bool { return len(s.odd) == 0 }

// Add updates the table for the new member m. The iterator all must yield all members in the order
// of arrival, with m last.
func (s *Set) Add(m Member, all iter.Seq[Member]) {
	s.size++
	at := s.bucket(m.Spread)
	if b := s.odd[at]; b != nil {
		b.add(m)
	} else if (s.counts != nil || s.size >= treeFrom) && s.count(at, all) >= treeFrom {
		s.crowd(at, all)
	}
	for s.size > int32(s.buckets/4*3) {
		s.double()
	}
}

func (s *Set) bucket(spread uint32) uint32 { return spread & (s.buckets - 1) }

// count counts a new member of bucket number at. It returns the number of members of this bucket.
func (s *Set) count(at uint32, all iter.Seq[Member]) uint8 {
	if s.counts != nil {
		s.counts[at]++
		return s.counts[at]
	}
	s.counts = make([]uint8, s.buckets)
	for m := range all {
		s.counts[s.bucket(m.Spread)]++
	}
	return s.counts[at]
}

// crowd handles a bucket of nine entries or more as a HashMap does (treeifyBin): it doubles a small
// table, and turns the bucket of a large table into a tree.
func (s *Set) crowd(at uint32, all iter.Seq[Member]) {
	if s.buckets < treeBuckets {
		s.double()
		return
	}
	b := &bin{}
	for m := range all {
		if s.bucket(m.Spread) == at {
			b.append(m)
		}
	}
	b.plant()
	if s.odd == nil {
		s.odd = map[uint32]*bin{}
	}
	s.odd[at] = b
}

// Remove updates the table for a member that is removed.
func (s *Set) Remove(m Member) {
	s.size--
	at := s.bucket(m.Spread)
	switch b := s.odd[at]; {
	case b != nil:
		if b.remove(m.Text); b.first == nil {
			delete(s.odd, at)
			s.counts = nil
		}
	case s.counts != nil:
		s.counts[at]--
	}
}

// Back counts a removed member again, when the transaction that removed it is undone. The member
// returns to its old place. The caller must call Restore afterwards.
func (s *Set) Back(m Member) {
	s.size++
	if s.counts != nil {
		s.counts[s.bucket(m.Spread)]++
	}
}

// Grow enlarges the table to the size that it would have after holding peak members at once.
func (s *Set) Grow(peak int) {
	for s.buckets < Buckets(s.buckets, peak) {
		s.double()
	}
}

// Clone returns a copy that shares nothing with s.
func (s *Set) Clone() *Set {
	if s == nil {
		return nil
	}
	c := &Set{buckets: s.buckets, size: s.size}
	for at, b := range s.odd { //lint:ordered each is copied by itself
		if c.odd == nil {
			c.odd = map[uint32]*bin{}
		}
		c.odd[at] = b.clone()
	}
	return c
}

// Restore brings s back to the state that it had when the clone in then was made. Before the call
// the caller must have restored the members that s had at that time.
func (s *Set) Restore(then *Set) {
	counts := s.counts
	if s.buckets != then.buckets || !s.Plain() || !then.Plain() {
		counts = nil
	}
	*s = *then
	s.counts = counts
}

// double moves the members into a table of twice as many buckets. They keep their order.
func (s *Set) double() {
	half := s.buckets
	s.buckets, s.counts = 2*half, nil
	odd := s.odd
	s.odd = nil
	for at, old := range odd { //lint:ordered each is split by itself
		var halves [2]*bin
		for e := old.first; e != nil; e = e.next {
			to := min(e.Spread&half, 1)
			if halves[to] == nil {
				halves[to] = &bin{}
			}
			halves[to].append(e.Member)
		}
		for k, b := range halves {
			switch {
			case b == nil:
				continue
			case old.tree && halves[1-k] == nil && b.size > untreeifyUpTo:
				b = old // as it was
			case old.tree && b.size > untreeifyUpTo:
				b.plant()
			}
			if s.odd == nil {
				s.odd = map[uint32]*bin{}
			}
			s.odd[at+uint32(k)*half] = b
		}
	}
}

// Ordered sorts the members of a set, which must be in the order of arrival, into the order in which Java
// iterates over them.
func Ordered[T any](s *Set, members []T, member func(T) Member) {
	if len(members) < 2 {
		return
	}
	list := inBuckets(members, s.buckets, func(m T) uint32 { return member(m).Spread })
	for i, p := range list {
		members[i] = p.member
	}
	for at, b := range s.odd { //lint:ordered each is a part of the list by itself
		from, _ := slices.BinarySearchFunc(list, at, func(p placed[T], at uint32) int { return int(p.bucket) - int(at) })
		byText := make(map[string]T, b.size)
		for _, m := range members[from : from+b.size] {
			byText[member(m).Text] = m
		}
		for e := b.first; e != nil; e = e.next {
			members[from] = byText[e.Text]
			from++
		}
	}
}

// Filled returns a set to which the members were added one by one. first is the number of buckets
// with which its table began.
func Filled[T any](members []T, first uint32, member func(T) Member) *Set {
	s := NewSet(first)
	for i, m := range members {
		s.Add(member(m), func(yield func(Member) bool) {
			for _, one := range members[:i+1] {
				if !yield(member(one)) {
					return
				}
			}
		})
	}
	return s
}

// bin is a bucket: a list of entries. If tree is set, the same entries also form a tree.
type bin struct {
	first, last *entry // last is only kept for a list that is no tree
	size        int
	tree        bool
}

type entry struct {
	Member
	next, prev *entry // links of the list; prev is only set in trees

	parent, left, right *entry
	red                 bool
}

// append adds a member at the end of a list.
func (b *bin) append(m Member) {
	e := &entry{Member: m}
	if b.last == nil {
		b.first = e
	} else {
		b.last.next = e
	}
	b.last = e
	b.size++
}

func (b *bin) add(m Member) {
	if !b.tree {
		if b.append(m); b.size >= treeFrom {
			b.plant()
		}
		return
	}
	b.size++
	x := &entry{Member: m}
	root := b.root()
	above := x.place(root)
	x.hang(above)
	x.next, x.prev = above.next, above
	if above.next != nil {
		above.next.prev = x
	}
	above.next = x
	b.lead(balanced(root, x))
}

func (b *bin) root() *entry {
	root := b.first
	for root.parent != nil {
		root = root.parent
	}
	return root
}

// plant makes a bucket's list a tree (treeify).
func (b *bin) plant() {
	b.tree = true
	var root, before *entry
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

// clone returns a copy of a bucket, with a tree of the same form.
func (b *bin) clone() *bin {
	c := &bin{size: b.size, tree: b.tree}
	copies := map[*entry]*entry{}
	for e := b.first; e != nil; e = e.next {
		copied := *e
		copies[e], c.last = &copied, &copied
	}
	c.first = copies[b.first]
	for e := c.first; e != nil; e = e.next {
		e.next, e.prev, e.parent, e.left, e.right = copies[e.next], copies[e.prev], copies[e.parent], copies[e.left], copies[e.right]
	}
	return c
}

// lead puts the root of a tree at the front of its list (moveRootToFront).
func (b *bin) lead(root *entry) {
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

// before reports whether an entry is to the left of another in a tree. For texts in the form of
// Text, comparing bytes gives the same order as comparing UTF-16 units.
func (e *entry) before(other *entry) bool {
	if e.Spread != other.Spread {
		return int32(e.Spread) < int32(other.Spread)
	}
	return strings.Compare(e.Text, other.Text) <= 0
}

// place returns the entry that becomes the parent of e when e is inserted into the tree; nil if the
// tree is empty.
func (e *entry) place(root *entry) (above *entry) {
	for p := root; p != nil; {
		above = p
		if p = p.right; e.before(above) {
			p = above.left
		}
	}
	return above
}

func (e *entry) hang(above *entry) {
	e.parent = above
	if e.before(above) {
		above.left = e
	} else {
		above.right = e
	}
}

// balanced restores a red-black tree after x was inserted, and returns its root (balanceInsertion).
func balanced(root, x *entry) *entry {
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
		uncle := top.child(!onLeft)
		if uncle.isRed() {
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

func (e *entry) child(left bool) *entry {
	if left {
		return e.left
	}
	return e.right
}

func (e *entry) isRed() bool { return e != nil && e.red }

// remove removes a member (removeTreeNode). A tree that has become too small becomes a list again.
func (b *bin) remove(text string) {
	e := b.first
	for e != nil && e.Text != text {
		e = e.next
	}
	if e == nil {
		return // the entry is not in the bin's tree, so there is nothing to remove
	}
	root := b.root()
	b.unlink(e)
	b.size--
	switch {
	case b.first == nil:
	case !b.tree:
	case root.right == nil || root.left == nil || root.left.left == nil:
		b.tree = false
		for b.last = b.first; b.last.next != nil; {
			b.last = b.last.next
		}
	default:
		b.lead(e.cut(root))
	}
}

// unlink takes an entry out of the list.
func (b *bin) unlink(e *entry) {
	before := e.prev
	if !b.tree && e != b.first {
		for before = b.first; before.next != e; {
			before = before.next
		}
	}
	if before == nil {
		b.first = e.next
	} else {
		before.next = e.next
	}
	if e.next != nil {
		e.next.prev = before
	} else {
		b.last = before
	}
}

// cut takes an entry out of the tree, and returns the root of the tree.
func (e *entry) cut(root *entry) *entry {
	if e.left != nil && e.right != nil {
		s := e.right // becomes the entry that follows e in the order, and swaps places with e
		for s.left != nil {
			s = s.left
		}
		e.red, s.red = s.red, e.red
		root = e.swap(s, root)
	}
	instead := e.left
	if instead == nil {
		instead = e.right
	}
	if instead == nil {
		if !e.red {
			root = deleted(root, e)
		}
		if e.parent != nil {
			e.parent.replace(e, nil)
		}
		return root
	}
	instead.parent = e.parent
	if e.parent == nil {
		root, instead.red = instead, false
	} else {
		e.parent.replace(e, instead)
	}
	if e.red {
		return root
	}
	return deleted(root, instead)
}

// swap exchanges the places of e and s in the tree. s must lie below e and follow e in the order of
// the tree. It returns the root.
func (e *entry) swap(s, root *entry) *entry {
	above, right, below := e.parent, e.right, s.right
	if s == right {
		e.parent, s.right = s, e
	} else {
		e.parent = s.parent
		e.parent.replace(s, e)
		s.right, right.parent = right, s
	}
	s.left = e.left
	s.left.parent = s
	e.left, e.right = nil, below
	if below != nil {
		below.parent = e
	}
	if s.parent = above; above == nil {
		return s
	}
	above.replace(e, s)
	return root
}

// replace makes the entry by a child of e, in the place of the present child.
func (e *entry) replace(child, by *entry) {
	if e.left == child {
		e.left = by
	} else if e.right == child {
		e.right = by
	}
}

// deleted restores a red-black tree after a black entry was removed, and returns its root
// (balanceDeletion). x is the entry that has taken the place of the removed entry. If the removed
// entry had no children, x is the removed entry itself.
func deleted(root, x *entry) *entry {
	for x != root {
		above := x.parent
		if above == nil {
			x.red = false
			return x
		}
		if x.red {
			x.red = false
			return root
		}
		onLeft := above.left == x
		other := above.child(!onLeft)
		if other.isRed() {
			other.red, above.red = false, true
			root = rotated(root, above, onLeft)
			above = x.parent
			other = above.child(!onLeft)
		}
		if other == nil {
			x = above
			continue
		}
		if !other.left.isRed() && !other.right.isRed() {
			other.red = true
			x = above
			continue
		}
		if far := other.child(!onLeft); !far.isRed() {
			other.red = true
			root = rotated(root, other, !onLeft)
			above = x.parent
			other = above.child(!onLeft)
		}
		if other != nil {
			other.red = above.red
			if far := other.child(!onLeft); far != nil {
				far.red = false
			}
		}
		above.red = false
		root = rotated(root, above, onLeft)
		x = root
	}
	return root
}

// rotated rotates the tree at p, to the left or to the right, so that p moves down. It returns the
// root.
func rotated(root, p *entry, left bool) *entry {
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
