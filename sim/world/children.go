package world

import "slices"

// One choice per run, at node "zookeeper", sets the order in which ZooKeeper lists children. Choice
// 0, the default, is the order of a real server (BB-2.3). The seed does not affect this choice.
// Choice 1 sorts the names, and 2 sorts them backwards.
const (
	childrenSite = "zookeeper.children"
	childOrders  = 3
)

// childOrder returns the function that orders children for a choice; nil means the server's own
// order.
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
