package simrun_test

import (
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// watchedSpec returns the spec of a cluster of version "v1" or "v3" whose invariants are
// checked.
func watchedSpec(version string) runners.Spec {
	spec := v3Spec()
	if version == "v1" {
		spec = v1Spec()
	}
	spec.Seed, spec.Watch, spec.RestartAfter = 3, true, 15*time.Second
	return spec
}

// begun builds and starts a cluster and publishes all of its models.
func begun(t *testing.T, spec runners.Spec) *simrun.Cluster {
	t.Helper()
	built, err := (&simrun.Runner{}).Build(spec)
	do(t, err)
	t.Cleanup(built.Close)
	c := built.(*simrun.Cluster)
	do(t, c.Start())
	if spec.Conf == confV3 {
		for _, g := range spec.Models[0].SubGraphs {
			do(t, c.Declare("ctr", g.Name, "/models/ctr/"+g.Name, "latest"))
			do(t, c.Publish("", "ctr", g.Name))
		}
	}
	return c
}

// Goal: an undisturbed cluster reaches its wanted state, stays quiet, and breaks no invariant.
func TestCalmClustersAreWholeAndQuiet(t *testing.T) {
	for _, version := range []string{"v3", "v1"} {
		c := begun(t, watchedSpec(version))
		if err := runners.Within(c, 4*time.Minute, c.Whole); err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if err := runners.Throughout(c, 3*time.Minute, c.Quiet()); err != nil {
			t.Errorf("%s: %v", version, err)
		}
		for _, id := range []string{"ghost", "owner", "order", "history"} {
			if err := c.Kept(id); err != nil {
				t.Errorf("%s: %v", version, err)
			}
		}
	}
}

// Goal: Whole names what is wrong. Method: take one thing away from a complete cluster, and
// check before an agent has repaired it.
func TestWholeNamesWhatIsMissing(t *testing.T) {
	container := "monolith.serving;lf;default:shard0-replica1"
	for _, c := range []struct {
		version, what string
		act           func(c *simrun.Cluster) error
	}{
		{"v3", "runs", func(c *simrun.Cluster) error {
			return c.BeginFault(runners.Fault{Kind: "agent.killed", Pod: "shard0-replica1"})
		}},
		{"v3", "serves", func(c *simrun.Cluster) error { return c.ExportVersion("/models/ctr/entry", 9, 30e6) }},
		{"v3", "bound", func(c *simrun.Cluster) error { return c.DeleteZnode("/demo/binding/ctr/entry:" + container) }},
		{"v3", "info", func(c *simrun.Cluster) error { return c.DeleteZnode("/demo/container_service/" + container) }},
		{"v3", "unloads", func(c *simrun.Cluster) error { return c.Unpublish("", "ctr", "entry") }},
		{"v1", "runs", func(c *simrun.Cluster) error {
			return c.BeginFault(runners.Fault{Kind: "agent.killed", Pod: "shard0-replica0"})
		}},
		{"v1", "serves", func(c *simrun.Cluster) error { return c.ExportVersion("/models/ctr/entry", 9, 30e6) }},
		{"v1", "bound", func(c *simrun.Cluster) error { return c.DeleteZnode("/demo/service/ctr/lf:default/entry:0") }},
	} {
		cluster := begun(t, watchedSpec(c.version))
		do(t, runners.Within(cluster, 4*time.Minute, cluster.Whole))
		do(t, c.act(cluster))
		var broken runners.Broken
		if err := cluster.Whole(); !errors.As(err, &broken) || broken.Invariant != c.what {
			t.Errorf("%s: got %v, want %q broken", c.version, err, c.what)
		}
	}
}

// Goal: a run stays the same when it is watched. To watch is to check invariants, to keep
// ZooKeeper's history, or to record choices.
func TestWatchingChangesNothing(t *testing.T) {
	for _, version := range []string{"v3", "v1"} {
		run := func(change func(*runners.Spec)) uint64 {
			spec := watchedSpec(version)
			spec.Watch = false
			change(&spec)
			c := begun(t, spec)
			do(t, c.BeginFault(runners.Fault{Kind: "zookeeper.down"}))
			pass(t, c, 20*time.Second)
			do(t, c.EndFault(runners.Fault{Kind: "zookeeper.down"}))
			pass(t, c, 4*time.Minute)
			return c.Stats().TraceHash
		}
		plain := run(func(*runners.Spec) {})
		for what, change := range map[string]func(*runners.Spec){
			"watched":                  func(s *runners.Spec) { s.Watch = true },
			"watched, without leaps":   func(s *runners.Spec) { s.Watch, s.NoLeaps = true, true },
			"with its choices on tape": func(s *runners.Spec) { s.Chance = runners.ChanceRecorded },
		} {
			if got := run(change); got != plain {
				t.Errorf("%s, %s: trace %016x, want %016x", version, what, got, plain)
			}
		}
	}
}
