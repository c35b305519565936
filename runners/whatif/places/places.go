// Package places counts containers by their location, and counts the znodes that agents of version
// 1 keep in ZooKeeper for them.
//
// Two things to use first:
//
//   - [Placed] returns how many of some containers are at each place.
//   - [Tree] is what agents of version 1 keep in ZooKeeper; it counts lists and znodes.
//
// Unstable: any commit may change it.
package places

import "slices"

// Place is the location of a container: an idc and a cluster in it, as indexes into the
// plan's lists.
type Place struct{ IDC, Cluster int }

// Placed returns how many of n containers are in each location, if they take the locations
// in turn.
func Placed(n int, places []Place) map[Place]int {
	counts := map[Place]int{}
	for i, place := range places {
		if i < n {
			counts[place] += (n - i + len(places) - 1) / len(places)
		}
	}
	return counts
}

// Hosted returns how many of n PS a container of a shard hosts. If there are fewer PS than
// shards, each shard hosts one, since num_ps then takes the value of num_shard.
func Hosted(n, shard, shards int) int {
	n = max(n, shards)
	calls := n / shards
	if shard < n%shards {
		calls++
	}
	return calls
}

// Tree describes the znodes that agents of version 1 keep for one model
// (replica_manager.py:74-143).
type Tree struct {
	Entry, Dense int   // replicas
	PerShard     []int // number of containers of each shard
	NumPS        int
	// Places lists the locations that a shard's containers take in turn, if ZooKeeper separates
	// locations (dc_aware). Otherwise it is nil.
	Places []Place
	// Mixed says that each container of a shard also runs the entry and, if there is one, the
	// dense part.
	Mixed bool
}

// Znodes returns the number of znodes of replicas. PS i belongs to shard i mod num_shard.
func (t *Tree) Znodes() int {
	sum := t.Entry + t.Dense
	for shard, containers := range t.PerShard {
		sum += containers * Hosted(t.NumPS, shard, len(t.PerShard))
	}
	return sum
}

// Tasks returns the number of tasks that have replicas. With dc_aware it is the sum over all
// locations.
func (t *Tree) Tasks() int {
	sum := t.tasks(t.Entry, 1) + t.tasks(t.Dense, 1)
	for shard, containers := range t.PerShard {
		sum += t.tasks(containers, Hosted(t.NumPS, shard, len(t.PerShard)))
	}
	return sum
}

// tasks returns the number of tasks of some containers, which all host the same tasks. hosted is
// the number of tasks on each container. With dc_aware, a task counts once in each location that
// its containers use.
func (t *Tree) tasks(containers, hosted int) int {
	switch {
	case containers == 0:
		return 0
	case t.Places == nil:
		return hosted
	}
	return hosted * len(Placed(t.spread(containers), t.Places))
}

// spread returns the number of containers whose locations are counted. Usually these are all
// containers of a task. In a mixed fleet they are at most as many as the largest shard has: each
// shard's containers take the locations from the first on, so other shards add no location.
func (t *Tree) spread(containers int) int {
	if t.Mixed {
		return min(containers, slices.Max(t.PerShard))
	}
	return containers
}

// Lists returns the number of znodes whose children agents list: those of the model, of
// locations and of tasks.
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
