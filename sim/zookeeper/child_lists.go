package zookeeper

import (
	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// childLists caches the names of a znode's children, in the order in which a server lists them
// (ZK-5.8). It is nil until the names are asked for.
type childLists struct {
	// whole is the list as one slice; nil if not made yet. The slice is never written to again.
	whole []string
	// blocks is the list in blocks, without the pending changes; nil if not made yet. buckets is
	// the number of buckets of the hash table for which blocks was made. The list must be made
	// again if that number has changed, or if a bucket does not list its children in the order of
	// creation.
	blocks  *bulk.Names
	buckets uint32
	changes []childChange
}

// childChange is one pending change of the list: a child that was removed (gone), or one that was
// added at the end.
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
// equal, to save memory.
func (n *znode) childBlocks() *bulk.Names {
	l := n.listed()
	size, plain := uint32(childBuckets), true
	if n.set != nil {
		size, plain = n.set.Buckets(), n.set.Plain()
	}
	if l.blocks == nil || l.buckets != size || !plain {
		names := inHashOrder(n)
		keys := make([]uint32, len(names))
		for i, name := range names {
			keys[i] = java.Spread(name) & (size - 1)
		}
		l.blocks, l.buckets = bulk.SortedNames(names, keys), size
	} else {
		for _, c := range l.changes {
			if key := c.child.spread & (size - 1); c.gone {
				l.blocks = l.blocks.Without(c.child.name, key)
			} else {
				l.blocks = l.blocks.With(c.child.name, key)
			}
		}
	}
	clear(l.changes)
	l.changes = l.changes[:0]
	return l.blocks
}
