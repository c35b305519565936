package oracle

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/hpa"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

var record = flag.Bool("record", false, "write what the controller decides to ../testdata/vectors.jsonl")

const vectors = "../testdata/vectors.jsonl"

// source draws random parts of plans.
type source struct{ *rand.Rand }

func (r source) of(list ...string) string { return list[r.IntN(len(list))] }
func (r source) in(low, high int) int     { return low + r.IntN(high-low+1) }
func (r source) chance(p float64) bool    { return r.Float64() < p }

// behavior draws a random spec.behavior, including its windows.
func (r source) behavior() string {
	policies := func(up bool) string {
		var list []string
		for range r.IntN(3) {
			if r.chance(0.5) {
				list = append(list, fmt.Sprintf("{pods: %d, every: %ds}", r.in(1, 5), r.in(1, 12)*15))
			} else {
				list = append(list, fmt.Sprintf("{percent: %d%%, every: %ds}", r.in(1, 20)*5, r.in(1, 12)*15))
			}
		}
		text := "select: " + r.of("max", "max", "min", "disabled")
		if up {
			text = "select: " + r.of("max", "max", "min")
		}
		if len(list) > 0 {
			text += ", policies: [" + strings.Join(list, ", ") + "]"
		}
		if r.chance(0.3) {
			text += fmt.Sprintf(", tolerance: %d%%", r.in(0, 6)*5)
		}
		return "{" + text + "}"
	}
	if r.chance(0.3) {
		return ", behavior: {}"
	}
	return fmt.Sprintf(", behavior: {up: %s, down: %s}, stabilise_up: %ds", policies(true), policies(false), r.IntN(3)*30)
}

// autoscaler draws a random autoscaler for a tier with the given cores and replicas.
func (r source) autoscaler(cores, replicas int) string {
	metrics := []string{fmt.Sprintf("metric: cpu, target: %d%%", r.in(6, 18)*5), fmt.Sprintf("metric: qps, target: %d/s", r.in(5, 60)), fmt.Sprintf("metric: queue, target: %d", r.in(1, 8))}
	text := metrics[0]
	switch {
	case r.chance(0.25):
		r.Shuffle(3, func(a, b int) { metrics[a], metrics[b] = metrics[b], metrics[a] })
		text = "metrics: [{" + strings.Join(metrics[:2], "}, {") + "}]"
	case r.chance(0.15):
		text = metrics[r.in(1, 2)]
	}
	text += fmt.Sprintf(", min: %d, max: %d, interval: %s, scrape_delay: %ds, scrape_window: %s", r.in(1, replicas), replicas+r.in(0, 20), r.of("15s", "15s", "15s", "20s"), r.IntN(4)*13, r.of("15s", "15s", "30s"))
	if r.chance(0.3) {
		text += fmt.Sprintf(", request: %g", float64(cores)/float64(r.in(1, 2)))
	}
	text += fmt.Sprintf(", stabilise_down: %ds, provision: %q, tolerance: %d%%", r.in(1, 20)*15, r.of("det(0s)", "det(30s)", "lognormal(mean=40s, cv=1)"), r.in(0, 4)*5)
	if r.chance(0.3) {
		text += fmt.Sprintf(", cpu_initialization: %ds, initial_readiness: %ds", r.in(0, 8)*40, r.in(0, 6)*10)
	}
	if r.chance(0.45) {
		text += r.behavior()
	}
	return "{" + text + "}"
}

// events draws random events within ten minutes.
func (r source) events(entry, ps int) string {
	var list []string
	for n := range r.in(1, 4) {
		at, length := r.in(1, 8)*60+r.IntN(60), r.in(1, 8)*30
		list = append(list, fmt.Sprintf(r.of(
			"{at: %[1]ds, traffic: {factor: %[3]dx}, for: %[2]ds}",
			"{at: %[1]ds, traffic: {factor: 0.%[3]dx}, for: %[2]ds}",
			"{at: %[1]ds, kill: {entry: {count: %[4]d}}, restart_after: %[2]ds}",
			"{at: %[1]ds, kill: {ps: {count: %[5]d}}, restart_after: %[2]ds}",
			"{at: %[1]ds, slow: {entry: {count: %[4]d, factor: %[3]dx}}, for: %[2]ds}",
			"{at: %[1]ds, lose_idc: lf, for: %[2]ds}",
			"{at: %[1]ds, scale: {entry: %[6]d}}",
			"{at: %[1]ds, publish: {version: %[1]d%[7]d}}"), at, length, r.in(2, 6), r.in(1, entry), r.in(1, ps), r.in(1, entry+5), n))
	}
	return "events:\n  - " + strings.Join(list, "\n  - ") + "\n"
}

// randomPlan draws a plan of ten minutes with autoscalers for entry, for PS, or for both.
func randomPlan(seed uint64) string {
	r := source{rand.New(rand.NewPCG(seed, 28))}
	entry, ps, cores := r.in(1, 8), r.in(1, 4), r.in(1, 4)
	work := r.in(10, 60)
	rate := 0.15 + 0.75*r.Float64()
	text := fmt.Sprintf(`apiVersion: capacity/v1
seed: %d
model: {size: {embeddings: 1GiB, dense: 300MiB}}
override: {num_ps: 2, num_shard: %d, fetch_ps_timeout: %s, fetch_ps_retry: %d}
fleet:
  idcs: [{name: hl}, {name: lf}]
  entry: {replicas: %d, cpu: %d, mem: 16GiB}
  ps: {replicas: %d, cpu: 2, mem: 16GiB}
  boot: {schedule: %q}
service:
  entry: {cpu: "gamma(mean=%dms, cv=0.5)", threads: %d}
  ps: {cpu: "exp(mean=%dms)"}
client: {abandon: %s}
workload: {rate: %.1f/s, horizon: 10m}
`, seed, r.in(1, 2), r.of("200ms", "2s"), r.IntN(3), entry, cores, ps, r.of("det(5s)", "lognormal(mean=20s, cv=0.5)"), work, cores*r.in(1, 2), r.in(2, 12), r.of("continue", "cancel"), rate*float64(entry*cores)/float64(work)*1000)
	if r.chance(0.3) {
		text += "random_failures: {entry: {mtbf: 4m, mttr: 40s}}\n"
	}
	text += "autoscale:\n"
	which := r.IntN(3)
	if which != 1 {
		text += "  entry: " + r.autoscaler(cores, entry) + "\n"
	}
	if which != 0 {
		text += "  ps: " + r.autoscaler(2, ps) + "\n"
	}
	return text + r.events(entry, ps)
}

// life holds the looks of one autoscaler over time, and its decisions.
type life struct {
	Name     string        `json:"name"`
	Interval time.Duration `json:"interval"`
	Config   hpa.Config    `json:"config"`
	Looks    []hpa.Look    `json:"looks"`
	Decided  []int         `json:"decided"`
}

// held reports whether the controller makes the same decision as the recorded one at every
// look of a life.
func held(t *testing.T, l *life) bool {
	t.Helper()
	got := real(t, &l.Config, l.Interval, len(l.Looks), func(k, _ int) *hpa.Look {
		if k >= len(l.Looks) {
			return nil
		}
		return &l.Looks[k]
	})
	if len(got) != len(l.Decided) {
		t.Errorf("%s: the controller looked %d times, want %d", l.Name, len(got), len(l.Decided))
		return false
	}
	for k := range got {
		if got[k] != l.Decided[k] {
			look, _ := json.Marshal(l.Looks[k])
			config, _ := json.Marshal(l.Config)
			t.Errorf("%s, look %d at %v: decided %d, the controller %d\nlook %s\nconfig %s\nuntil then %v", l.Name, k, time.Duration(l.Looks[k].At), l.Decided[k], got[k], look, config, l.Decided[:k])
			return false
		}
	}
	return true
}

// Goal: the model's autoscaler decides as that of Kubernetes v1.37. Method: 200 random plans
// with crowds, failures, slow containers, roll-outs and manual scaling. Everything that each
// autoscaler saw in the model is shown to the real controller.
func TestRandomPlansScaleAsKubernetesDoes(t *testing.T) {
	same, looks, changes := 0, 0, 0
	for seed := range uint64(200) {
		text := randomPlan(seed)
		_, p, _, err := plan.Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		spec := model.Compile(p, model.Condition{})
		measured, err := spec.Measured(0, int(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		all := len(measured) > 0
		for k, one := range measured {
			interval := time.Duration(one.Looks[1].At - one.Looks[0].At)
			all = held(t, &life{Name: fmt.Sprintf("seed %d, autoscaler %d", seed, k), Interval: interval, Config: one.Config, Looks: one.Looks, Decided: one.Decided}) && all
			looks += len(one.Looks)
			for i := 1; i < len(one.Decided); i++ {
				if one.Decided[i] != one.Decided[i-1] {
					changes++
				}
			}
		}
		if all {
			same++
		}
	}
	t.Logf("%d of 200 plans, %d looks, of which %d changed the number", same, looks, changes)
	if same != 200 || changes < 300 {
		t.Errorf("%d of 200 plans scale as Kubernetes does, with %d changes; want all, and at least 300 changes", same, changes)
	}
}

// randomLife draws a life that no plan leads to: metrics that fail, pods in any state, and
// numbers of replicas that somebody else sets.
func randomLife(seed uint64, most, looks int) *life {
	r := source{rand.New(rand.NewPCG(seed, 29))}
	n := r.in(1, most)
	_, p, _, err := plan.Parse("plan.yaml", []byte(fmt.Sprintf(`apiVersion: capacity/v1
model: {size: {embeddings: 1GiB}}
override: {num_ps: 1}
fleet: {entry: {replicas: %d, cpu: 4, mem: 8GiB}, ps: {replicas: 1, cpu: 1, mem: 8GiB}}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 1/s, horizon: 1m}
autoscale: {entry: %s}
`, n, r.autoscaler(4, n))))
	if err != nil {
		panic(fmt.Sprint(seed, err))
	}
	l := &life{Name: fmt.Sprintf("life %d", seed), Interval: 15 * time.Second, Config: model.AutoscalerOf(p.Autoscale.Entry, 4)}
	l.Config.Max = max(n, min(l.Config.Max, most))
	auto := hpa.New(l.Config)
	level := r.Float64()
	var pods []hpa.Pod
	for k := range looks {
		at := int64(k) * int64(l.Interval)
		if r.chance(0.3) {
			level = r.Float64()
		}
		for len(pods) < n {
			pods = append(pods, hpa.Pod{Pending: k > 0, Started: at - int64(r.IntN(600))*1e9, Since: at - int64(r.IntN(300))*1e9, Ready: k == 0})
		}
		pods = pods[:n]
		look := hpa.Look{At: at, Replicas: n, Stamp: at - int64(r.IntN(60))*1e9, Pods: []hpa.Pod{}}
		for i := range pods {
			p := &pods[i]
			switch {
			case p.Pending && r.chance(0.4):
				p.Pending, p.Started, p.Since = false, at-5e9, at-5e9
			case !p.Pending && !p.Ready && r.chance(0.5), p.Ready && r.chance(0.04):
				p.Ready, p.Since = !p.Ready, at-3e9
			}
			one := *p
			if one.Pending {
				one.Started = at
			}
			one.Window = int64(r.in(10, 30)) * 1e9
			for _, m := range l.Config.Metrics {
				value := int64(level * 2.2 * (0.8 + 0.4*r.Float64()) * float64(m.Target))
				if m.CPU {
					value = int64(float64(value) / 100 * float64(l.Config.Request))
				}
				if one.Pending || r.chance(0.06) {
					value = -1
				}
				one.Values = append(one.Values, value)
			}
			look.Pods = append(look.Pods, one)
		}
		for range l.Config.Metrics {
			look.Failed = append(look.Failed, r.chance(0.06))
		}
		if !slices.Contains(look.Failed, true) {
			look.Failed = nil
		}
		d := auto.Look(&look)
		l.Looks, l.Decided = append(l.Looks, look), append(l.Decided, d.Replicas)
		if n = d.Replicas; r.chance(0.02) { // sometimes scaled by hand, even beyond the autoscaler's bounds
			n = r.in(1, l.Config.Max+3)
		}
	}
	return l
}

// Goal: the autoscalers also agree in situations that no plan leads to. Method: 300 random
// lives.
func TestRandomLivesScaleAsKubernetesDoes(t *testing.T) {
	same := 0
	for seed := range uint64(300) {
		if held(t, randomLife(seed, 30, 60)) {
			same++
		}
	}
	if same != 300 {
		t.Errorf("%d of 300 lives scale as Kubernetes does, want all", same)
	}
}

// Goal: the recorded vectors, which package hpa's tests read without Kubernetes, are what
// Kubernetes decides.
func TestVectorsAreWhatKubernetesDecides(t *testing.T) {
	var b bytes.Buffer
	for seed := range uint64(24) {
		l := randomLife(1000+seed, 7, 36)
		l.Decided = real(t, &l.Config, l.Interval, len(l.Looks), func(k, _ int) *hpa.Look {
			if k >= len(l.Looks) {
				return nil
			}
			return &l.Looks[k]
		})
		line, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	if *record {
		if err := os.WriteFile(vectors, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := os.ReadFile(vectors)
	if err != nil || !bytes.Equal(recorded, b.Bytes()) {
		t.Errorf("%s: %v: it is not what the controller decides; -record writes it anew", vectors, err)
	}
}
