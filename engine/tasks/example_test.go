package tasks_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/tasks"
)

// Each site of a node draws from a sequence of its own: what another site draws in
// between changes nothing.
func ExampleDraws() {
	latency := tasks.NewDraws(1, "shard0-replica0", "network.latency")
	loss := tasks.NewDraws(1, "shard0-replica0", "network.loss")
	for range 3 {
		k, drawn := latency.Next(100)
		fmt.Println(k, drawn)
		loss.Next(100)
	}

	// Output:
	// 0 41
	// 1 65
	// 2 41
}
