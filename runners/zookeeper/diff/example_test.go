package diff_test

import (
	"fmt"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// The example plays a script on the state machine. It then plays generated scripts on two
// versions of the machine, which differ. A [TCP] in place of a machine plays on a real
// server.
func Example() {
	machine := func(p zookeeper.Profile) *diff.Machine { return diff.NewMachine(diff.Config(p)) }
	script := diff.Script{
		{Kind: diff.Connect, TimeoutMs: 30_000},
		{Kind: diff.Ask, Request: &zookeeper.Request{Op: zookeeper.OpCreate, Path: "/a", ACL: acl.Open()}},
		{Kind: diff.Ask, Request: &zookeeper.Request{Op: zookeeper.OpDelete, Path: "/b", Version: -1}},
	}
	lines, err := diff.Play(machine(zookeeper.V38), "/example", script, nil)
	for _, line := range lines {
		fmt.Println(line)
	}
	fmt.Println(err)

	report, err := diff.Check(diff.Options{Seed: 1, Steps: 10_000, Root: "/t", MostDifferences: 1}, machine(zookeeper.V38), machine(zookeeper.V39))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("3.8 and 3.9 differ:", len(report.Differences) > 0)

	// Output:
	// step 1
	//   client 0: connected session1 timeout=30000 readOnly=true
	// step 2
	//   client 0: create OK zxid=+3 "/a"
	// step 3
	//   client 0: delete NoNodeError zxid=+4
	// <nil>
	// 3.8 and 3.9 differ: true
}
