package recipes_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/world"
)

// In this example two pods contend for kazoo's lock. A client of the simulated world is made by New
// on top of a simulated session.
func Example() {
	w, err := world.New(cluster.Spec{Seed: 1, Replicas: 2}, world.Options{
		Agent: func(e *env.Env, _ string) {
			zk := e.ZooKeeper.NewClient("zookeeper:2181", env.ZooKeeperOptions{})
			if err := zk.Start(time.Second); err != nil {
				fmt.Println(err)
				return
			}
			defer zk.Stop()
			lock := zk.NewLock("/lock", e.Host.Hostname())
			acquired, err := lock.Acquire(-1)
			fmt.Println(e.Clock.Elapsed().Round(time.Second), e.Host.Hostname(), acquired, err)
			e.Tasks.Sleep(time.Minute)
			fmt.Println(e.Clock.Elapsed().Round(time.Second), e.Host.Hostname(), "releases:", lock.Release())
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	if err := w.Start(); err != nil {
		fmt.Println(err)
	}
	w.Run(vtime.Limits{Until: 5 * time.Minute})

	// Output:
	// 1s shard0-replica0 true <nil>
	// 1m1s shard0-replica0 releases: <nil>
	// 1m1s shard0-replica1 true <nil>
	// 2m1s shard0-replica1 releases: <nil>
}

// This example retries a function until it succeeds or fails for good, with growing pauses.
func ExampleRetry() {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	p := w.Node("host").NewProcess("client")
	e := &env.Env{Clock: p, Tasks: p, Random: p}
	p.Go("main", func() {
		calls := 0
		err := recipes.CommandRetry().Run(e, func() error {
			calls++
			if calls < 8 {
				return zkerrors.ErrConnectionLoss
			}
			return zkerrors.ErrNoNode
		})
		fmt.Printf("%d calls in %v: %v\n", calls, p.Elapsed().Round(time.Second), err)
	})
	w.Run(vtime.Limits{})

	// Output:
	// 8 calls in 10s: NoNodeError
}
