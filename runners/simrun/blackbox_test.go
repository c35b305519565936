package simrun_test

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/simrun"
)

// The tests of this file hold the simulation to what the reference's own agents did as
// processes (runners/BLACKBOX.md): each plays a story with many seeds and looks at how
// often each of its ends is met. A number in a test's name is that of a finding there.

// blackBoxSeeds is how many seeds a story is played with.
func blackBoxSeeds() uint64 {
	if testing.Short() {
		return 50
	}
	return 1000
}

// play plays a story once; log takes what happens.
func play(t *testing.T, spec runners.Spec, log func(runners.Observation), story func(c *simrun.Cluster)) {
	t.Helper()
	c, err := (&simrun.Runner{OnObservation: log, KeepLog: 1}).Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	story(c.(*simrun.Cluster))
}

// shares prints how often each end was met, and wants all of them, where all seeds were
// played.
func shares[K comparable](t *testing.T, got map[K]int, want ...K) {
	t.Helper()
	t.Logf("ends: %v", got)
	for _, k := range want {
		if got[k] == 0 && !testing.Short() {
			t.Errorf("end %v: got it in none of %d seeds, want it in some: %v", k, blackBoxSeeds(), got)
		}
	}
	for k := range got {
		known := false
		for _, w := range want {
			known = known || w == k
		}
		if !known {
			t.Errorf("end %v: got it %d times, want none but %v", k, got[k], want)
		}
	}
}

func ctr(subGraphs ...string) runners.Model {
	m := runners.Model{Name: "ctr", BasePath: "/models/ctr"}
	for _, s := range subGraphs {
		m.SubGraphs = append(m.SubGraphs, runners.SubGraph{Name: s, SizeBytes: 30e6, Versions: []int64{1}})
	}
	return m
}

// A pod that starts under an existing layout binds its model at the second, third or
// fourth look, by whether the model server reads its config file before the agent has
// written it, and by whether it has loaded by its agent's third look.
func TestBB2_1_APodUnderALayoutBindsAfter30Or60Or90s(t *testing.T) {
	ends := map[time.Duration]int{}
	for seed := range blackBoxSeeds() {
		var told time.Duration
		spec := runners.Spec{Seed: seed, Conf: runners.ConfV3, Models: []runners.Model{ctr("entry")}}
		play(t, spec, func(o runners.Observation) {
			switch {
			case told == 0 && o.Op == "zookeeper.create" && strings.Contains(o.Path, "/container_service/"):
				told = o.At
			case o.Op == "zookeeper.create" && strings.Contains(o.Path, "/binding/ctr/entry:"):
				ends[(o.At-told).Round(10*time.Second)]++
			}
		}, func(c *simrun.Cluster) {
			do(t, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
			do(t, c.Publish("", "ctr", "entry"))
			do(t, c.Start())
			pass(t, c, 100*time.Second)
		})
	}
	shares(t, ends, 30*time.Second, 60*time.Second, 90*time.Second)
}

// The first write of an agent v3 at its start is where it serves: the thread that tells
// so runs as soon as it is started, and the layout is made after it.
func TestBB2_2_TheFirstWriteOfAnAgentV3IsItsServiceInfo(t *testing.T) {
	first := map[string]int{}
	for seed := range blackBoxSeeds() {
		spec := runners.Spec{Seed: seed, Conf: runners.ConfV3}
		wrote := false
		play(t, spec, func(o runners.Observation) {
			if !wrote && strings.HasPrefix(o.Op, "zookeeper.") && o.Path != "" {
				wrote = true
				first[strings.Split(o.Path, "/")[2]]++
			}
		}, func(c *simrun.Cluster) {
			do(t, c.Start())
			pass(t, c, 5*time.Second)
		})
	}
	shares(t, first, "container_service")
}

// A layout's children come as a real server lists them, and so they stand in the model
// config; a choice has them sorted.
func TestBB2_3_ChildrenComeInTheServersHashOrder(t *testing.T) {
	subGraphs := []string{"entry", "ps_0", "ps_1", "ps_2"}
	for _, c := range []struct {
		name    string
		choices []env.Choice
		want    string
	}{
		{"hash", nil, "entry ps_0 ps_2 ps_1"},
		{"sorted", sortedChildren, "entry ps_0 ps_1 ps_2"},
		{"backwards", []env.Choice{{Node: "zookeeper", Site: "zookeeper.children", Value: 2}}, "ps_2 ps_1 ps_0 entry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			orders := map[string]int{}
			for seed := range blackBoxSeeds() {
				spec := runners.Spec{Seed: seed, Conf: runners.ConfV3, Models: []runners.Model{ctr(subGraphs...)}, Choices: c.choices}
				play(t, spec, nil, func(c *simrun.Cluster) {
					for _, g := range subGraphs {
						do(t, c.Declare("ctr", g, "/models/ctr/"+g, "latest"))
					}
					do(t, c.Publish("", "ctr", subGraphs...))
					do(t, c.Start())
					pass(t, c, 5*time.Second)
					orders[configOrder(t, c, "shard0-replica0")]++
				})
			}
			shares(t, orders, c.want)
		})
	}
}

// A container that has two models AVAILABLE at one look binds them in the order of a set
// of Python's, which its process's hash seed decides: the reference wrote entry first 21
// times of 35, from a server that listed children sorted. Python 3.11.7 puts entry first in
// that very set for 529 of the hash seeds 1 to 1,000, and engine/pysem/pyset for the same,
// and for 55 % of those that there are to choose from (for 433 and 46 % where ps_0 was put
// in first, as with the default order of children).
func TestBB2_4_ThePythonHashSeedOrdersBindings(t *testing.T) {
	first := map[string]int{}
	for seed := range blackBoxSeeds() {
		spec := runners.Spec{Seed: seed, Conf: runners.ConfV3, Models: []runners.Model{ctr("entry", "ps_0")}, Choices: sortedChildren}
		var one runners.Observation
		play(t, spec, func(o runners.Observation) {
			_, bound, ok := strings.Cut(o.Path, "/binding/ctr/")
			switch {
			case !ok || o.Op != "zookeeper.create":
			case one.Op == "":
				one, one.Note = o, bound
			case o.At-one.At < time.Second: // else the first was AVAILABLE a look earlier
				name, _, _ := strings.Cut(one.Note, ":")
				first[name]++
			}
		}, func(c *simrun.Cluster) {
			for _, g := range []string{"entry", "ps_0"} {
				do(t, c.Declare("ctr", g, "/models/ctr/"+g, "latest"))
			}
			do(t, c.Publish("", "ctr", "entry", "ps_0"))
			do(t, c.Start())
			pass(t, c, 100*time.Second)
		})
	}
	shares(t, first, "entry", "ps_0")
	within(t, first, "entry", 0.50, 0.60)
}

// Who publishes writes all sub-graphs of a model in one session, about 3 ms apart, in the
// order of the server: sorted, as it was in that comparison, entry comes first. Of the
// reference's pods 2 of 4 read the layout when both stood in it: with one of policy
// latest_once (Q25) their model config stays empty. The others saw entry first and have it.
// (Clients that only watch, four of them on a busy machine, saw both 40 times of 240.)
func TestBB2_5_SomePodsSeeAPublishedModelWholeAndOthersInPart(t *testing.T) {
	const pods = 4
	has := map[string]int{}
	for seed := range (blackBoxSeeds() + pods - 1) / pods {
		spec := runners.Spec{Seed: seed, Conf: runners.ConfV3, Replicas: pods, Models: []runners.Model{ctr("entry", "ps_0")}, Choices: sortedChildren}
		play(t, spec, nil, func(c *simrun.Cluster) {
			do(t, c.Start())
			pass(t, c, 20*time.Second)
			do(t, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
			do(t, c.Declare("ctr", "ps_0", "/models/ctr/ps_0", "latest_once"))
			do(t, c.Publish("", "ctr", "entry", "ps_0"))
			pass(t, c, 5*time.Second)
			for _, p := range c.Pods() {
				has[configOrder(t, c, p.Name)]++
			}
		})
	}
	shares(t, has, "", "entry")
	within(t, has, "", 0.15, 0.55)
}

// sortedChildren has ZooKeeper list children in the order of their names.
var sortedChildren = []env.Choice{{Node: "zookeeper", Site: "zookeeper.children", Value: 1}}

// within wants the share of an end between two bounds, where all seeds were played.
func within[K comparable](t *testing.T, got map[K]int, end K, least, most float64) {
	t.Helper()
	total := 0
	for _, n := range got {
		total += n
	}
	if share := float64(got[end]) / float64(total); !testing.Short() && (share < least || share > most) {
		t.Errorf("end %v: got a share of %.3f, want %.2f to %.2f: %v", end, share, least, most, got)
	}
}

// configOrder is the order of the sub-graphs in the model config of a pod.
func configOrder(t *testing.T, c *simrun.Cluster, pod string) string {
	t.Helper()
	state, err := c.PodState(pod)
	do(t, err)
	text, err := c.ReadFile(pod, state.ModelServers[0].ConfigFile)
	do(t, err)
	var names []string
	for _, line := range strings.Split(string(text), "\n") {
		if _, name, ok := strings.Cut(line, `name: "ctr:`); ok {
			names = append(names, strings.TrimSuffix(name, `"`))
		}
	}
	return strings.Join(names, " ")
}
