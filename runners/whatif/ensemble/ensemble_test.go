package ensemble_test

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/plan"
)

var servers = plan.ZooKeeper{ReadOps: 100e3, WriteOps: 15e3, WatchBytes: 200, JuteMaxBuffer: 1 << 20, Heap: 16 << 30}

// The table of CAP-3.12, which says what version 1 costs.
func TestLoadsAreThoseOfTheTable(t *testing.T) {
	for _, c := range []struct {
		fleet                         ensemble.Fleet
		znodes, watches, reads, death float64
		reload                        float64
	}{
		{ensemble.Fleet{Version: 1, Entry: 20, PS: 80, NumPS: 20, NumShard: 5, Services: 1}, 340, 3.6e4, 603, 800, 1.0e5},
		{ensemble.Fleet{Version: 1, Entry: 500, PS: 500, NumPS: 20, NumShard: 20, Services: 1}, 1000, 1.0e6, 1.7e4, 2e3, 3e6},
		{ensemble.Fleet{Version: 1, Entry: 5000, PS: 5000, NumPS: 20, NumShard: 20, Services: 1}, 1e4, 1e8, 1.67e6, 2e4, 3e8},
	} {
		l := c.fleet.Load(&servers)
		for _, v := range []struct {
			what      string
			got, want float64
		}{{"znodes", l.Znodes, c.znodes}, {"watches", l.Watches, c.watches}, {"reads", l.Reads, c.reads}, {"per death", l.PerDeath, c.death}, {"per reload", l.PerReload, c.reload}} {
			if math.Abs(v.got/v.want-1) > 0.03 { // the table has two digits
				t.Errorf("%d containers, %s: got %g, want %g", l.Containers, v.what, v.got, v.want)
			}
		}
	}
}

// Agents of version 1 are of one model: of two models there are twice as many, and what they
// ask is the sum. Those of version 3 are of all models: they have more bindings.
func TestModelsOnTheSameContainers(t *testing.T) {
	one := ensemble.Fleet{Version: 1, Entry: 20, PS: 80, NumPS: 20, NumShard: 5, Services: 1, Models: 1}
	other, both := one, one
	other.NumPS, both.Others, both.Models = 10, []int{10}, 2
	a, b, sum := one.Load(&servers), other.Load(&servers), both.Load(&servers)
	if sum.Agents != a.Agents+b.Agents || sum.Watches != a.Watches+b.Watches || sum.Reads != a.Reads+b.Reads || sum.PerDeath != a.PerDeath+b.PerDeath || sum.MaxResend != a.MaxResend {
		t.Errorf("got %+v, want the sum of %+v and %+v", sum, a, b)
	}
	both.Version, one.Version, one.Bindings, both.Bindings = 3, 3, 4, 6
	if a, sum := one.Load(&servers), both.Load(&servers); sum.Agents != a.Agents || sum.Watches != a.Watches*3/2 || sum.MaxReply != a.MaxReply*6/4 {
		t.Errorf("version 3: got %+v of two models and %+v of one", sum, a)
	}
}

func TestTheFirstLimitIsFound(t *testing.T) {
	curve := ensemble.Fleet{Version: 1, Entry: 500, PS: 500, NumPS: 20, NumShard: 20, Services: 1, Models: 1, Bindings: 1}.Curve(&servers)
	first := curve.First(1)
	if first == nil || first.Name != "reads a second" || math.Abs(first.At-math.Sqrt(100e3*60)/1000) > 0.05 {
		t.Errorf("first limit of version 1: got %+v, want the reads, which grow with the square, at 2.45 times the fleet", first)
	}
	if v3 := curve.First(3); v3 == nil || v3.At <= first.At {
		t.Errorf("first limit of version 3: got %+v, want one at more than %v", v3, first.At)
	}
}

// The goal is that the plan's own count of watches, which is held against ZooKeeper's heap, is
// that of the formulas. The method is plans of both versions, with dense containers, a hotter
// shard, several models and a multiplier.
func TestThePlanCountsTheWatchesOfTheFormulas(t *testing.T) {
	const text = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 10GiB, dense: 1GiB}, resident_versions: 1}
override: {num_ps: 4, num_shard: 2}
fleet:
  entry: {replicas: 3, cpu: 4, mem: 80GiB}
  ps: {replicas: 3, cpu: 4, mem: 80GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 1ms}
workload: {rate: 1/s, horizon: 10s}
`
	for _, c := range [][2]string{
		{"", ""}, {"agent_version: 1", "agent_version: 3"}, {"ps: {replicas: 3,", "ps: {replicas: {default: 3, hottest: 5},"},
		{"fleet:", "fleet:\n  multiplier: 2.5"},
		{"service:", "  dense: {replicas: 2, cpu: 4, mem: 80GiB}\nservice:\n  dense: {cpu: 1ms}"},
		{"rate: 1/s,", "rate: 1/s, mix: [{model: a, share: 50%}, {model: b, share: 50%, num_ps: 6}],"},
	} {
		_, p, _, err := plan.Parse("plan.yaml", []byte(strings.Replace(text, c[0], c[1], 1)))
		if err != nil {
			t.Fatal(c[1], err)
		}
		if got, want := p.Watches(), ensemble.Of(p).Load(&p.ZooKeeper).Watches; math.Abs(got-want) > 0.01*want {
			t.Errorf("%q: the plan counts %v watches, the formulas %v", c[1], got, want)
		}
	}
}
