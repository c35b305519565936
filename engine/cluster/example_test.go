package cluster_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
)

// This example lists the pods that a spec asks for. Replicas are distributed over the locations in
// turn.
func ExampleSpec_Pods() {
	spec := cluster.Spec{Shards: 2, Replicas: 2, Locations: []cluster.Location{{IDC: "lf", Cluster: "default"}, {IDC: "hl", Cluster: "default"}}}
	for _, p := range spec.Pods() {
		fmt.Println(p.Name, "in", p.Location.IDC)
	}

	// Output:
	// shard0-replica0 in lf
	// shard0-replica1 in hl
	// shard1-replica0 in lf
	// shard1-replica1 in hl
}

// This example prints counts for people: a line for each name, with its numbers.
func ExampleCounts_Lines() {
	counts := cluster.Counts{
		ZooKeeperWrites: 12, SessionsOpened: 3, SessionsExpired: 1,
		RPCs: map[string]uint64{"/tensorflow.serving.ModelService/GetModelStatus": 40, "/tensorflow.serving.PredictionService/Predict": 2},
	}
	for _, line := range counts.Lines(func(n uint64) string { return fmt.Sprint(n) }) {
		fmt.Printf("%s: %s\n", line.Name, line.Text)
	}

	// Output:
	// ZooKeeper writes: 12
	// ZooKeeper watches fired: 0
	// ZooKeeper watches: 0 set, 0 used up, 0 removed, 0 held
	// ZooKeeper sessions: 3 opened, 1 expired
	// ZooKeeper requests: none
	// gRPC calls: GetModelStatus 40, Predict 2
	// messages on the network: 0
	// events of the engine: 0
}
