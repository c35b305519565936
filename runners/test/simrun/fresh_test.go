package simrun_test

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
)

// pushing returns a cluster of v3Spec that serves ctr:ps_0, to which a PS pushes.
func pushing(t *testing.T) runners.Spec {
	t.Helper()
	spec := v3Spec()
	spec.Models[0].SubGraphs = append(spec.Models[0].SubGraphs, runners.SubGraph{Name: "ps_0", SizeBytes: 1 << 20, Versions: []int64{1}})
	spec.Training = &runners.TrainingSpec{Workers: 1, PS: 1, ParameterSync: true, UnifiedServing: true, BZID: "demo", SyncModel: "ctr"}
	return spec
}

// Goal: a PS can be cut off from pods, and from nobody to whom other sentences cut it off.
func TestAPSIsCutOffFromPodsOnly(t *testing.T) {
	c := build(t, pushing(t))
	do(t, c.Start())
	do(t, c.StartTraining())
	for _, to := range []string{"chief", "zookeeper"} {
		err := c.BeginFault(runners.Fault{Kind: "network.partition", From: []string{"ps0"}, To: []string{"shard0-replica0", to}})
		if err == nil || !strings.Contains(err.Error(), "found ps0 beside "+to+", want a pod on one side") {
			t.Errorf("%s: got %v, want an error that says with what", to, err)
		}
	}
	do(t, c.BeginFault(runners.Fault{Kind: "network.partition", From: []string{"shard0-replica0"}, To: []string{"ps0"}}))
}

// Goal: leaps do not change what is pushed, nor how old it is.
func TestLeapsLeavePushesAsTheyAre(t *testing.T) {
	type seen struct {
		trace   uint64
		age     time.Duration
		missing int64
		pushes  int
	}
	run := func(noLeaps bool) (s seen) {
		spec := pushing(t)
		spec.NoLeaps = noLeaps
		c := build(t, spec)
		do(t, c.Declare("ctr", "ps_0", "/models/ctr/ps_0", "latest"))
		do(t, c.Publish("", "ctr", "ps_0"))
		do(t, c.Start())
		do(t, c.StartTraining())
		pass(t, c, 5*time.Minute)
		var err error
		if s.age, s.missing, err = c.ParametersAge("shard0-replica0", "ctr:ps_0"); err != nil {
			t.Fatal(err)
		}
		s.trace, s.pushes = c.Stats().TraceHash, c.Pushes("ps0", "shard0-replica0")
		return s
	}
	with, without := run(false), run(true)
	if with != without || with.pushes < 20 || with.age > 10*time.Second {
		t.Errorf("got %+v with leaps and %+v without, want the same: a push every 10 s once it is served", with, without)
	}
}
