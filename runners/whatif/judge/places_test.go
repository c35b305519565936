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

// apart is a fleet in two idcs, in which nothing waits: 1 ms at an entry, 5 ms at each PS, and
// 0.36 ms there and back within a cluster.
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

// The goal is that with dc_aware an entry calls the replicas of its own place only, and agents
// watch every place. The method is latencies and watches by hand: no call leaves the cluster, or
// fifteen requests of sixteen wait for one from the other idc; 12 agents watch 25 and 18 paths each.
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

// The goal is that the fullest replica of a place is known: entries that are not spread as the PS
// are load some of them more. The method is the simulation beside the formula: three of four
// entries are in one idc, with two of three replicas, and an idc that has entries and no replica.
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

// The goal is that memory is that of the fullest container where PS do not divide evenly. The
// method is five PS of 24 GiB on two shards: the first holds three of them.
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
	// Each PS has two of ten items: a call takes 3 ms, and the first shard is busy for 9 ms.
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

// The goal is that a fleet in which a container is killed at the first roll-out is known by its
// fullest one: version 3 holds two versions, of which the first shard has no room. The method is the
// model's roll-out: two versions are 144.5 and 96.5 GiB.
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
	p.Model.ResidentVersions = 2 // what its containers do, whatever the plan was checked with
	sample, err := model.Compile(p, judge.Normal).Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	served := sample.Life.Rollouts[0].Served[model.PS]
	if sample.Life.OOM != 1 || len(served) != 2 || len(served[0]) != 0 || len(served[1]) != 1 {
		t.Errorf("got %d kills, served %v, want the container of the first shard killed, and the other to serve", sample.Life.OOM, served)
	}
}
