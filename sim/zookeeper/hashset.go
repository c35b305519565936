package zookeeper

import (
	"iter"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// A server keeps the names of a znode's children in a Java HashSet that begins with 8 buckets
// (DataNode.java:72). It lists them in the order of that set (ZK-5.8): by bucket, and within a
// bucket in the order of creation, unless the bucket had so many names that it became a tree. A
// session's ephemerals are in a set of Java's default size (DataTree.java, ephemerals).
const (
	childBuckets = 8
	usualBuckets = 16
)

// inHashOrder returns the names of a znode's children in the order of the Java set.
func inHashOrder(n *znode) []string {
	children := n.children()
	if n.set != nil {
		java.Ordered(n.set, children, childMember)
	}
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

// members yields a znode's children as the members of the znode's hash set, in the order of
// creation.
func (n *znode) members() iter.Seq[java.Member] {
	return func(yield func(java.Member) bool) {
		for c := n.first; c != nil && yield(childMember(c)); c = c.next {
		}
	}
}

func childMember(n *znode) java.Member { return java.Member{Text: n.name, Spread: n.spread} }
func childName(n *znode) string        { return n.name }

// owned returns the session's ephemerals in the order of the server's set. The four-letter word
// dump prints them in this order.
func (s *session) owned() []*znode {
	nodes := make([]*znode, 0, s.owns)
	for n := s.firstOwned; n != nil; n = n.ownerNext {
		nodes = append(nodes, n)
	}
	if s.set != nil {
		java.Ordered(s.set, nodes, pathMember)
	}
	return nodes
}

// leaving returns the session's ephemerals in the order in which they are deleted with the session.
// getEphemerals lists them in the same order. It is the order of a copy of the server's set. The
// copy's table has another size than the set's (ZK-2.7).
func (s *session) leaving() []*znode {
	nodes := s.owned()
	java.Ordered(java.Filled(nodes, java.CloneBuckets(len(nodes)), pathMember), nodes, pathMember)
	return nodes
}

// members yields the session's ephemerals as the members of the session's hash set, in the order of
// creation.
func (s *session) members() iter.Seq[java.Member] {
	return func(yield func(java.Member) bool) {
		for n := s.firstOwned; n != nil && yield(pathMember(n)); n = n.ownerNext {
		}
	}
}

func pathMember(n *znode) java.Member {
	return java.Member{Text: n.path, Spread: java.Spread(n.path)}
}
