package zookeeper

import (
	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// childLists are the names of a znode's children as a server lists them (ZK-5.8), once
// they were asked for.
type childLists struct {
	// whole is the list in one piece, nil for not yet. It is never written to again.
	whole []string
	// blocks is the list in blocks before the changes, nil for not yet; it was made for a
	// table of so many buckets.
	blocks  *bulk.Names
	buckets uint32
	changes []childChange
}

// childChange is a child that came, behind all others, or went.
type childChange struct {
	child *znode
	gone  bool
}

// mostChanges is from how many changes on a list in blocks is made anew.
const mostChanges = 256

// relist tells that a child has come or gone.
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

// childNames lists the children's names. The slice never changes; it is never nil.
func (n *znode) childNames() []string {
	l := n.listed()
	if l.whole == nil {
		l.whole = inHashOrder(n)
	}
	return l.whole
}

// childBlocks returns childNames in blocks: lists share those in which they do not differ.
func (n *znode) childBlocks() *bulk.Names {
	l := n.listed()
	if size := java.Buckets(childBuckets, int(n.peak)); l.blocks == nil || l.buckets != size {
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
