package plan

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agentconfig"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file in testdata. With -update it writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), -update rewrites it:\n%s", path, diff)
	}
}

func TestTheFullSketchIsAPlan(t *testing.T) {
	_, p, _, err := Read("testdata/sketch.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"num_ps", p.Override.NumPS, 20},
		{"containers of ps", p.Containers("ps"), 160},
		{"cost", p.Cost(), 40*0.68 + 160*2.10 + 12*1.40},
		{"batching", p.Override.Batching.Enabled, true},
		{"resident versions", p.Versions("ps"), 2},
		{"memory of ps at a rollover, GiB", float64(p.Memory("ps", 2)) / (1 << 30), 231.0},
		{"timeout", p.Override.FetchPSTimeout, Duration(200e6)},
		{"peak", float64(p.Workload.Rate.Peak()), 50_000.0},
	} {
		if diff := cmp.Diff(c.want, c.got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-6*b && b-a < 1e-6*b })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

const small = `apiVersion: capacity/v1
model:
  size: {embeddings: 10GiB}
override: {num_ps: 4, num_shard: 2}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 3, cpu: 4, mem: 32GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "exp(mean=1ms)"}
workload:
  rate: 1k/s
  horizon: 60s
slo:
  - p99(request) <= 50ms
`

// problemsOf returns the problems of the plan small with one text replaced by another.
func problemsOf(t *testing.T, old, new string) string {
	t.Helper()
	if !strings.Contains(small, old) {
		t.Fatalf("the small plan has no %q", old)
	}
	_, _, warnings, err := Parse("testdata/plan.yaml", []byte(strings.Replace(small, old, new, 1)))
	text := ""
	if err != nil {
		text = err.Error()
	}
	for _, w := range warnings {
		text += w.String() + "\n"
	}
	return strings.ReplaceAll(text, "testdata/", "")
}

// Goal: each code of a problem has the right message. Method: one mistake for each code.
func TestProblems(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct{ old, new string }{
		{"replicas: 2", "replica: 2"},
		{"override:", "budget: {requests: 1.5}\noverride:"},
		{"horizon: 60s", "horizon: 60s\n  loop: closed(clients=1.5)"},
		{"slo:", "events:\n  - {at: 10s, name: lost, lose_idc: local, for: 1s}\n  - {at: 20s, name: lost, lose_idc: local, for: 1s}\nslo:"},
		{"slo:", "events:\n  - {at: 10s, note: lost, lose_idc: local, for: 1s}\n  - {at: 20s, note: lost, lose_idc: local, for: 1s}\nslo:\n  - recovery(lost) <= 10s"},
		{"slo:", "events:\n  - {at: 10s, note: lost, lose_idc: local, for: 1s}\n  - {at: 20s, name: lost, lose_idc: local, for: 1s}\nslo:"},
		{"rate: 1k/s", "rate: 1k/s\n  arrivals: {cv: 2, burst: 4x, time_scale: 2x}"},
		{"override: {", "override: {batching: {max_batch_size: 64}, "},
		{"ps: {cpu: \"exp(mean=1ms)\"}", "ps: {cpu: \"exp(mean=1ms)\", hold: true}\n  contention: {model: none, overhead_per_runnable: 0.01}"},
		{"ps: {replicas: 3,", "ps: {services_per_container: 2, replicas: 3,"},
		{"slo:", "solve: {over: {ps.replicas: 1..4}, minimise: p99, step: 1%, sections: 2}\nslo:"},
		{"slo:", "solve: {maximise: rate, prove_minimal: true, alternatives: 2}\nslo:"},
		{"  horizon: 60s", "  horizon: 60s\n  rate: 2k/s"},
		{"rate: 1k/s", "rate: 1000"},
		{"mem: 8GiB", "mem: 256ms"},
		{"seed", "seed"},
		{"override:", "precision: {p99: 80%}\noverride:"},
		{"  size: {embeddings: 10GiB}", "  ram_factor: 1x"},
		{`"exp(mean=1ms)"`, `"lognormal(mean=350us, p99=200us)"`},
		{"  size:", "  agent_conf: agent.conf\n  size:"},
		{"slo:", "events:\n  - {at: 10s, lose_idc: hk}\nslo:"},
		{"slo:", "events:\n  - {at: \"25:00\", lose_idc: local}\nslo:"},
		{"embeddings: 10GiB", "embeddings: 100GiB"},
		{"rate: 1k/s", "rate: 100k/s"},
		{"p99(request)", "p99(requests)"},
		{"rate: 1k/s", "rate: 0.01/s"},
		{"horizon: 60s", "horizon: 60s\n  rate: 1k/s\n  detail: {thin: 2}"},
		{"rate: 1k/s", "rate: 7.5k/s\n  detail: {thin: 2}"},
		{"rate: 1k/s", "rate: 7.5k/s\n  detail: {thin: auto}"},
		{"rate: 1k/s", "loop: closed(clients=3)\n  detail: {thin: 2}"},
		{"  horizon: 60s", "  horizon: 60s\n  detail: {thin: 2}\nevents: [{at: 1s, kill: {ps: {}}}]\nsolve: {over: {seed: [1]}, minimise: p99, must_hold_under: [any 1 ps]}"},
		{"  size:", "  agent_conf: gone.conf\n  size:"},
		{"  size:", "  agent_version: 3\n  rough_sort: {size: 1GiB, on: dense}\n  size:"},
		{"  size:", "  rough_sort: {size: 1GiB, on: dense}\n  size:"},
		{"  size:", "  rough_sort: {size: 4GiB}\n  size:"},
		{"  size:", "  ram_factor: 1x\n  rough_sort: {size: 15GiB, on: ps}\n  size:"},
		{"embeddings: 10GiB}\noverride: {num_ps: 4, num_shard: 2}\nfleet:\n  entry: {", "embeddings: 10GiB}\n  rough_sort: {size: 1GiB}\noverride: {num_ps: 4, num_shard: 2}\nfleet:\n  entry: {disk: 5GiB, "},
		{"slo:", "events: [{at: 1s, publish: {model: rough_sort, version: 2}}]\nslo:"},
		{"override:", "zookeeper: {heap: 10kB}\noverride:"},
		{"rate: 1k/s", "rate: 1k/s\n  detail: {windows: [all, \"each incident 0s..+200ms\"]}"},
		{`cpu: "exp(mean=1ms)"`, "cpu: gamma(mean=1.1ms, cv=0.4)"},
		{"rate: 1k/s", "rate: -5/s"},
		{"  entry: {cpu: 1ms}\n", ""},
		{"slo:", "events:\n  - {at: 1s, kill: {ps: {count: 30}}}\n  - {at: 2s}\nslo:"},
		{"override:", "model: 3\noverride:"},
		{"slo:", "solve: {over: {ps.replicas: 9..4, ps.replica: 1..2}, must_hold_under: [any 1 idc, lunch]}\nslo:"},
		{"slo:", "slo:\n  - goodput <= 5/s\n  - util(dense) <= 50%"},
		{"override:", "override: [1]\nx:"},
		{"override:", "\toverride:"},
		{"slo:", strings.NewReplacer("25%", "35%", "num_ps: 2", "num_ps: 1", "recall", "ranker", "errors <= 1%", "util(ps) <= 50%").Replace(two) + "slo:"},
		{"slo:", strings.Replace(two, "size: {embeddings: 4GiB}", "size: {embeddings: 60GiB}, dense: {batch: 1ms}", 1) + "slo:"},
		{"slo:", two + "events: [{at: 1s, publish: {version: 2, model: ranks}}]\nslo:"},
		{"rate: 1k/s", "rate: {low: 900/s, mid: 1k/s, hihg: 1.2k/s}"},
		{"rate: 1k/s", "rate: {low: 900/s, mid: 1k/s}"},
		{"rate: 1k/s", "rate: {low: 900/s, mid: 800/s, high: 1.2k/s, confidence: 2}"},
		{"rate: 1k/s", "rate: {low: 900/s, mid: 800/s, high: 1.2k/s}"},
		{"rate: 1k/s", "rate: {low: 900ms, mid: 1k/s, high: 1.2k/s}"},
		{"rate: 1k/s", "rate: {mid: 1k/s, belief: gamma(cv=0.2), confidence: 90%}"},
		{"cpu: 1ms", "cpu: {low: 0.5ms, mid: \"exp(mean=1ms)\", high: 2ms}"},
		{"apiVersion: capacity/v1", "apiVersion: {low: 1, mid: 2, high: 3}"},
		{"slo:", "solve: {maximise: rate, over: {ps.replicas: 2..3}}\nslo:"},
		{"slo:", "solve: {maximise: rates}\nslo:"},
		{"override:", "client: {hedge: {after: 1s}}\nnetwork: {cross_idc: {latency: 1ms, jitter: 2ms}}\nzookeeper: {tick: 1s, session_timeout: 1s}\noverride:"},
		{"override: {num_ps: 4, num_shard: 2}", "override: {num_ps: 1, num_shard: 2, fetch_ps_timeout: 10ms}\nclient: {hedge: {after: 10ms}, partial: allow(min_shards=3)}"},
		{"rate: 1k/s", "rate: 1k/s\n  loop: closed(clients=3)"},
		{"ps: {replicas: 3,", "ps: {num_shard: 4, replicas: 3,"},
		{"slo:", "autoscale: {ps: {min: 4, max: 5}}\nrandom_failures: {ps: {mtbf: 1s, mttr: 2s}}\nslo:"},
		{"mem: 8GiB", "mem: &a 8GiB, cost: *a"},
		{"rate: 1k/s\n  horizon: 60s", "loop: closed(clients=3)\n  arrivals: {process: gamma}\nautoscale: {entry: {min: 1, max: 4}}"},
		{"p99(request)", "p99(corrected)"},
		{"rate: 1k/s", "rate: 5k/s"},
		{"rate: 1k/s\n  horizon: 60s", "rate: 0.1/s\n  detail: {windows: [peak 10s, each hour 1s]}\nprecision: {p99: 1%}"},
		{"slo:", "solve: {minimise: containers, over: {ps.replicas: 2..3}, least_regret: 3}\nslo:"},
		{"rate: 1k/s\n  horizon: 60s", "rate: {low: 900/s, mid: 1k/s, high: 1.2k/s}\nsolve: {maximise: rate, least_regret: 1}"},
		{"slo:", "report: {trace: [slowest 5, slow 5, slowest 0, incident two, incident 1]}\nslo:"},
		{"entry: {cpu: 1ms}", "entry: {cpu: 1ms, threads: 0}"},
		{"slo:", "name: " + strings.Repeat("n", 121) + "\nslo:"},
		{"  size:", "  shard_skew: {zipf: 1, shares: [150%, -50%]}\n  size:"},
		{"ps: {replicas: 3,", "ps: {num_shard: 0, replicas: 3,"},
		{"slo:", "autoscale: {entry: {metric: qps, min: 1, max: 4}, ps: {target: 50/s, min: 1, max: 4}}\nslo:"},
		{"slo:", "autoscale: {entry: {target: 150%, min: 1, max: 4}, ps: {metric: qps, target: 50/s, metrics: [{metric: cpu, target: 8}], min: 1, max: 4, stabilise_up: 30s}}\nslo:"},
		{"slo:", "autoscale: {entry: {metric: offered, min: 1, max: 4, behavior: {}}, ps: {min: 1, max: 4, behavior: {up: {policies: [{pods: 2, percent: 10%, every: 60s}, {every: 1h, pods: 1}]}, down: {select: none}}}}\nslo:"},
		{"rate: 1k/s\n  horizon: 60s", "loop: closed(clients=3)\nautoscale: {entry: {metric: offered, min: 1, max: 4}}"},
		{"slo:", "events: [{at: 1s, publish: {version: 2, shards: 3}}]\nslo:"},
		{"slo:", "events: [{at: 1s, publish: {version: 2, bad: partial}}]\nslo:"},
		{"slo:", "slo:\n  - mem.dense.peak <= 95%"},
		{"rate: 1k/s", "rate: {diurnal: {trough: 2k/s, peak: 1k/s}}"},
		{"rate: 1k/s", "rate: {flash: {base: 2k/s, peak: 1k/s, at: 20s, ramp: 1s, hold: 5s}}"},
		{"service:\n", "service: " + strings.Repeat("s", 200) + "\nslow:\n"},
		{`"exp(mean=1ms)"`, `"lognormal(mean=350us, p99=350us)"`},
		{"slo:", "events:\n  - {at: 1s, kill: {ps: {}}, for: 3s}\n  - {at: 2s, zookeeper: {leader_loss: true}, for: 3s}\n  - {at: 3s, zookeeper: {outage: true}, for: 3s}\nslo:"},
		{"slo:", "---\nslo:"},
		{"slo:", "  detail: {windows: [peak 1s]}\nevents: [{at: 50s, lose_cluster: local:a}]\nreport: {trace: [incident 1]}\nslo:"},
	} {
		if c.old == "seed" {
			continue
		}
		b.WriteString("- " + c.old + " -> " + c.new + "\n" + problemsOf(t, c.old, c.new) + "\n\n")
	}
	golden(t, "problems.golden", b.String())
	for _, code := range []string{unknownKey, duplicateKey, missingUnit, wrongUnit, outOfRange, requiredKey, badLaw, conflict, unknownName,
		afterHorizon, doesNotFit, overloaded, badSLO, tooPrecise, thinRefused, fileError, unquotedLaw, noEffect} {
		if !strings.Contains(b.String(), "["+code+"]") {
			t.Errorf("no mistake here is %s", code)
		}
	}
}

func TestValuesSetBySearchesAreChecked(t *testing.T) {
	s, _, _, err := Parse("plan.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := s.With([]Value{{"ps.replicas", "7"}, {"network.same_idc", "5ms"}, {"ps.num_shard", "4"}})
	if err != nil {
		t.Fatal(err)
	}
	if p.ReplicasOf("ps", 0) != 7 || p.Network.SameIDC.Mean != 5e6 || p.Shards() != 4 {
		t.Errorf("got %d replicas, %v, %d shards", p.ReplicasOf("ps", 0), p.Network.SameIDC.Mean, p.Shards())
	}
	if _, _, err := s.With([]Value{{"ps.replicas", "0"}}); err == nil {
		t.Error("0 replicas are a plan")
	}
}

func TestTheHashIsOfWhatChangesResults(t *testing.T) {
	hash := func(text string) string {
		_, p, _, err := Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash()
	}
	base := hash(small)
	same := hash(strings.Replace(small, "override:", "# a comment\nseed: 7\nname: other\nreport: {csv: true}\nbudget: {wall: 1m}\noverride:", 1))
	units := hash(strings.Replace(small, "rate: 1k/s", "rate: 1000/s", 1))
	other := hash(strings.Replace(small, "rate: 1k/s", "rate: 2k/s", 1))
	if base != same || base != units || base == other {
		t.Errorf("got %.8s, with another seed %.8s, with other units %.8s, with another rate %.8s", base, same, units, other)
	}
}

func TestHedgesAfterAQuantile(t *testing.T) {
	for text, want := range map[string]float64{"p50": 0.5, "p95": 0.95, "p999": 0.999, "10ms": 0} {
		_, p, _, err := Parse("plan.yaml", []byte(strings.Replace(small, "slo:", "client: {hedge: {after: "+text+"}}\nslo:", 1)))
		if err != nil || p.Client.Hedge.After.Quantile != want {
			t.Errorf("%s: got %+v, %v", text, p, err)
		}
	}
	for _, text := range []string{"p5", "p49", "p99999", "px5", "p"} {
		if got := problemsOf(t, "slo:", "client: {hedge: {after: "+text+"}}\nslo:"); !strings.Contains(got, "want off, a duration, or a quantile from p50 to p9999 [CAP-E09]") {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

// two is the YAML of a mix of two models, for the containers of the plan small.
const two = `  mix:
    - {model: ranker, share: 75%, slo: [p99(request) <= 40ms]}
    - {model: recall, share: 25%, num_ps: 2, size: {embeddings: 4GiB}, items: det(10), shard_skew: {zipf: 1}, ps: {cpu: "exp(mean=3ms)"}, slo: [mean(request) <= 20ms, errors <= 1%]}
`

func TestModelsOfAMix(t *testing.T) {
	_, one, _, err := Parse("plan.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	_, p, _, err := Parse("plan.yaml", []byte(strings.Replace(small, "slo:", two+"slo:", 1)))
	if err != nil {
		t.Fatal(err)
	}
	list := p.Served()
	if len(list) != 2 || list[0].NumPS != 4 || list[1].NumPS != 2 || list[1].Items.Mean != 10 || list[1].Entry.CPU.Mean != 1e6 || list[1].PS.CPU.Mean != 3e6 {
		t.Errorf("got %+v", list)
	}
	// Three quarters of the requests make two calls of 1 ms to each shard. The others make one
	// call of 3 ms.
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"work of ps", p.Work("ps"), (0.75*2*1e-3 + 0.25*3e-3) / 4}, {"work of ps of one model", one.Work("ps"), 2 * 1e-3 / 4},
		{"bytes of ps", float64(p.ModelBytes("ps")), 7 << 30}, {"bytes of a publish", float64(p.NewBytes("recall", "ps")), 2 << 30},
		{"load", float64(p.LoadTime("ps", 0)), float64(p.LoadTimeOf("ranker", "ps", 1) + p.LoadTimeOf("recall", "ps", 1))},
		{"fan-out", float64(p.FanOut()), 4},
	} {
		if c.got-c.want > 1e-9*c.want || c.want-c.got > 1e-9*c.want {
			t.Errorf("%s: got %g, want %g", c.what, c.got, c.want)
		}
	}
	var names []string
	for _, o := range p.Objectives() {
		names = append(names, o.Model+" "+o.Text)
	}
	if diff := cmp.Diff([]string{" p99(request) <= 50ms", "ranker p99(request) <= 40ms", "recall mean(request) <= 20ms", "recall errors <= 1%"}, names); diff != "" {
		t.Errorf("objectives (-want +got):\n%s", diff)
	}
	_, named, _, err := Parse("plan.yaml", []byte(strings.Replace(small, "slo:", "  mix: [{model: ranker}]\nslo:", 1)))
	if err != nil || named.Hash() != one.Hash() || p.Hash() == one.Hash() {
		t.Errorf("%v: a name alone changes the hash, or a second model does not", err)
	}
}

// Goal: an entry of workload.mix with class_of is a class of requests to another entry's model, and
// not a model of its own. Memory, loads and watches are the same as without it. It takes the values
// of that model except those it sets. It may not set the model's own values, such as its size. It
// may not name a later entry or another class. Method: compare a mix with a class to a mix without.
func TestAClassIsNoModel(t *testing.T) {
	of := func(mix string) (*Plan, error) {
		_, p, _, err := Parse("plan.yaml", []byte(strings.Replace(small, "slo:", "  mix:\n    - {model: recall, share: 40%, num_ps: 2, size: {embeddings: 4GiB}, ps: {cpu: 3ms}}\n"+mix+"slo:", 1)))
		return p, err
	}
	without, err := of("    - {model: ranker, share: 60%}\n")
	if err != nil {
		t.Fatal(err)
	}
	with, err := of("    - {model: ranker, share: 30%}\n    - {model: idle, class_of: recall, share: 30%, priority: 2, entry: {cpu: 7ms}}\n")
	if err != nil {
		t.Fatal(err)
	}
	idle := with.Served()[2]
	if idle.NumPS != 2 || idle.PS.CPU.Mean != 3e6 || idle.Entry.CPU.Mean != 7e6 || idle.Priority != 2 || idle.Base != 0 || idle.Size != (ModelSize{}) {
		t.Errorf("got %+v", idle)
	}
	if with.Watches() != without.Watches() || with.Memory("ps", 2) != without.Memory("ps", 2) || with.LoadTime("ps", 0) != without.LoadTime("ps", 0) {
		t.Errorf("watches %g, memory %d, load %d, want %g, %d, %d", with.Watches(), with.Memory("ps", 2), with.LoadTime("ps", 0), without.Watches(), without.Memory("ps", 2), without.LoadTime("ps", 0))
	}
	for mix, want := range map[string]string{
		"    - {model: a, class_of: b, share: 30%}\n    - {model: b, share: 30%}\n":                   `model "b" does not stand before in workload.mix (known: recall)`,
		"    - {model: a, class_of: recall, share: 30%}\n    - {model: b, class_of: a, share: 30%}\n": `"a" is a class itself, of "recall"`,
		"    - {model: a, class_of: recall, share: 60%, size: {embeddings: 1GiB}}\n":                  `size is of the model "recall"`,
	} {
		if _, err := of(mix); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", mix, err, want)
		}
	}
}

func TestSchemaIsGolden(t *testing.T) { golden(t, "schema.golden.json", string(Schema())) }

func FuzzParse(f *testing.F) {
	f.Add(small)
	sketch, err := os.ReadFile("testdata/sketch.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sketch))
	f.Fuzz(func(t *testing.T, text string) {
		_, p, _, err := Parse("testdata/plan.yaml", []byte(text))
		if (p == nil) != (err != nil) {
			t.Errorf("got plan %v and error %v", p != nil, err)
		}
	})
}

// Goal: everything that a plan lacks for a search is reported at once, at the right places.
func TestASearchWantsRoomAndAnObjective(t *testing.T) {
	const room = "solve.over is required to search, as solve: {over: {ps.replicas: 4..24}}, or solve: {maximise: rate} [CAP-E06]"
	for _, c := range []struct{ old, add, want string }{
		{"", "solve: {maximise: rate}\n", ""},
		{"", "solve: {minimise: containers}\n", "plan.yaml:17:1: " + room},
		{"slo:\n  - p99(request) <= 50ms\n", "", "plan.yaml:1:1: " + room + "\nplan.yaml:1:1: slo is required to search, as slo: [p99(request) <= 50ms] [CAP-E06]"},
	} {
		text := small
		if c.old != "" {
			text = strings.Replace(text, c.old, "", 1)
		}
		text += "\n" + c.add
		s, _, _, err := Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := s.Searchable(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got\n%s\nwant\n%s", text, got, c.want)
		}
	}
}

// confKey is a key of agent.conf with its effect on a plan.
type confKey struct {
	Name string
	// Use is "used", "refused" for a key whose value a plan cannot represent, or "none" for a
	// key without effect on capacity.
	Use string
	// Why says where the key is used, what is refused, or why it has no effect.
	Why string
}

// confKeys returns every key of agent.conf, in the reference's order.
func confKeys() []confKey {
	fields := map[string]string{}
	for path, v := range map[string]reflect.Value{"override": reflect.ValueOf(Override{}), "model": reflect.ValueOf(Model{})} { //lint:order keys of a map
		for i := range v.NumField() {
			if tag := v.Type().Field(i).Tag; tag.Get("conf") != "" {
				fields[tag.Get("conf")] = path + "." + tag.Get("plan")
			}
		}
	}
	var list []confKey
	for _, key := range agentconfig.Keys() {
		one := confKey{Name: key.Name}
		switch field := fields[key.Name]; {
		case field != "":
			one.Use, one.Why = "used", field
		default:
			one.Use, one.Why, _ = strings.Cut(confUses[key.Name], ": ")
		}
		list = append(list, one)
	}
	return list
}

// Goal: every key of agent.conf is either used, refused, or known to have no effect for a
// reason. Method: compare with the fields of the reference's dataclass, as the ported agents
// read them.
func TestEveryKeyOfAgentConfHasItsUse(t *testing.T) {
	list := confKeys()
	if keys := agentconfig.Keys(); len(keys) != len(list) {
		t.Errorf("got %d keys, want the %d of an agent", len(list), len(keys))
	}
	spec, err := os.ReadFile("../SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range list {
		if key.Why == "" || !slices.Contains([]string{"used", "refused", "none"}, key.Use) {
			t.Errorf("%s: got %q, %q, want whether it is used, refused or without effect, and why: agentconf.go", key.Name, key.Use, key.Why)
		}
		if line := fmt.Sprintf("| `%s` | %s | %s |", key.Name, key.Use, key.Why); !strings.Contains(string(spec), line) {
			t.Errorf("SPEC.md lacks the line %s", line)
		}
	}
}
