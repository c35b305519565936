package judge_test

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// apart is a plan with two idcs and no queues. A request takes 1 ms at an entry and 5 ms at
// each PS, and a round trip within a cluster takes 0.36 ms.
const apart = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {agent_version: 1, size: {embeddings: 4GiB, dense: 1GiB}}
override: {num_ps: 4, num_shard: 4, dc_aware: true}
fleet:
  idcs: [{name: lf}, {name: hl}]
  entry: {replicas: 4, cpu: 64, mem: 8GiB}
  ps: {replicas: 2, cpu: 64, mem: 8GiB}
service: {entry: {cpu: 1ms}, ps: {cpu: 5ms}}
workload: {rate: 20/s, horizon: 10s}
`

func meanOf(t *testing.T, text string) float64 {
	t.Helper()
	r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := r.Find("mean(request)", "")
	if e == nil || e.Value == nil {
		t.Fatal("no mean")
	}
	return *e.Value / 1e6
}

// Goal: with dc_aware an entry calls only replicas in its own location, but agents watch all
// locations. Method: latencies and watches computed by hand. Either no call leaves the
// cluster, or 15 of 16 requests wait for a call to the other idc. 12 agents watch 25 paths
// each with dc_aware, or 18 without.
func TestAnEntryIsToldOfItsOwnPlace(t *testing.T) {
	everywhere := strings.Replace(apart, "dc_aware: true", "dc_aware: false", 1)
	if own := meanOf(t, apart); math.Abs(own-6.36) > 0.005 {
		t.Errorf("own place: got %.3f ms, want 6.36", own)
	}
	if all := meanOf(t, everywhere); math.Abs(all-9.94) > 0.1 {
		t.Errorf("all places: got %.3f ms, want 9.94", all)
	}
	if v3 := meanOf(t, strings.Replace(apart, "agent_version: 1", "agent_version: 3", 1)); math.Abs(v3-9.94) > 0.1 {
		t.Errorf("version 3, which does not heed it: got %.3f ms, want 9.94", v3)
	}
	for text, want := range map[string]float64{apart: 300, everywhere: 216} {
		p := parse(t, text)
		if l := ensemble.Of(p).Load(&p.ZooKeeper); l.Watches != want || p.Watches() != want {
			t.Errorf("got %v watches, of the plan %v, want %v", l.Watches, p.Watches(), want)
		}
	}
}

// Goal: the load of the fullest replica is known if entries and PS are spread differently
// over locations. Method: compare the formula with the simulation. Three of four entries are
// in an idc with two of three replicas, and one idc has entries but no replica.
func TestPlacesAreFullerThanTheMean(t *testing.T) {
	text := strings.NewReplacer("idcs: [{name: lf}, {name: hl}]", "idcs: [{name: lf}, {name: hl}]\n  placement: {lf: 2, hl: 1}",
		"ps: {replicas: 2, cpu: 64", "ps: {replicas: 2, cpu: 1", "replicas: 4, cpu", "replicas: 3, cpu", "20/s", "90/s").Replace(apart)
	p := parse(t, text)
	if got := p.Fullest("ps", 90); math.Abs(got-90*2/3*0.005) > 1e-9 {
		t.Errorf("fullest PS: got %.3f, want 0.3, for two entries of three have one replica of two", got)
	}
	r, err := (&judge.Judge{}).Run(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := r.Find("util_max(ps)", ""); e == nil || math.Abs(*e.Value-0.3) > 0.02 {
		t.Errorf("simulated fullest PS: got %+v, want 0.3", e)
	}
	_, _, _, err = plan.Parse("plan.yaml", []byte(strings.Replace(apart, "ps: {replicas: 2", "ps: {replicas: 1", 1)))
	if err == nil || !strings.Contains(err.Error(), "dc_aware: 2 entry containers are in hl:a, where no replica of shard 0 of ps is") {
		t.Errorf("entries without PS: got %v", err)
	}
}

// Goal: if PS do not divide evenly, memory is that of the fullest container. Method: five PS
// of 24 GiB on two shards, of which the first holds three.
func TestPSThatDoNotDivideEvenly(t *testing.T) {
	text := `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {agent_version: 1, size: {embeddings: 120GiB, dense: 1GiB}, ram_factor: 1x}
override: {num_ps: 5, num_shard: 2}
fleet: {entry: {replicas: 1, cpu: 8, mem: 8GiB}, ps: {replicas: 1, cpu: 8, mem: 64GiB}}
service: {entry: {cpu: 1ms}, ps: {cpu: "affine(base=1ms, per_item=1ms)"}, items: 10}
workload: {rate: 20/s, horizon: 10s}
`
	_, _, _, err := plan.Parse("plan.yaml", []byte(text))
	if err == nil || !strings.Contains(err.Error(), "ps needs 72.5 GiB at rollover") || !strings.Contains(err.Error(), "num_shard >= 3 fits") {
		t.Errorf("64 GiB: got %v, want 72.5 GiB, of which 3 shards have 48.5", err)
	}
	p := parse(t, strings.Replace(text, "64GiB", "80GiB", 1))
	for shard, want := range []plan.Bytes{72.5 * (1 << 30), 48.5 * (1 << 30)} {
		if got := p.MemoryIn("ps", shard, 1); got != want {
			t.Errorf("shard %d: got %d bytes, want %d", shard, got, want)
		}
	}
	if p.MemoryPeak("ps") != 72.5*(1<<30) {
		t.Errorf("peak: got %d bytes, want the fullest container's", p.MemoryPeak("ps"))
	}
	// Each PS gets two of ten items, so a call takes 3 ms. The first shard is busy for 9 ms per
	// request.
	if got := p.Fullest("ps", 20); math.Abs(got-20*0.009/8) > 1e-9 {
		t.Errorf("fullest shard: got %v, want %v", got, 20*0.009/8)
	}
	r, err := (&judge.Judge{}).Run(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := r.Find("mem.ps.peak", ""); e == nil || *e.Value != 72.5*(1<<30) {
		t.Errorf("report: got %+v, want 72.5 GiB", e)
	}
	if e := r.Find("util_max(ps)", ""); e == nil || math.Abs(*e.Value-20*0.009/8) > 0.002 {
		t.Errorf("simulated: got %+v, want %v", e, 20*0.009/8)
	}
	if z := ensemble.Of(p).Load(&p.ZooKeeper); z.Znodes != 6 {
		t.Errorf("got %v znodes, want 5 PS and an entry", z.Znodes)
	}
}

// Goal: a fleet is recognized in which a container would be killed for memory at its first
// roll-out, from its fullest container. Version 3 holds two versions, for which the first
// shard has no room. Method: the model's roll-out, in which two versions take 144.5 and 96.5
// GiB.
func TestTheFullestContainerIsKilledAtARollout(t *testing.T) {
	p := parse(t, `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {agent_version: 3, size: {embeddings: 120GiB, dense: 1GiB}, ram_factor: 1x, resident_versions: 1}
override: {num_ps: 5, num_shard: 2}
fleet: {entry: {replicas: 1, cpu: 8, mem: 8GiB}, ps: {replicas: 1, cpu: 8, mem: 100GiB}, boot: {model_load: 10GiB/s}}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 20/s, horizon: 10m, detail: {windows: [at 5m 10s]}}
events: [{at: 10s, publish: {version: 2}}]
`)
	p.Model.ResidentVersions = 2 // the containers keep two versions, whatever the plan was checked with
	sample, err := model.Compile(p, judge.Normal).Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	served := sample.Life.Rollouts[0].Served[model.PS]
	if sample.Life.OOM != 1 || len(served) != 2 || len(served[0]) != 0 || len(served[1]) != 1 {
		t.Errorf("got %d kills, served %v, want the container of the first shard killed, and the other to serve", sample.Life.OOM, served)
	}
}
