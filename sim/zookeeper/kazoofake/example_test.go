package kazoofake_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/zookeeper/kazoofake"
)

// The fake calls watches inside the call that changes their znode. It deletes whole subtrees, and
// reports a deletion with the last data.
func Example() {
	zk := kazoofake.New(&env.Env{Clock: fixedClock{}})
	if err := zk.Start(0); err != nil {
		fmt.Println(err)
		return
	}
	defer zk.Stop()
	zk.Create("/monolith/ctr", []byte("v1"), env.CreateOptions{MakePath: true})
	zk.DataWatch("/monolith/ctr", func(data []byte, _ *env.Stat, _ *env.WatchEvent) error {
		fmt.Printf("told of %s\n", data)
		return nil
	})
	zk.Set("/monolith/ctr", []byte("v2"), -1)
	fmt.Println("set")

	zk.Delete("/monolith", env.DeleteOptions{})
	fmt.Println(len(zk.Znodes()), "znodes are left")

	// Output:
	// told of v1
	// told of v2
	// set
	// told of v2
	// 0 znodes are left
}
