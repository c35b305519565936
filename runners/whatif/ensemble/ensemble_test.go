package ensemble_test

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/plan"
)

var servers = plan.ZooKeeper{ReadOps: 100e3, WriteOps: 15e3, WatchBytes: 200, JuteMaxBuffer: 1 << 20, Heap: 16 << 30, SessionTimeout: 10e9}

// Goal: the formulas give the numbers in the table of CAP-3.12 for version 1.
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
			if math.Abs(v.got/v.want-1) > 0.03 { // the published table has two digits
				t.Errorf("%d containers, %s: got %g, want %g", l.Containers, v.what, v.got, v.want)
			}
		}
	}
}

// Goal: the load of several models is computed right. An agent of version 1 serves one
// model, so a second model adds its own agents, and loads add up. An agent of version 3
// serves all models, so it just has more bindings.
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
	// A burst may take a third of the session timeout, 3.33 s, in which the ensemble answers
	// 333,000 reads. The thousand agents ask for a million at once.
	if first == nil || first.Name != "drain of the busiest burst" || math.Abs(first.At-math.Sqrt(100e3*10./3)/1000) > 0.02 {
		t.Errorf("first limit of version 1: got %+v, want the burst, which grows with the square, at 0.57 times the fleet", first)
	}
	for _, l := range curve.Curves[0].Limits {
		if l.Name == "reads a second" && math.Abs(l.At-math.Sqrt(100e3*60)/1000) > 0.05 {
			t.Errorf("reads a second: got %v, want 2.45 times the fleet", l.At)
		}
	}
	if v3 := curve.First(3); v3 == nil || v3.At <= first.At {
		t.Errorf("first limit of version 3: got %+v, want one at more than %v", v3, first.At)
	}
}

// Goal: the plan's own number of watches, from which ZooKeeper's heap is checked, equals
// that of the formulas. Method: plans of both versions, with dense containers, a larger
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
		{"num_shard: 2}", "num_shard: 2, dc_aware: true}"}, {"num_ps: 4, num_shard: 2", "num_ps: 7, num_shard: 3"},
		{"num_ps: 4, num_shard: 2}\nfleet:", "num_ps: 7, num_shard: 3, dc_aware: true}\nfleet:\n  idcs: [{name: a, clusters: [x, y]}, {name: b}]\n  placement: {a: 1, b: 2}"},
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

// Goal: the burst of a fleet of 1,000 containers is found. Started together, they make 1.02
// million reads each minute, which keep the ensemble busy for ten seconds, although its mean
// utilization is only 17 %. Method: plans whose agents start with a deployment, all
// together, or spread over ten minutes.
func TestTheBurstOfTheFlagship(t *testing.T) {
	const text = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 10GiB, dense: 1GiB}, resident_versions: 1}
override: {num_ps: 20, num_shard: 20}
fleet:
  entry: {replicas: 500, cpu: 4, mem: 80GiB}
  ps: {replicas: 25, cpu: 4, mem: 80GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 1ms}
workload: {rate: 1/s, horizon: 10s}
`
	for _, c := range []struct {
		starts                string
		least, most           float64 // limits of the utilization in the busiest second
		leastDrain, mostDrain float64 // seconds
	}{
		{"", 4, 10, 10.1, 10.3}, {"starts: together", 9, 10.3, 10.1, 10.3}, {"starts: 3s", 2.3, 3.5, 10.1, 10.3}, {"starts: 10m", 0.2, 0.4, 0.2, 0.4},
		{"boot: {schedule: \"lognormal(mean=40s, cv=1)\"}", 0.25, 0.6, 0.25, 0.6},
	} {
		_, p, _, err := plan.Parse("plan.yaml", []byte(strings.Replace(text, "fleet:", "fleet:\n  "+c.starts, 1)))
		if err != nil {
			t.Fatal(err)
		}
		l := ensemble.Of(p).Load(&p.ZooKeeper)
		if math.Abs(l.Utilisation-0.17) > 0.005 || l.PeakUtilisation < c.least || l.PeakUtilisation > c.most || l.DrainNs < c.leastDrain*1e9 || l.DrainNs > c.mostDrain*1e9 {
			t.Errorf("%q: mean %.3f, busiest second %.3f, drained after %.2f s; want 0.17, %v to %v, %v to %v s", c.starts, l.Utilisation, l.PeakUtilisation, l.DrainNs/1e9, c.least, c.most, c.leastDrain, c.mostDrain)
		}
		if over := ensemble.OverBurst(p); (over != "") != (c.leastDrain > 3.4) {
			t.Errorf("%q: over a third of the session timeout: got %q", c.starts, over)
		}
	}
}

// Goal: every loop is reported with its mean rate and its busiest second. Method: a small
// fleet whose agents start together, computed by hand.
func TestEveryLoopIsTold(t *testing.T) {
	f := ensemble.Fleet{Version: 1, Entry: 10, PS: 20, NumPS: 4, NumShard: 2, Services: 1, Models: 1, Ways: []ensemble.Way{{Share: 1, Gap: 1e5}}, Polls: [3]int64{1e9, 0, 1e9}}
	looks := float64(1 + 5 + 50)
	want := map[string][3]float64{ // for each period in seconds: requests per second on average and in the busiest second
		"looks of every agent":        {60, 30 * looks / 60, 30 * looks},
		"heartbeats of sessions":      {10. / 3, 9, 30},
		"looks for versions by entry": {1, 10, 10},
	}
	list := f.Curve(&servers).Periodic
	if len(list) != len(want) {
		t.Errorf("got %+v, want %d loops", list, len(want))
	}
	for _, p := range list {
		w := want[p.Name]
		if math.Abs(float64(p.PeriodNs)/1e9-w[0]) > 1e-6 || math.Abs(p.Mean-w[1]) > 1e-6 || math.Abs(p.Peak-w[2]) > 1e-6 {
			t.Errorf("%s: got %+v, want period, mean and busiest second %v", p.Name, p, w)
		}
	}
	f.Version, f.Bindings = 3, 3
	for _, p := range f.Curve(&servers).Periodic {
		if p.Name == "service information" && (p.Mean != 1 || p.Peak != 60) {
			t.Errorf("service information: got %+v, want 2 writes of 30 agents in a second, 1 on average", p)
		}
	}
}
