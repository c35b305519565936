package zookeeper

import "slices"

// A server keeps the names of a znode's children in a Java HashSet of 8 to begin with
// (DataNode.java:72) and lists them as they lie there (ZK-5.8): by bucket, in a bucket in
// the order of creation. The table doubles when more than three quarters of it are full,
// and never shrinks. Chains of 8 names and more, which Java makes into trees, stay chains
// here.
const firstBuckets = 8

// hashSpread returns where a name belongs in a table of any size: its low bits are the bucket
// (String.hashCode, HashMap.hash).
func hashSpread(name string) uint32 {
	h := javaHash(name)
	return h ^ h>>16
}

// buckets returns the size of a table that has held so many names.
func buckets(peak int32) uint32 {
	n := uint32(firstBuckets)
	for uint32(peak) > n/4*3 {
		n *= 2
	}
	return n
}

// inHashOrder lists the names of a znode's children as they lie in its table.
func inHashOrder(n *znode) []string {
	children := make([]*znode, 0, n.numChildren)
	for c := n.first; c != nil; c = c.next {
		children = append(children, c)
	}
	mask := buckets(n.peak) - 1
	slices.SortStableFunc(children, func(a, b *znode) int { return int(a.spread&mask) - int(b.spread&mask) })
	names := make([]string, len(children))
	for i, c := range children {
		names[i] = c.name
	}
	return names
}
