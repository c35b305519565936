package zookeeper

import (
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// childLists caches the names of a znode's children, in the order in which a server lists them
// (ZK-5.8). It is nil until the names are asked for.
type childLists struct {
	// whole is the list as one slice; nil if not made yet. The slice is never written to again.
	whole []string
	// blocks is the list in blocks, without the later changes; nil if not made yet. It was made for
	// a hash table with that many buckets.
	blocks  *bulk.Names
	buckets uint32
	changes []childChange
}

// childChange is a child that was added behind all others, or removed.
type childChange struct {
	child *znode
	gone  bool
}

// mostChanges is the number of pending changes at which the list in blocks is rebuilt.
const mostChanges = 256

// relist records that a child was added or removed.
func (n *znode) relist(child *znode, gone bool) {
	l := n.lists
	switch {
	case l == nil:
	case l.blocks == nil || len(l.changes) == mostChanges:
		n.lists = nil
	default:
		l.whole, l.changes = nil, append(l.changes, childChange{child, gone})
	}
}

func (n *znode) listed() *childLists {
	if n.lists == nil {
		n.lists = &childLists{}
	}
	return n.lists
}

// childNames returns the children's names in the server's order. The slice is never nil and must
// not be changed.
func (n *znode) childNames() []string {
	l := n.listed()
	if l.whole == nil {
		l.whole = inHashOrder(n)
	}
	return l.whole
}

// childBlocks returns the names of childNames in blocks. Successive lists share the blocks that are
// equal, to save memory, until a bucket is so crowded that Java lists it in another order than that
// of arrival. Then each list is made anew.
func (n *znode) childBlocks() *bulk.Names {
	l := n.listed()
	size := java.Buckets(childBuckets, int(n.peak))
	if l.blocks == nil || l.buckets != size || l.catchUp() {
		names := inHashOrder(n)
		keys := lists.Map(names, func(name string) uint32 { return java.Spread(name) & (size - 1) })
		if l.blocks, l.buckets = bulk.NamesOf(names), 0; slices.IsSorted(keys) && !java.Crowded(keys) {
			l.blocks, l.buckets = bulk.SortedNames(names, keys), size
		}
	}
	clear(l.changes)
	l.changes = l.changes[:0]
	return l.blocks
}

// catchUp makes the pending changes in the blocks. It returns true if a bucket has become crowded.
func (l *childLists) catchUp() bool {
	for _, c := range l.changes {
		key := c.child.spread & (l.buckets - 1)
		if c.gone {
			l.blocks = l.blocks.Without(c.child.name, key)
		} else if l.blocks = l.blocks.With(c.child.name, key); l.blocks.HasKey(key, java.TreeFrom) {
			return true
		}
	}
	return false
}
