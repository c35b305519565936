package tasks_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/tasks"
)

// Each site of a node has its own sequence. Draws of another site in between do not change it.
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
