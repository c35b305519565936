package zookeeper

import (
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// A server keeps the names of a znode's children in a Java HashSet that begins with 8 buckets
// (DataNode.java:72). It lists them in the order of that set (ZK-5.8): by bucket, and within a
// bucket in the order of creation. A session's ephemerals are in a set of Java's default size
// (DataTree.java, ephemerals).
const (
	childBuckets = 8
	usualBuckets = 16
)

// inHashOrder returns the names of a znode's children in the order of the Java set.
func inHashOrder(n *znode) []string {
	children := n.children()
	java.Listed(children, childBuckets, int(n.peak), childSpread, childName)
	return lists.Map(children, childName)
}

// children returns a znode's children in the order of creation.
func (n *znode) children() []*znode {
	children := make([]*znode, 0, n.numChildren)
	for c := n.first; c != nil; c = c.next {
		children = append(children, c)
	}
	return children
}

func childSpread(n *znode) uint32 { return n.spread }
func childName(n *znode) string   { return n.name }

// inServersOrder sorts children, which are in the order of creation, into the order in which a server
// lists them that has had peak of them.
func inServersOrder[T any](children []T, peak int, name func(T) string) {
	java.Listed(children, childBuckets, peak, func(c T) uint32 { return java.Spread(name(c)) }, name)
}

// owned returns the session's ephemerals in the order of the server's set. The four-letter word
// dump prints them in this order.
func (s *session) owned() []*znode {
	nodes := make([]*znode, 0, s.owns)
	for n := s.firstOwned; n != nil; n = n.ownerNext {
		nodes = append(nodes, n)
	}
	java.Listed(nodes, usualBuckets, int(s.peak), pathSpread, pathOf)
	return nodes
}

// leaving returns the session's ephemerals in the order in which they are deleted with the session,
// and in which getEphemerals lists them. It is the order of a copy of the server's set, whose table
// has another size (ZK-2.7).
func (s *session) leaving() []*znode {
	nodes := s.owned()
	java.Listed(nodes, java.CloneBuckets(len(nodes)), len(nodes), pathSpread, pathOf)
	return nodes
}

func pathSpread(n *znode) uint32 { return java.Spread(n.path) }
func pathOf(n *znode) string     { return n.path }
