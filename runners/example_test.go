package runners_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// This builds a cluster from a spec by a runner. It then acts on the cluster, waits, and observes
// it.
func Example() {
	var runner runners.Runner = &simrun.Runner{}
	c, err := runner.Build(runners.Spec{
		Seed: 1, Conf: runners.ConfV3,
		Models: []runners.Model{{Name: "ctr", BasePath: "/models/ctr", SubGraphs: []runners.SubGraph{
			{Name: "entry", SizeBytes: 30e6, Versions: []int64{1}},
		}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	for _, err := range []error{
		c.Declare("ctr", "entry", "/models/ctr/entry", "latest"),
		c.Publish("main", "ctr", "entry"),
		c.Start(),
		runners.Within(c, 95*time.Second, func() error {
			_, err := c.ModelStatus("shard0-replica0", "", "ctr:entry")
			return err
		}),
	} {
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(runners.Within(c, time.Second, func() error {
		pods, err := runners.ListedOn(c, "shard0-replica0", "ctr:entry")
		if err == nil && len(pods) != 2 {
			err = fmt.Errorf("want two pods, got %v", pods)
		}
		return err
	}))

	// Output:
	// t+2.223s: want two pods, got [] (waited 1s)
}
