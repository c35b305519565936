package world_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/world"
)

// Two pods run a custom program instead of the agent. It registers its pod in ZooKeeper. A pod
// whose program ends is restarted.
func Example() {
	spec := cluster.Spec{Seed: 1, Shards: 1, Replicas: 2, RestartAfter: 10 * time.Second}
	w, err := world.New(spec, world.Options{
		Agent: func(e *env.Env, confPath string) {
			zk := e.ZooKeeper.NewClient("zookeeper:2181", env.ZooKeeperOptions{})
			if err := zk.Start(time.Second); err != nil {
				return
			}
			zk.Create("/"+e.Host.Hostname(), nil, env.CreateOptions{Ephemeral: true})
			e.Tasks.Sleep(time.Hour)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	fmt.Println("start:", w.Start())

	tell := func(after time.Duration) {
		w.Run(vtime.Limits{Until: w.Engine().Now() + after})
		fmt.Println(w.Engine().Now(), w.ZooKeeper().Machine().Children("/"), "starts of the second:", w.Pod("shard0-replica1").Starts())
	}
	tell(5 * time.Second)
	w.Pod("shard0-replica1").Agent().Signal(env.SIGKILL)
	tell(5 * time.Second)
	tell(10 * time.Second)

	// Output:
	// start: <nil>
	// 5s [shard0-replica0 shard0-replica1 zookeeper] starts of the second: 1
	// 10s [shard0-replica0 shard0-replica1 zookeeper] starts of the second: 1
	// 20s [shard0-replica0 shard0-replica1 zookeeper] starts of the second: 2
}
