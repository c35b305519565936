package simrun_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// begun builds a cluster and starts it.
func begun(t *testing.T, spec runners.Spec) *simrun.Cluster {
	t.Helper()
	c := build(t, spec)
	start(t, c, spec)
	return c
}

// start starts a cluster and publishes all of its models.
func start(t *testing.T, c *simrun.Cluster, spec runners.Spec) {
	t.Helper()
	do(t, c.Start())
	if spec.Conf == confV3 {
		for _, g := range spec.Models[0].SubGraphs {
			do(t, c.Declare("ctr", g.Name, "/models/ctr/"+g.Name, "latest"))
			do(t, c.Publish("", "ctr", g.Name))
		}
	}
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

// Goal: what the checker remembers while nothing changes is what it would find. Method: random
// faults hit two equal clusters, and the checker of one remembers nothing.
func TestRememberedLooksAreTheSame(t *testing.T) {
	stories := uint64(6)
	if testing.Short() {
		stories = 2
	}
	looks, broken := 0, 0
	for seed := range stories {
		for _, version := range []string{"v3", "v1"} {
			r := rand.New(rand.NewPCG(seed, 2))
			spec := watchedSpec(version)
			spec.Seed = seed
			anew, remembers := build(t, spec), build(t, spec)
			anew.Forget()
			both := func(do func(c *simrun.Cluster) error) {
				if a, b := fmt.Sprint(do(anew)), fmt.Sprint(do(remembers)); a != b {
					t.Fatalf("%s, seed %d, at %v: found %s, want %s", version, seed, remembers.Now(), b, a)
				} else if strings.Contains(a, "want") {
					broken++
				}
				looks++
			}
			both(func(c *simrun.Cluster) error { start(t, c, spec); return nil })
			kinds := (&simrun.Runner{}).Faults()
			for range 6 {
				f := faultOf(kinds[r.IntN(len(kinds))])
				f.Pod = remembers.Pods()[r.IntN(len(remembers.Pods()))].Name
				both(func(c *simrun.Cluster) error { return c.BeginFault(f) })
				for range r.IntN(60) {
					d := time.Duration(r.Int64N(int64(4 * time.Second)))
					both(func(c *simrun.Cluster) error { pass(t, c, d); return c.Whole() })
				}
				both(func(c *simrun.Cluster) error { return c.EndFault(f) })
			}
			for _, id := range []string{"ghost", "owner", "order", "locks"} {
				both(func(c *simrun.Cluster) error { return c.Kept(id) })
			}
			if diff := cmp.Diff(anew.Stats(), remembers.Stats()); diff != "" {
				t.Fatalf("%s, seed %d (-anew +remembering):\n%s", version, seed, diff)
			}
		}
	}
	if broken < looks/10 {
		t.Errorf("%d of %d looks found something broken, want more to compare", broken, looks)
	}
}
