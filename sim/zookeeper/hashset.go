package zookeeper

import (
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// A server keeps the names of a znode's children in a Java HashSet with 8 buckets at first
// (DataNode.java:72), and lists them in that order (ZK-5.8): by bucket, and within a bucket in the
// order of creation. A session's ephemerals lie in a set of the usual size (DataTree.java,
// ephemerals).
const (
	childBuckets = 8
	usualBuckets = 16
)

// inHashOrder lists the names of a znode's children in the order of the table.
func inHashOrder(n *znode) []string {
	children := make([]*znode, 0, n.numChildren)
	for c := n.first; c != nil; c = c.next {
		children = append(children, c)
	}
	java.InOrder(children, java.Buckets(childBuckets, int(n.peak)), func(c *znode) uint32 { return c.spread })
	return lists.Map(children, func(c *znode) string { return c.name })
}

// owned lists the session's ephemerals in the order of its set, as the word dump prints them.
func (s *session) owned() []*znode {
	nodes := make([]*znode, 0, s.owns)
	for n := s.firstOwned; n != nil; n = n.ownerNext {
		nodes = append(nodes, n)
	}
	java.InOrder(nodes, java.Buckets(usualBuckets, int(s.peak)), pathSpread)
	return nodes
}

// leaving lists the session's ephemerals in the order in which they go with it, and in which
// getEphemerals tells them: that of a clone of the set, whose table has another size (ZK-2.7).
func (s *session) leaving() []*znode {
	nodes := s.owned()
	java.InOrder(nodes, java.CloneBuckets(len(nodes)), pathSpread)
	return nodes
}

func pathSpread(n *znode) uint32 { return java.Spread(n.path) }
