package calibrate

import (
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// changed is the simulation of clusters that differ.
type changed struct {
	simrun.Runner
	change func(*runners.Spec)
}

func (r *changed) Build(spec runners.Spec) (runners.Cluster, error) {
	r.change(&spec)
	return r.Runner.Build(spec)
}

// Goal: the same agents do the same, and others are told: by how long roll-outs take, and by
// what they write. Method: the simulation beside itself, with model servers that load more
// slowly, and with a pod more.
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

// Goal: roll-outs have all phases of a second alike.
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
