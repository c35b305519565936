package simrun_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/simrun"
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
