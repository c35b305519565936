package fault_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/fault"
	"github.com/monosim/monosim/sim/world"
)

// A custom program replaces the agent of a pod and asks ZooKeeper once a second. Answers to what
// it asks during a partition arrive when the partition ends.
func Example() {
	w, err := world.New(cluster.Spec{Seed: 1}, world.Options{Agent: func(e *env.Env, _ string) {
		zk := e.ZooKeeper.NewClient("zookeeper:2181", env.ZooKeeperOptions{})
		if err := zk.Start(0); err != nil {
			fmt.Println(err)
			return
		}
		for {
			e.Tasks.Sleep(time.Second)
			begin := e.Clock.Elapsed()
			_, err := zk.Exists("/")
			if took := e.Clock.Elapsed() - begin; took > time.Second {
				fmt.Printf("an answer after %v: %v\n", took.Round(100*time.Millisecond), err)
			}
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	fmt.Println("start:", w.Start())
	pass := func(d time.Duration) { w.Run(vtime.Limits{Until: w.Engine().Now() + d}) }

	pass(10 * time.Second)
	partition := cluster.Fault{Kind: "network.partition", From: []string{"shard0-replica0"}, To: []string{"zookeeper"}}
	fmt.Println("begin:", fault.Begin(w, partition))
	pass(3 * time.Second)
	fmt.Println("end:", fault.End(w, partition))
	pass(10 * time.Second)

	// Output:
	// start: <nil>
	// begin: <nil>
	// end: <nil>
	// an answer after 3s: <nil>
}
