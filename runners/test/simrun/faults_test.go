package simrun_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// faultOf returns a fault of the given kind that fits a running cluster of v3Spec.
func faultOf(k runners.FaultKind) runners.Fault {
	f := runners.Fault{
		Kind: k.Name, Pod: "shard0-replica1", BasePath: "/models/ctr/entry", N: 2, SizeBytes: 1e6, Duration: time.Second,
		From: []string{"shard0-replica1"}, To: []string{"zookeeper", "idc:lf"},
	}
	switch {
	case k.Topic() == "version":
		f.N = 1 // the one that exists
	case k.Name == "consul.errors":
		f.N = 500
	case k.Name == "trainer.memory", k.Name == "trainer.stopped":
		f.Pod = "ps0"
	case strings.HasSuffix(k.Name, "-file"):
		f.BasePath = "/train/model/checkpoint"
	case k.Topic() == "trainer", k.Topic() == "consul":
		f.Pod = "worker1"
	}
	return f
}

// serving returns a cluster of v3Spec that has published its model. Unless discovery is "",
// it also has a training job with that kind of discovery.
func serving(t *testing.T, zooKeeper, discovery string) *simrun.Cluster {
	t.Helper()
	spec := v3Spec()
	spec.ZooKeeper, spec.RestartAfter = zooKeeper, 5*time.Second
	if discovery != "" {
		spec.Training = &runners.TrainingSpec{Workers: 1, PS: 1, Discovery: discovery, SaveSteps: 10, ApplicationMaster: true}
	}
	c := build(t, spec)
	do(t, c.Start())
	if discovery != "" {
		do(t, c.StartTraining())
	}
	pass(t, c, 5*time.Second)
	do(t, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
	do(t, c.Publish("", "ctr", "entry"))
	pass(t, c, time.Minute)
	return c
}

// Goal: every pod serves again after every kind of fault. A lasting fault is ended first.
func TestAClusterSurvivesEveryFault(t *testing.T) {
	for _, k := range (&simrun.Runner{}).Faults() {
		t.Run(k.Name, func(t *testing.T) {
			discovery := "zookeeper"
			if k.Topic() == "consul" {
				discovery = "consul"
			}
			c, f := serving(t, "", discovery), faultOf(k)
			do(t, c.BeginFault(f))
			pass(t, c, 20*time.Second)
			if k.Lasts != "" {
				do(t, c.EndFault(f))
			}
			pass(t, c, 3*time.Minute)
			for _, pod := range c.Pods() {
				versions, err := c.ModelStatus(pod.Name, "", "ctr:entry")
				if err != nil || len(versions) == 0 || versions[0].State != env.StateAvailable {
					t.Errorf("%s: got %v, %v, want ctr:entry AVAILABLE", pod.Name, versions, err)
				}
			}
			if t.Failed() {
				dump(t, c)
			}
		})
	}
}

// Goal: under the profile kazoo-fake, faults of ZooKeeper are unsupported, because no
// ZooKeeper server runs.
func TestFaultsOfAZooKeeperThatDoesNotRun(t *testing.T) {
	c := serving(t, "kazoo-fake", "")
	for _, k := range (&simrun.Runner{}).Faults() {
		if err := c.BeginFault(faultOf(k)); k.Topic() == "zookeeper" && !errors.Is(err, runners.ErrUnsupported) {
			t.Errorf("%s: got %v, want ErrUnsupported", k.Name, err)
		}
	}
}

// Goal: a fault of an unknown pod is refused, with the names of the existing pods.
func TestFaultsOfAnUnknownPod(t *testing.T) {
	c := serving(t, "", "")
	for _, k := range (&simrun.Runner{}).Faults() {
		if !strings.Contains(k.Lasts+k.Begins, "{pod}") {
			continue
		}
		f := faultOf(k)
		f.Pod = "shard7-replica7"
		want := `pod: found "shard7-replica7", want one of shard0-replica0, shard0-replica1`
		if err := c.BeginFault(f); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", k.Name, err, want)
		}
	}
}
