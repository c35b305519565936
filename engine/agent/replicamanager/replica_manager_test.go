package replicamanager_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
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

// Goal: dense replicas of another data centre let an entry start, and with Q21 repaired those of the
// own one alone. PS of another data centre never do.
func TestQ21_DenseReplicasOfAnotherDataCentreLetAnEntryStart(t *testing.T) {
	agenttest.BothWays(t, quirks.Q21, func(t *testing.T, keep quirks.Set) {
		pod := maps.Clone(ownShard)
		pod["TCE_INTERNAL_IDC"], pod["TCE_LOGICAL_CLUSTER"] = "lf", "def"
		worldtest.Run(t, pod, func(c *worldtest.Case) {
			conf := agenttest.Config(t, c.Env, "bzid", "b", "base_name", "n", "deploy_type", "mixed", "num_ps", 1, "dc_aware", true, "dense_alone", true)
			conf.Quirks = keep
			zk := c.StartedZooKeeper()
			m, err := replicamanager.NewReplicaManager(c.Env, zk, conf)
			c.Must(err)
			c.Must(m.Watcher().WatchData())
			started := func() (list []bool) {
				for _, of := range []func() (bool, error){m.IsPSSetStarted, m.IsDenseSetStarted} {
					is, err := of()
					c.Must(err)
					list = append(list, is)
				}
				return list
			}
			for _, place := range []struct {
				name string
				want []bool // of PS and dense
			}{{"hl:def", []bool{false, keep.Keeps(quirks.Q21)}}, {"lf:def", []bool{true, true}}} {
				c.Create(zk, "/b/service/n/"+place.name+"/ps:0/7", agenttest.ReplicaData("h:7", env.StateAvailable))
				c.Create(zk, "/b/service/n/"+place.name+"/dense:0/7", agenttest.ReplicaData("h:8", env.StateAvailable))
				if diff := cmp.Diff(place.want, started()); diff != "" {
					t.Errorf("PS and dense started, with replicas in %s (-want +got):\n%s", place.name, diff)
				}
			}
		})
	})
}

// Goal: data that another writes into the znode of an own replica stays there, and with Q334 repaired the
// own is written again within 10 s.
func TestQ334_WhatAFormerLifeWritesLateStays(t *testing.T) {
	agenttest.BothWays(t, quirks.Q334, func(t *testing.T, keep quirks.Set) {
		worldtest.Run(t, ownShard, func(c *worldtest.Case) {
			conf := agenttest.Config(t, c.Env, "bzid", "b", "base_name", "n", "deploy_type", "ps", "num_ps", 1)
			conf.ReplicaID, conf.Quirks = pysem.Some(1), keep
			zk := c.StartedZooKeeper()
			m, err := replicamanager.NewReplicaManager(c.Env, zk, conf)
			c.Must(err)
			m.Updater().SetStatus(func(string) ([]env.ModelVersionStatus, error) {
				return []env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}, nil
			})
			c.Must(m.Start())
			c.Env.Tasks.Sleep(3 * time.Second)
			const path = "/b/service/n/ps:0/1"
			own, late := metaAt(c, zk, path), agenttest.ReplicaData("old:5", env.StateAvailable)
			c.Must(zk.Set(path, late, -1))
			c.Env.Tasks.Sleep(11 * time.Second)
			want := own
			if keep.Keeps(quirks.Q334) {
				want, err = datadef.ParseReplicaMeta(late)
				c.Must(err)
			}
			if got := metaAt(c, zk, path); got != want {
				t.Errorf("replica: got %v, want %v", got.Address, want.Address)
			}
		})
	})
}
