package world

import "slices"

// The order in which ZooKeeper lists children is chosen once, at node "zookeeper". 0 is the order of a
// real server, and every seed has it (BB-2.3). 1 is sorted, 2 is sorted backwards.
const (
	childrenSite = "zookeeper.children"
	childOrders  = 3
)

// childOrder returns the order for a choice; nil leaves the order to the server.
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
