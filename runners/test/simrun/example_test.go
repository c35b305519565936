package simrun_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Two runs with the same seed are equal, and a run with another seed is not.
func Example() {
	run := func(seed uint64) runners.Cluster {
		c, err := (&simrun.Runner{}).Build(runners.Spec{Seed: seed, Conf: runners.ConfV3, Replicas: 2})
		if err != nil {
			fmt.Println(err)
			return nil
		}
		if err := c.Start(); err != nil {
			fmt.Println(err)
		}
		if _, err := c.Pass(time.Hour, nil); err != nil {
			fmt.Println(err)
		}
		return c
	}
	first, again, other := run(1), run(1), run(2)
	defer first.Close()
	defer again.Close()
	defer other.Close()

	_, _, _, equal := first.(runners.Tracer).Divergence(again)
	fmt.Println("seed 1, again:", equal, first.Stats().Virtual)
	_, _, _, equal = first.(runners.Tracer).Divergence(other)
	fmt.Println("seed 2:", equal)

	// Output:
	// seed 1, again: true 1h0m0s
	// seed 2: false
}
