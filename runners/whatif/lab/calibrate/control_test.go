package calibrate

import (
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// changed is a simulation runner that changes each spec before it builds the cluster.
type changed struct {
	simrun.Runner
	change func(*runners.Spec)
}

func (r *changed) Build(spec runners.Spec) (runners.Cluster, error) {
	r.change(&spec)
	return r.Runner.Build(spec)
}

// Goal: a comparison finds no difference between equal clusters, and finds differences in
// roll-out times and writes. Method: compare the simulation with itself, with slower model
// servers, and with an additional pod.
func TestStories(t *testing.T) {
	s := Story{Shards: 2, Replicas: 2, Rollouts: 3, Every: 5 * time.Second}
	for _, c := range []struct {
		name   string
		change func(*runners.Spec)
		missed []string
	}{
		{"the same", func(*runners.Spec) {}, nil},
		{"slower loads", func(spec *runners.Spec) { spec.Serving.LoadTime = time.Second }, []string{"rollout of a replica"}},
		{"a replica more", func(spec *runners.Spec) { spec.Replicas = 3 }, []string{"zookeeper.create", "zookeeper.setData"}},
	} {
		found, err := s.Compare(t.Context(), &simrun.Runner{}, &changed{change: c.change})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		missed := map[string]bool{}
		for _, r := range found.Missed() {
			missed[r.Metric] = true
		}
		for _, metric := range c.missed {
			if !missed[metric] {
				t.Errorf("%s: %s is not missed: %+v", c.name, metric, found.Row(metric))
			}
		}
		if len(c.missed) == 0 && len(missed) > 0 {
			t.Errorf("%s: missed %v, want none", c.name, missed)
		}
		if row := found.Row("zookeeper.create"); row.Measured < 8 {
			t.Errorf("%s: %v znodes were created, want at least those of eight replicas", c.name, row.Measured)
		}
	}
}

// Goal: the roll-outs of a story begin at evenly spread parts of a second.
func TestPhases(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 64} {
		seen := map[time.Duration]bool{}
		for k := range n {
			seen[Story{Rollouts: n}.phase(k)] = true
		}
		for k := range n {
			if want := time.Second * time.Duration(k) / time.Duration(n); !seen[want] {
				t.Errorf("of %d roll-outs none begins at %v of its second", n, want)
			}
		}
	}
}
