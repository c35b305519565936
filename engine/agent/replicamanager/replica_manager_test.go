package replicamanager_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a replica that is not AVAILABLE is not a target, but the replicas after it are
// (replica_manager.py:356).
func TestSyncTargetsAreTheAvailableReplicas(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		w, zk, _ := watched(c, "ps")
		c.Create(zk, "/b/service/n/ps:0/1", agenttest.ReplicaData("h:1", env.StateUnknown))
		c.Create(zk, "/b/service/n/ps:0/2", agenttest.ReplicaData("h:2", env.StateAvailable))
		_, targets, err := w.ToSyncWrapper().SyncTargets("ps_0")
		c.Must(err)
		var got []pysem.OptString
		for _, target := range targets {
			got = append(got, target.Addr)
		}
		if diff := cmp.Diff([]pysem.OptString{pysem.Some("h:2")}, got); diff != "" {
			t.Errorf("targets (-want +got):\n%s", diff)
		}
	})
}

// Goal: a sub-graph without "_" gives the error that Python 3.11 raises for
// `ps, i = sub_graph.split("_")[:2]` (replica_manager.py:826).
func TestASubGraphWithoutANumberIsAnErrorInPythonsWords(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		w, _, _ := watched(c, "ps")
		_, _, err := w.ToSyncWrapper().SyncTargets("ps")
		if diff := cmp.Diff(pysem.Raise("ValueError", "not enough values to unpack (expected 2, got 1)"), err); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
