package simtest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/runtimetest/tbtest"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simtest"
)

// testKilledPod stands for a test of your own, TestKilledPod(t *testing.T).
func testKilledPod(t testing.TB) {
	ctr := runners.Model{Name: "ctr", BasePath: "/models/ctr", SubGraphs: []runners.SubGraph{
		{Name: "entry", SizeBytes: 30e6, Versions: []int64{1}},
	}}
	c := simtest.Start(t, runners.Spec{Replicas: 2, Models: []runners.Model{ctr}})
	c.RollOut("main", "ctr")
	c.Within(95*time.Second, "both pods are listed", c.Listed("ctr:entry"))
	c.Begin(runners.Fault{Kind: "agent.killed", Pod: "shard0-replica1"})
	c.Throughout(5*time.Second, "its session outlives a pod", c.Listed("ctr:entry"))
	c.Within(4*time.Second, "the dead pod is forgotten", c.Listed("ctr:entry", "shard0-replica0"))
}

// A ZooKeeper session lives for ten seconds, so this test waits too short a time and fails.
// Its message has the time, the seed and the command that repeats it. tbtest.Attempt takes
// the place of go test here.
func Example() {
	tb := tbtest.Attempt("TestKilledPod", testKilledPod)
	if tb.Failed() {
		fmt.Println(tb.Said[0])
	}

	// Output:
	// t+100.436s: the dead pod is forgotten: HeartBeat of shard0-replica0: ctr:entry, want [shard0-replica0], got [shard0-replica0 shard0-replica1] (waited 4s)
	//     seed 1, replay with: MONOSIM_SEED=1 go test github.com/monosim/monosim/runners/test/simtest -run '^TestKilledPod$'
}
