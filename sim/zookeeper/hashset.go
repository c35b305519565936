package zookeeper

import "slices"

// A server keeps the names of a znode's children in a Java HashSet with 8 buckets at first
// (DataNode.java:72), and lists them in that order (ZK-5.8): by bucket, and within a bucket in the
// order of creation. The table doubles when it is more than three quarters full, and never shrinks.
// Java turns chains of 8 names and more into trees; here they stay chains.
const firstBuckets = 8

// hashSpread returns the hash that decides about a name's bucket, by its low bits (String.hashCode,
// HashMap.hash).
func hashSpread(name string) uint32 {
	h := javaHash(name)
	return h ^ h>>16
}

// buckets returns the size of a table that has held up to peak names.
func buckets(peak int32) uint32 {
	n := uint32(firstBuckets)
	for uint32(peak) > n/4*3 {
		n *= 2
	}
	return n
}

// inHashOrder lists the names of a znode's children in the order of the table.
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
