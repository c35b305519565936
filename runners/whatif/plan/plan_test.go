package plan

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file of testdata.
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

// problemsOf are those of the small plan with one text in the place of another.
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

// One mistake of each code, and what is said of it.
func TestProblems(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct{ old, new string }{
		{"replicas: 2", "replica: 2"},
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
		{"  size:", "  agent_conf: gone.conf\n  size:"},
		{`cpu: "exp(mean=1ms)"`, "cpu: gamma(mean=1.1ms, cv=0.4)"},
		{"rate: 1k/s", "rate: -5/s"},
		{"  entry: {cpu: 1ms}\n", ""},
		{"slo:", "events:\n  - {at: 1s, kill: {ps: {count: 30}}}\n  - {at: 2s}\nslo:"},
		{"override:", "model: 3\noverride:"},
		{"slo:", "solve: {over: {ps.replicas: 9..4, ps.replica: 1..2}, must_hold_under: [any 1 idc, lunch]}\nslo:"},
		{"slo:", "slo:\n  - goodput <= 5/s\n  - util(dense) <= 50%"},
		{"override:", "override: [1]\nx:"},
		{"override:", "\toverride:"},
		{"mem: 8GiB", "mem: &a 8GiB, cost: *a"},
	} {
		if c.old == "seed" {
			continue
		}
		b.WriteString("- " + c.old + " -> " + c.new + "\n" + problemsOf(t, c.old, c.new) + "\n\n")
	}
	golden(t, "problems.golden", b.String())
	for _, code := range []string{UnknownKey, DuplicateKey, MissingUnit, WrongUnit, OutOfRange, Required, BadLaw, Conflict, UnknownName,
		AfterHorizon, DoesNotFit, Overloaded, BadSLO, TooPrecise, ThinRefused, FileError, UnquotedLaw} {
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
