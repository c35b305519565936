package deeds_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
	"github.com/monosim/monosim/runners/test/simrun"
)

// The example compares what two pods do at their start with two different seeds.
func Example() {
	did := func(seed uint64) *deeds.Log {
		c, err := deeds.Watch(&simrun.Runner{}).Build(runners.Spec{Seed: seed, Conf: runners.ConfV3, Replicas: 2, Detail: true})
		if err != nil {
			panic(err)
		}
		defer c.Close()
		if err := c.Start(); err != nil {
			panic(err)
		}
		if _, err := c.Pass(70*time.Second, nil); err != nil {
			panic(err)
		}
		return deeds.Read(c.Log())
	}
	first, second := did(1), did(2)
	for _, d := range first.Track("session shard0-replica0").Deeds {
		fmt.Println(d)
	}
	fmt.Println("differences:", len(deeds.Compare(deeds.Open{first}, second, deeds.Slack{Least: 2 * time.Second})))

	// Output:
	// t+0.7s shard0-replica0 opens it
	// differences: 0
}
