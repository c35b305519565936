package vtime

const (
	fold1 = 0x9e3779b97f4a7c15
	fold2 = 0xd6e8feb86659fd93
)

// fold mixes a number into the hashes of the node and of the world.
func (n *Node) fold(x uint64) {
	if !hashed {
		return
	}
	n.hash = (n.hash ^ x) * fold2
	n.hash ^= n.hash >> 29
	n.w.hash = (n.w.hash ^ n.hash) * fold2
	n.w.hash ^= n.w.hash >> 29
}
