package simrun_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/sim/zookeeper"
)

// readingCluster runs a cluster of version 3 with a published model for some minutes, and returns
// it with its log.
func readingCluster(t *testing.T, reads bool) (*simrun.Cluster, []runners.Observation) {
	spec := v3Spec()
	spec.NoLeaps, spec.Reads = true, reads
	built, err := (&simrun.Runner{Traffic: true}).Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(built.Close)
	c := built.(*simrun.Cluster)
	do(t, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
	do(t, c.Publish("", "ctr", "entry"))
	do(t, c.Start())
	pass(t, c, 3*time.Minute)
	return c, c.Log()
}

// Goal: with Spec.Reads every read of the pods is observed, and none of the operator, and all else is as
// without it. Method: the reads are held to what the server has counted of the pods' requests, and the
// other observations and the trace to a run without.
func TestReadsOfPodsAreObserved(t *testing.T) {
	c, log := readingCluster(t, true)
	without, want := readingCluster(t, false)
	var others []runners.Observation
	byOp, byPod := map[string]int{}, map[string]int{}
	for _, o := range log {
		if o.Op != "read" {
			others = append(others, o)
			continue
		}
		byOp[o.Note]++
		byPod[o.Pod]++
	}
	counted := map[string]int{}
	for _, op := range []zookeeper.OpCode{zookeeper.OpGetData, zookeeper.OpExists, zookeeper.OpGetChildren, zookeeper.OpGetChildren2} {
		if n := c.Load().ZooKeeper.ByOp[op.String()].Requests; n > 0 {
			counted[op.String()] = int(n)
		}
	}
	if diff := cmp.Diff(counted, byOp); diff != "" {
		t.Errorf("reads (-counted +observed):\n%s", diff)
	}
	if len(byPod) != 2 {
		t.Errorf("reads by pod: want those of 2, got %v", byPod)
	}
	if diff := cmp.Diff(want, others); diff != "" {
		t.Errorf("other observations (-without reads +with):\n%s", diff)
	}
	if a, b := c.Stats().TraceHash, without.Stats().TraceHash; a != b {
		t.Errorf("trace: got %x, want %x as without", a, b)
	}
}
