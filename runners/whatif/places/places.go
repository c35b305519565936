// Package places counts containers by where they are: of each place, and of what agents of version 1
// keep in ZooKeeper for it.
//
// Two things to use first:
//
//   - [Placed] returns how many of some containers are at each place.
//   - [Tree] is what agents of version 1 keep in ZooKeeper; it counts lists and znodes.
//
// Unstable: any commit may change it.
package places

import "slices"

// Place is an idc and a cluster of it, as indexes into the plan's lists.
type Place struct{ IDC, Cluster int }

// Placed returns how many of n containers are at each of some places, which they take in turn.
func Placed(n int, places []Place) map[Place]int {
	counts := map[Place]int{}
	for i, place := range places {
		if i < n {
			counts[place] += (n - i + len(places) - 1) / len(places)
		}
	}
	return counts
}

// Hosted returns how many of n PS a shard hosts. Fewer PS than shards are taken as one each, as
// num_ps is then what num_shard is.
func Hosted(n, shard, shards int) int {
	n = max(n, shards)
	calls := n / shards
	if shard < n%shards {
		calls++
	}
	return calls
}

// Tree is what agents of version 1 keep in ZooKeeper for one model (replica_manager.py:74-143).
type Tree struct {
	Entry, Dense int   // replicas
	PerShard     []int // containers of each shard
	NumPS        int
	// Places holds the places of a shard's containers in turn, where they are kept apart
	// (dc_aware); nil otherwise.
	Places []Place
	// Mixed says that each container of a shard has the entry and the dense part, too, where it is.
	Mixed bool
}

// Znodes returns the number of replicas. PS i is in shard i mod num_shard.
func (t *Tree) Znodes() int {
	sum := t.Entry + t.Dense
	for shard, containers := range t.PerShard {
		sum += containers * Hosted(t.NumPS, shard, len(t.PerShard))
	}
	return sum
}

// Tasks returns the number of tasks, with dc_aware the sum over all places.
func (t *Tree) Tasks() int {
	sum := t.tasks(t.Entry, 1) + t.tasks(t.Dense, 1)
	for shard, containers := range t.PerShard {
		sum += t.tasks(containers, Hosted(t.NumPS, shard, len(t.PerShard)))
	}
	return sum
}

// tasks returns how many tasks a number of containers are that host so many.
func (t *Tree) tasks(containers, hosted int) int {
	switch {
	case containers == 0:
		return 0
	case t.Places == nil:
		return hosted
	}
	return hosted * len(Placed(t.spread(containers), t.Places))
}

// spread returns how many containers of a shard are where so many of a task are.
func (t *Tree) spread(containers int) int {
	if t.Mixed {
		return min(containers, slices.Max(t.PerShard))
	}
	return containers
}

// Lists returns how many lists of children there are: the model's, those of places, and those
// of tasks.
func (t *Tree) Lists() int {
	lists := 1 + t.Tasks()
	if t.Places != nil {
		used := map[Place]bool{}
		for _, n := range append([]int{t.Entry, t.Dense}, t.PerShard...) {
			for place := range Placed(t.spread(n), t.Places) { //lint:order a set
				used[place] = true
			}
		}
		lists += len(used)
	}
	return lists
}
