package world

import "slices"

// The order in which ZooKeeper lists children is a choice at node "zookeeper", made once:
// 0 is that of a real server, which every seed has (BB-2.3), 1 is sorted, 2 is sorted
// backwards.
const (
	childrenSite = "zookeeper.children"
	childOrders  = 3
)

// childOrder is what a choice means for a server; nil leaves the order to it.
func childOrder(choice uint64) func(path string, sorted []string) []string {
	switch choice {
	case 1:
		return func(_ string, sorted []string) []string { return sorted }
	case 2:
		return func(_ string, sorted []string) []string {
			slices.Reverse(sorted)
			return sorted
		}
	}
	return nil
}
