package simrun_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

const confV3 = `bzid demo
base_name ctr
base_path /models/ctr
deploy_type unified
agent_version 3
layout_pattern ctr
zk_servers 127.0.0.1:2181
dc_aware false
`

func v3Spec() runners.Spec {
	return runners.Spec{
		Seed: 1, Conf: confV3, Shards: 1, Replicas: 2,
		Models: []runners.Model{{Name: "ctr", BasePath: "/models/ctr", SubGraphs: []runners.SubGraph{{Name: "entry", SizeBytes: 300 << 20, Versions: []int64{1}}}}},
	}
}

func build(t *testing.T, spec runners.Spec) *simrun.Cluster {
	t.Helper()
	c, err := (&simrun.Runner{CheckOwner: true}).Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.(*simrun.Cluster)
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func pass(t *testing.T, c runners.Cluster, d time.Duration) {
	t.Helper()
	if _, err := c.Pass(d, nil); err != nil {
		t.Fatal(err)
	}
}

func dump(t *testing.T, c runners.Cluster) {
	for _, o := range c.Log() {
		t.Logf("t+%.3fs %s %s %s %s", o.At.Seconds(), o.Pod, o.Op, o.Path, o.Note)
	}
	t.Logf("%+v", c.Stats())
}

// Goal: a cluster behaves the same whatever was kept of clusters before it. Method: stories of faults
// are told cold, and on what the stories before have left.
func TestWarmClustersAreTheSame(t *testing.T) {
	warm := &simrun.Warm{}
	defer warm.Close()
	for seed := range uint64(4) {
		for _, version := range []string{"v1", "v3"} {
			cold := playFaults(t, &simrun.Runner{}, version, seed, false)
			if diff := cmp.Diff(cold, playFaults(t, &simrun.Runner{Warm: warm}, version, seed, false)); diff != "" {
				t.Fatalf("%s, seed %d (-cold +warm):\n%s", version, seed, diff)
			}
		}
	}
}

func TestAPublishedModelIsServedAndFound(t *testing.T) {
	c := build(t, v3Spec())
	do(t, c.Start())
	pass(t, c, 5*time.Second)
	do(t, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
	do(t, c.Publish("", "ctr", "entry"))
	pass(t, c, 3*time.Minute)
	versions, err := c.ModelStatus("shard0-replica1", "", "ctr:entry")
	do(t, err)
	if len(versions) != 1 || versions[0].State != env.StateAvailable {
		t.Errorf("status: got %v, want version 1 AVAILABLE", versions)
	}
	addrs, err := c.HeartBeat("shard0-replica0", "ps")
	do(t, err)
	if len(addrs) != 1 || addrs[0].Key != "ctr:entry" || len(addrs[0].Addrs) != 2 {
		t.Errorf("HeartBeat: got %v, want two addresses of ctr:entry", addrs)
	}
	if t.Failed() {
		dump(t, c)
	}
}

const confV1 = `bzid demo
base_name ctr
base_path /models/ctr
stand_alone_serving true
agent_version 1
num_ps 4
num_shard 2
zk_servers 127.0.0.1:2181
dc_aware true
`

func v1Spec() runners.Spec {
	s := runners.Spec{Seed: 1, Conf: confV1, Shards: 2, Replicas: 2}
	m := runners.Model{Name: "ctr", BasePath: "/models/ctr"}
	for _, name := range []string{"entry", "ps_0", "ps_1", "ps_2", "ps_3"} {
		m.SubGraphs = append(m.SubGraphs, runners.SubGraph{Name: name, SizeBytes: 300 << 20, Versions: []int64{1}})
	}
	s.Models = []runners.Model{m}
	return s
}

func TestEveryTaskOfAV1ClusterIsDiscovered(t *testing.T) {
	c := build(t, v1Spec())
	do(t, c.Start())
	pass(t, c, 3*time.Minute)
	for task := range 4 {
		addrs, err := c.GetReplicas("shard0-replica0", "ps", task)
		do(t, err)
		if len(addrs) != 2 {
			t.Errorf("GetReplicas of ps:%d: got %v, want two addresses", task, addrs)
		}
	}
	entries, err := c.HeartBeat("shard1-replica1", "entry")
	do(t, err)
	if len(entries) != 1 || len(entries[0].Addrs) != 4 {
		t.Errorf("HeartBeat: got %v, want four addresses of entry:0", entries)
	}
	if t.Failed() {
		dump(t, c)
	}
}
