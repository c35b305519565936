package zookeeper

import (
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// nodeKind says what deletes a znode: only a request (persistent), the end of its session
// (ephemeral), or the sweep of containers and TTL nodes.
type nodeKind uint8

const (
	persistent nodeKind = iota
	ephemeral
	container
	ttl
)

// znode is one node of the tree. Its children form a linked list in the order of creation. A
// removed node keeps its own links. So undoing a failed multi in reverse order restores the list
// exactly.
type znode struct {
	path, name string
	tree       *tree // tree that contains the znode; nil once it was removed
	parent     *znode
	first      *znode
	last       *znode
	prev, next *znode

	// lists caches the lists of the children's names. It is nil until a client first asks for them.
	lists *childLists
	// set is the Java HashSet of the children's names. It is nil until the first child is created.
	set *java.Set

	// watched is the list of data watches to which a shortcut last added a watch of this znode (see
	// fast_path.go); nil before the first. It may have been freed since.
	watched *watchList

	data       []byte
	acl        []acl.Entry
	kind       nodeKind
	noted      note // changes since the last TakeNotes
	undigested bool
	// spread is the hash of the znode's name in its parent's Java HashSet.
	spread uint32

	// session is the owner of an ephemeral, else nil. ownerPrev and ownerNext link the ephemerals
	// of a session.
	session   *session
	ownerPrev *znode
	ownerNext *znode

	// ttlMs is the time to live of a TTL node in ms. mortal is the index of a container or TTL node
	// in the tree's list mortals, which the sweep visits.
	ttlMs  int64
	mortal int32
	// digest is the znode's part in the sum of the tree's digest. undigested is set if the znode
	// has changed since that part was computed.
	digest uint32

	czxid, mzxid, pzxid int64
	ctimeMs, mtimeMs    int64
	version, aversion   int32
	// creates is the internal cversion: the number of successful creates of children (ZK-5.2).
	creates     int32
	numChildren int32
}

// stat returns the stat that clients see. The visible cversion counts creates and deletes, and only
// ephemerals show an owner (ZK-5.3, ZK-5.6).
func (n *znode) stat() Stat {
	return Stat{
		Czxid: n.czxid, Mzxid: n.mzxid, Pzxid: n.pzxid,
		CtimeMs: n.ctimeMs, MtimeMs: n.mtimeMs,
		Version: n.version, Aversion: n.aversion,
		Cversion:        2*n.creates - n.numChildren,
		DataLengthBytes: int32(len(n.data)),
		NumChildren:     n.numChildren,
		EphemeralOwner:  n.owner(),
	}
}

// owner returns the id of the session that owns an ephemeral; 0 for other znodes.
func (n *znode) owner() int64 {
	if n.session == nil {
		return 0
	}
	return n.session.id
}

// linkChild appends child to the list of n's children.
func (n *znode) linkChild(child *znode) {
	child.parent, child.prev, child.next = n, n.last, nil
	if n.last != nil {
		n.last.next = child
	} else {
		n.first = child
	}
	n.last = child
	n.numChildren++
	child.spread = java.Spread(child.name)
	if n.set == nil {
		n.set = java.NewSet(childBuckets)
	}
	n.set.Add(childMember(child), n.members())
	n.relist(child, false)
}

// unlinkChild removes child from the list of n's children. child keeps its links to its neighbours.
func (n *znode) unlinkChild(child *znode) {
	if child.prev != nil {
		child.prev.next = child.next
	} else {
		n.first = child.next
	}
	if child.next != nil {
		child.next.prev = child.prev
	} else {
		n.last = child.prev
	}
	n.numChildren--
	n.set.Remove(childMember(child))
	n.relist(child, true)
}

// relinkChild undoes unlinkChild. All changes made to the list since unlinkChild must have been
// undone first.
func (n *znode) relinkChild(child *znode) {
	if child.prev != nil {
		child.prev.next = child
	} else {
		n.first = child
	}
	if child.next != nil {
		child.next.prev = child
	} else {
		n.last = child
	}
	n.numChildren++
	n.set.Back(childMember(child))
	n.lists = nil // the child is at its old place, not at the end of the list
}

// descendants counts the nodes below n.
func (n *znode) descendants() int32 {
	var count int32
	for c := n.first; c != nil; c = c.after(n) {
		count++
	}
	return count
}

// after returns the node that follows n in a walk of the subtree of top, parents first; nil at the
// end.
func (n *znode) after(top *znode) *znode {
	if n.first != nil {
		return n.first
	}
	for ; n != top; n = n.parent {
		if n.next != nil {
			return n.next
		}
	}
	return nil
}
