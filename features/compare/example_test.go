package compare_test

import (
	"context"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// This runs one scenario on the simulation and on a second runner. The second is the simulation
// with other seeds.
func Example() {
	fsys := fstest.MapFS{"pods.feature": {Data: []byte(`Feature: Pods
  Scenario: Pods come up
    Given a v3 cluster of 1 shard with 2 replicas
    When the cluster starts
    Then within 5s every pod has service info
`)}}
	c := compare.Comparison{
		Suite:   steps.Suite{FS: fsys, Paths: []string{"."}, Seed: 1},
		Runners: []runners.Runner{&simrun.Runner{}, &shifted{}}, Logs: true,
	}
	m, _, err := c.Run(context.Background(), &steps.Report{})
	if err != nil {
		panic(err)
	}
	if err := m.Print(os.Stdout); err != nil {
		panic(err)
	}
	fmt.Println(m.Scenarios[0].Name)

	// Output:
	// feature        sim        shifted
	// pods.feature   1 passed   1 passed, 1 same
	// all            1 passed   1 passed, 1 same
	// Pods come up
}
