package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// denser is the plan small with dense servers that use batching, so that the keys for these
// have an effect.
var denser = strings.NewReplacer("10GiB}", "10GiB, dense: 1GiB}", "service:\n", "  dense: {replicas: 2, cpu: 4, mem: 8GiB}\nservice:\n  dense: {batch: \"affine(base=1ms, per_item=1us)\"}\n").Replace(small)

// mixture is the plan small with entry and PS in the same container.
var mixture = strings.NewReplacer("  entry: {replicas: 2, cpu: 4, mem: 8GiB}\n", "", "  ps: {replicas: 3", "  mixed: {replicas: 3").Replace(small)

// Goal: writing out a default value gives no error, no warning, and the same plan. Method:
// each field with a default, put into plans with and without batching. A zero that means not
// given is still refused. So are keys that apply only to agents of version 1 or to another
// law.
func TestDefaultsMayBeSpeltOut(t *testing.T) {
	zeros := []string{"service.entry.threads", "service.ps.threads", "service.dense.threads", "fleet.ps.num_shard", "fleet.mixed.num_shard", "fleet.dense.services_per_container"}
	tried := 0
	var walk func(v reflect.Type, path string)
	walk = func(v reflect.Type, path string) {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		for i := range v.NumField() {
			f := v.Field(i)
			name, text := f.Tag.Get("plan"), f.Tag.Get("default")
			at := join(path, name)
			switch _, has := f.Tag.Lookup("default"); {
			case name == "" || name == "-" || slices.Contains(zeros, at) || strings.HasPrefix(at, "autoscale") || strings.HasPrefix(at, "worlds") || strings.HasPrefix(at, "random_failures"):
			case has:
				tried++
				for _, text0 := range []string{small, denser, mixture} {
					if one := strings.HasPrefix(at, "fleet.mixed"); one != (text0 == mixture) && (one || strings.HasPrefix(at, "fleet.") && !strings.HasPrefix(at, "fleet.boot") || strings.Contains(at, "dense")) {
						continue
					}
					if (strings.HasPrefix(at, "service.dense") || strings.HasPrefix(at, "fleet.dense") || at == "override.batching.enabled") && text0 == small {
						continue
					}
					if at == "override.batching.enabled" {
						continue // TestBatchingCanBeTurnedOff
					}
					spelt(t, text0, at, text)
				}
			case !isLaw(reflect.New(f.Type).Elem()) && (f.Type.Kind() == reflect.Struct || f.Type.Kind() == reflect.Pointer):
				walk(f.Type, at)
			}
		}
	}
	walk(reflect.TypeFor[Plan](), "")
	if tried < 90 {
		t.Errorf("tried %d defaults, want nearly all", tried)
	}
	spelt(t, strings.Replace(small, "slo:", "events: [{at: 1s, publish: {version: 2}}, {at: 2s, lose_idc: local, for: 1s}]\nslo:", 1), "events.0.for", "0s")
	spelt(t, strings.Replace(small, "slo:", "events: [{at: 1s, publish: {version: 2}}, {at: 2s, lose_idc: local, for: 1s}]\nslo:", 1), "events.1.restart_after", "0ms")
	spelt(t, strings.Replace(small, "rate: 1k/s", "loop: closed(clients=3)", 1), "workload.arrivals.process", "poisson")
	spelt(t, strings.Replace(small, "slo:", "solve: {maximise: rate}\nslo:", 1), "solve.minimise", "cost")
	spelt(t, small, "override.batching.batch_timeout", "0.8ms")
}

// spelt puts a value at a path of a plan, and fails the test unless the plan stays the same.
func spelt(t *testing.T, text, path, value string) {
	t.Helper()
	_, want, before, err := Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	if hasPath(root.Content[0], strings.Split(path, ".")) {
		return // the plan already has a value for this key
	}
	set(root.Content[0], strings.Split(path, "."), value)
	made, err := yaml.Marshal(&root)
	if err != nil {
		t.Fatal(err)
	}
	_, got, warnings, err := Parse("plan.yaml", made)
	if err != nil || len(warnings) != len(before) || got.Hash() != want.Hash() {
		t.Errorf("%s: %s: got %v, warnings %v, another plan %v", path, value, err, warnings, err == nil && got.Hash() != want.Hash())
	}
}

// hasPath reports whether a mapping has a value at a path.
func hasPath(n *yaml.Node, path []string) bool {
	if len(path) == 0 {
		return true
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == path[0] {
			return hasPath(n.Content[i+1], path[1:])
		}
	}
	return false
}

// Goal: a key without effect gives a warning with its place, which --strict turns into an
// error. Method: one key of each kind.
func TestKeysWithoutEffectAreWarnings(t *testing.T) {
	const event = "events: [{at: 1s, publish: {version: 2}, for: 3s}]\nslo:"
	for _, c := range []struct{ old, new, key string }{
		{"rate: 1k/s", "rate: 1k/s\n  arrivals: {cv: 2}", "workload.arrivals.cv"},
		{"rate: 1k/s", "rate: 1k/s\n  arrivals: {file: x.txt}", "workload.arrivals.file"},
		{"rate: 1k/s", "loop: closed(clients=3)\n  arrivals: {process: gamma}", "workload.arrivals.process"},
		{"override: {", "override: {batching: {max_batch_size: 64}, ", "override.batching.max_batch_size"},
		{"entry: {cpu: 1ms}", "entry: {cpu: 1ms, fanout_from: dense}", "service.entry.fanout_from"},
		{"ps: {replicas: 3,", "ps: {services_per_container: 2, replicas: 3,", "fleet.ps.services_per_container"},
		{"slo:", event, "events.0.for"},
		{"rate: 1k/s", "loop: closed(clients=3)\n  arrivals: {batch: det(3)}", "workload.arrivals.batch"},
		{"entry: {cpu: 1ms}", "entry: {cpu: 1ms, by_priority: true}", "service.entry.by_priority"},
		{"entry: {cpu: 1ms}", "entry: {cpu: 1ms, skip_late: true}", "service.entry.skip_late"},
		{"slo:", "client: {backoff: {jitter: 50%}}\nslo:", "client.backoff.jitter"},
		{"slo:", "client: {retry_budget: {burst: 3}}\nslo:", "client.retry_budget.burst"},
		{"slo:", "client: {breaker: {open: 3s}}\nslo:", "client.breaker.open"},
		{"slo:", "events: [{at: 1s, lose_idc: local, restart_after: 3s}]\nslo:", "events.0.restart_after"},
		{"slo:", "solve: {maximise: rate, alternatives: 2}\nslo:", "solve.alternatives"},
		{"slo:", "events: [{at: 1s, traffic: {factor: 1x}}]\nslo:", "events.0.traffic.factor"},
		{"slo:", "events: [{at: 1s, slow: {ps: {factor: 1x}}}]\nslo:", "events.0.slow.ps.factor"},
		{"slo:", "events: [{at: 1s, loss: {rate: 0%}}]\nslo:", "events.0.loss.rate"},
		{"slo:", "events: [{at: 2s, scale: {ps: 5}}, {at: 1s, scale: {ps: 3}}]\nslo:", "events.1.scale.ps"},
		{"slo:", "events: [{at: 2s, scale: {ps: 5}}, {at: 1s, scale: {ps: 5}}]\nslo:", "events.0.scale.ps"},
		{"slo:", "autoscale: {ps: {min: 3, max: 3}}\nslo:", "autoscale.ps"},
	} {
		_, _, warnings, err := Parse("plan.yaml", []byte(strings.Replace(small, c.old, c.new, 1)))
		list := warnings.NoEffect()
		if err != nil || len(list) != 1 || !strings.HasPrefix(list[0].Message, c.key+" changes nothing: ") || list[0].Line < 2 {
			t.Errorf("%s: got %v, %v", c.key, list, err)
		}
	}
}

// Goal: an objective that every fleet misses, that cannot be decided, or that is out of
// range is refused with its line before the simulation. Method: examples for each kind of
// metric.
func TestObjectivesOutOfRange(t *testing.T) {
	for text, want := range map[string]string{
		"errors <= 150%":                   "want 0%..100%",
		"errors(timeout) <= 101%":          "want 0%..100%",
		"answered >= 100.5%":               "want 0%..100%",
		"util(ps) <= 2000%":                "want 0%..100%",
		"util_max(entry) <= 100.1%":        "want 0%..100%",
		"zk.utilisation <= 120%":           "want 0%..100%",
		"mem.ps.peak <= 200%":              "want 0%..100%",
		"errors <= -1%":                    "the limit is negative",
		"errors < 0%":                      "nothing is below 0%",
		"answered > 100%":                  "nothing is above 100%",
		"cost < 0/h":                       "nothing is below 0/h",
		"p99(request) <= 0ms":              "nothing takes no time",
		"p99(request) <= 1e300s":           "want at most 36500d",
		"mean(ps) <= 999999d":              "want at most 36500d",
		"errors <= 0.01":                   "needs a percent unit",
		"errors <= 1e999%":                 "is no number",
		"min_serving(publish) >= 2.5":      "a whole number expected",
		"min_serving(publish) >= 2":        "nothing is published",
		"time_to_available(publish) <= 1m": "nothing is published",
		"recovery(lost) <= 10s":            "no window is around the event",
		"recovery(found) <= 10s":           "no event has this name",
		"cost <= 5/h":                      "nothing costs anything",
		"p99(corrected) <= 1s":             "the loop is open",
		"util(dense) <= 50%":               "there is no fleet.dense",
		"goodput >= 1e400/s":               "is no number",
		"p99 <= 5ms":                       "want what it is of, as p99(request)",
		"lost <= 5":                        "want what it is of, as lost(name of an event)",
		"goodput > 5":                      "needs a rate unit",
		"p99(request) <= 10ms\n  - p50(request) <= -10ms": "the limit is negative",
	} {
		got := problemsOf(t, "slo:\n  - p99(request) <= 50ms", "events: [{at: 10s, name: lost, lose_idc: local, for: 1s}]\nslo:\n  - "+text)
		if !strings.Contains(got, want) || !strings.Contains(got, "[CAP-E13]") || !strings.HasPrefix(got, "plan.yaml:1") {
			t.Errorf("%s: got %q, want %q with its line", text, got, want)
		}
	}
	if got := problemsOf(t, "slo:", "events: [{at: 10s, name: lost, lose_idc: local, for: 1s}]\nsolve: {over: {ps.replicas: 1..2}, minimise: p99, must_hold_under: [lost]}\nslo:"); !strings.Contains(got, `no window is around "lost"`) {
		t.Errorf("must_hold_under: got %q", got)
	}
	for text, window := range map[string]string{"recovery(lost) <= 10s": "each incident -1s..+9s", "util(ps) <= 99%": "all", "answered > 0%": "all", "zk.peak_utilisation <= 400%": "all", "errors < 100%": "all"} {
		got := problemsOf(t, "  horizon: 60s\nslo:", fmt.Sprintf("  horizon: 60s\n  detail: {windows: [%q]}\nevents: [{at: 10s, name: lost, lose_idc: local, for: 1s}]\nslo:\n  - %s", window, text))
		if got != "" {
			t.Errorf("%s: got %q, want a plan", text, got)
		}
	}
}

// Goal: warnings tell of an objective that no fleet can break, and of one that no number of
// requests can show to be met. Method: limits of 0 % and 100 % for each kind of share.
func TestObjectivesAtABorderAreWarnedOf(t *testing.T) {
	for text, want := range map[string]string{
		"errors <= 100%": "no fleet can break it", "errors(timeout) <= 100%": "no fleet can break it", "answered >= 0%": "no fleet can break it", "goodput >= 0/s": "no fleet can break it",
		"dashboard_above(5ms) <= 100%": "no fleet can break it", "util(ps) <= 100%": "no fleet can break it", "util_max(entry) <= 100%": "no fleet can break it",
		"errors <= 0%": "no number of requests shows", "answered >= 100%": "no number of requests shows",
	} {
		_, _, warnings, err := Parse("plan.yaml", []byte(strings.Replace(small, "slo:\n", "slo:\n  - "+text+"\n", 1)))
		always := strings.HasPrefix(want, "no fleet")
		if err != nil || !strings.Contains(warnings.Error(), want) || (len(warnings.NoEffect()) == 1) != always {
			t.Errorf("%s: got %v, %v, want %q", text, warnings, err, want)
		}
	}
}

// Goal: the parser refuses numbers above the limit of their key. Method: a plan with one
// number that is too large for each key.
func TestNumbersThatAreTooLarge(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"num_ps: 4, num_shard: 2", "num_ps: 2000000000, num_shard: 2", "override.num_ps must be 1..100000"},
		{"num_ps: 4, num_shard: 2", "num_ps: 2000000000, num_shard: 1000000000", "override.num_shard must be 1..100000"},
		{"ps: {replicas: 3,", "ps: {num_shard: 100000000, replicas: 3,", "fleet.ps.num_shard must be 0..100000"},
		{"rate: 1k/s", "rate: 1e20/s", "the peak is"},
		{"rate: 1k/s", "rate: 900M/s\n  arrivals: {rate_scale: 3x}", "want at most 1G/s"},
		{"horizon: 60s", "horizon: 99999999d", "want at most 36500d"},
		{"rate: 1k/s", "rate: {step: {before: 1/s, after: 2/s, at: 1e30s}}", "want at most 36500d"},
		{"horizon: 60s", "horizon: 60s\n  detail: {windows: [\"at 1s 1e30s\"]}", "want at most 36500d"},
		{`"exp(mean=1ms)"`, `"exp(mean=1e30s)"`, "want at most 36500d"},
		{`"exp(mean=1ms)"`, `"uniform(0ms, 1e30s)"`, "want at most 36500d"},
		{"override:", "client: {hedge: {after: 1e30s}}\noverride:", "want at most 36500d"},
		{"rate: 1k/s", "loop: closed(clients=1e12)", "clients of closed must be 1..2147483647"},
		{"fleet:\n", "fleet:\n  idcs: [{name: a}, {name: b}]\n  placement: {a: 1000000000, b: 1}\n", "fleet.placement.a must be 0..1000"},
		{"slo:", "sweep: {much: {ps.replicas: 1..90000, entry.replicas: 1..90000}}\nslo:", "found more than 1000000 cells"},
		{"slo:", "solve: {minimise: p99, over: {ps.replicas: 1..9000, entry.replicas: 1..9000}}\nslo:", "found more than 1000000 cells"},
	} {
		if got := problemsOf(t, c.old, c.new); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.new, got, c.want)
		}
	}
}

// Goal: a sweep accepts enums, booleans and words, and refuses values that have keys of
// their own. Method: sweeps over each such path, and the plans that their values give.
func TestWordsCanBeSwept(t *testing.T) {
	for path, values := range map[string]string{
		"client.balance": "[random, round_robin, least_loaded, p2c, idc_aware(p2c)]", "client.abandon": "[continue, cancel]", "client.retry_target": "[fresh_random, distinct, same]",
		"client.coalesce": "[true, false]", "client.partial": "[fail, allow(min_shards=1)]", "override.fetch_ps_long_conn_enable": "[true, false]", "override.quirks": "[python, fixed]",
		"service.contention.model": "[none, processor_sharing]", "workload.cold_start": "[true, false]", "model.shard_skew": "[none]", "workload.arrivals.process": "[poisson, deterministic]",
		"service.entry.hold": "[true, false]", "zookeeper.idc": "[local]", "client.hedge.after": `["off", p95]`,
	} {
		s, p, _, err := Parse("plan.yaml", []byte(strings.Replace(small, "slo:", "sweep: {words: {"+path+": "+values+"}}\nslo:", 1)))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		hashes := map[string]bool{}
		for _, v := range p.Sweep[0].Axes[0].Values {
			one, _, err := s.With([]Value{{path, v}})
			if err != nil {
				t.Errorf("%s: %s: %v", path, v, err)
				continue
			}
			hashes[one.Hash()] = true
		}
		if n := len(p.Sweep[0].Axes[0].Values); len(hashes) != n {
			t.Errorf("%s: %d values are %d plans", path, n, len(hashes))
		}
	}
	if got := problemsOf(t, "slo:", "sweep: {words: {client: [1], client.balanc: [random]}}\nslo:"); !strings.Contains(got, `"client" has keys of its own, want one of them, as client.balance`) || !strings.Contains(got, `did you mean "client.balance"`) {
		t.Errorf("got %q", got)
	}
}

// Goal: where a plan turns batching off, a call takes the time of its items. Method: a plan
// that turns it off, compared with a plan that has only the law of service times.
func TestBatchingCanBeTurnedOff(t *testing.T) {
	s, on, _, err := Parse("plan.yaml", []byte(denser))
	if err != nil {
		t.Fatal(err)
	}
	off, _, err := s.With([]Value{{"override.batching.enabled", "false"}})
	if err != nil || !on.Batched() || off.Batched() || off.Service.Dense.CPU.MeanOf(1000) != 2e6 {
		t.Errorf("got %v: batched %v, and %v with enabled: false, %+v", err, on.Batched(), off.Batched(), off.Service.Dense)
	}
	if again, _, err := s.With([]Value{{"override.batching.enabled", "true"}}); err != nil || !again.Batched() {
		t.Errorf("enabled: true: %v", err)
	}
}

// Goal: a trace of arrivals may use the usual forms: times with units, seconds, instants,
// tables. Method: the same three arrivals in each form, and the messages for broken traces.
func TestFormsOfArrivalTraces(t *testing.T) {
	for _, text := range []string{
		"0.5s\n1500ms\n3s\n", "# seconds\n0.5\n1.5\n3\n", "\uFEFF0.5\r\n1.5\r\n3\r\n", "1700000000.5\n1700000001.5\n1700000003\n",
		"2030-01-31T12:00:00.5Z\n2030-01-31T12:00:01.5Z\n2030-01-31T12:00:03Z\n", "2030-01-31 12:00:00,500\n2030-01-31 12:00:01,500\n2030-01-31 12:00:03,000\n",
		"2030-01-31T12:00:00.5+01:00\n2030-01-31T12:00:01.5+01:00\n2030-01-31T12:00:03+01:00\n",
		"id,timestamp,user\n1,2030-01-31T12:00:00.5,a\n2,2030-01-31T12:00:01.5,\"b, c\"\n3,2030-01-31T12:00:03,d\n",
		"time\n0.5\n1.5\n3\n", "time_ms;bytes\n500;1\n1500;2\n3000;3\n", "bytes\ttime (us)\n1\t500000\n2\t1500000\n3\t3000000\n", "\"@timestamp\"\n500ms\n1500ms\n3000ms\n", "seconds\n5e-1\n1.5\n3\n",
	} {
		times, err := arrivalTimes(text)
		if err != nil || len(times) != 3 || times[1]-times[0] != 1e9 || times[2]-times[0] != 2.5e9 {
			t.Errorf("%q: got %v, %v", text, times, err)
		}
	}
	for text, want := range map[string]string{
		"1\n0.5\n": `2: found "0.5", want times that do not fall`, "1\nsoon\n": `2: found "soon", want a time as 0.5s`, "a,b\n1,2\n": "1: found the columns a, b, want one named time",
		"time,b\n1,2\n3,4\n2,5\n": `4: found "2", want times that do not fall`, "1700000000123\n1700000001123\n": "a column of milliseconds is named time_ms", "1s\n2\n": "2: found a bare number, want a time with its unit as above",
		"1s\n": " found 1 times, want two or more", "": " found 0 times", "1\n1\n": "that are one", "0.1,a\n0.2,b\n": "1: found the columns", "time,b\n1,2\n\n# x\n3\n": "", "b,time\n1,2\n3\n": "3: found 1 columns, want a time in column 2",
	} {
		_, err := arrivalTimes(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("time,b\n1,2\nx,4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, _, err := Parse(filepath.Join(dir, "plan.yaml"), []byte(strings.Replace(small, "rate: 1k/s", "arrivals: {process: trace, file: a.csv}", 1)))
	if err == nil || !strings.Contains(err.Error(), `plan.yaml:12:36: a.csv:3: found "x", want a time`) {
		t.Errorf("got %v", err)
	}
}

// Goal: a mistake in the YAML is reported with its line and column, the text found and the
// text wanted. Method: the small plan with one mistake of each kind.
func TestSlipsOfYAML(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"override:", "\toverride:", `4:1: no YAML: found a tab in front of`},
		{"  size: {", "\tsize: {", "3:1: no YAML: found a tab in front of"},
		{"embeddings: 10GiB}", "embeddings: 10GiB", `3:9: no YAML: found '{' that nothing closes, want '}'`},
		{"mem: 8GiB}", "mem: 8GiB]", `6:41: no YAML: found ']', want '}' for the '{' at 6:10`},
		{`cpu: "exp(mean=1ms)"`, `cpu: "exp(mean=1ms)`, `10:13: no YAML: found '"' that nothing closes`},
		{"  rate: 1k/s", "  rate 1k/s", `12:3: no YAML: found "rate 1k/s", want a colon, as "rate: 1k/s"`},
		{"  rate: 1k/s", "  rate:1k/s", `12:3: no YAML: found "rate:1k/s", want a space behind the colon`},
		{"  rate: 1k/s", "  rate: 1k/s: 2", `12:3: no YAML: found a second colon in "1k/s: 2"`},
		{"  horizon: 60s", "   horizon: 60s", `13:4: no YAML: found 3 spaces in front of a key that belongs to none, want 2`},
		{"  horizon: 60s", " horizon: 60s", `13:2: no YAML: found 1 spaces in front of a key, want one of 0, 2, as above`},
		{"  horizon: 60s", "  horizon: @60s", `13:3: no YAML: found "@60s", which no value begins with, want it in quotes`},
		{"  horizon: 60s", "  horizon: %60s", `13:3: no YAML: found "%60s", which no value begins with`},
		{"mem: 8GiB}", "mem: 8GiB}}", `6:42: no YAML: found '}' that closes nothing`},
		{"mem: 8GiB}", "mem: *x}", `6:37: no YAML: found "*x", the alias of nothing`},
		{small, "{apiVersion: capacity/v1, model: {size: 1}", `1:1: no YAML: found '{' that nothing closes, want '}'`},
		{"slo:", "slo:\n  - p99(request) <= \x01ms", `15:21: no YAML: found the control character '\x01', want text`},
		{"slo:", "slo:\n  - p99(request) <= \xffms", `15:1: no YAML: found bytes that are no UTF-8`},
	} {
		_, _, _, err := Parse("plan.yaml", []byte(strings.Replace(small, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), "[CAP-E16]") {
			t.Errorf("%q: got %v, want %q", c.new, err, c.want)
		}
	}
}

// Goal: a warning says that a call with more attempts than replicas tries replicas a second
// time, also with distinct targets. Method: as many attempts as replicas, and one more.
func TestDistinctBeginsAnew(t *testing.T) {
	for retries, warned := range map[int]bool{0: false, 2: false, 3: true} {
		got := problemsOf(t, "override: {", fmt.Sprintf("client: {retry_target: distinct}\noverride: {fetch_ps_retry: %d, ", retries))
		if strings.Contains(got, fmt.Sprintf("a call has up to %d attempts for 3 replicas: once all were tried it begins anew", retries+1)) != warned {
			t.Errorf("%d retries: got %q", retries, got)
		}
	}
}

// Goal: the think time of a closed loop may be a law, with quotes of its own or without, as the list
// of forms has it (CAP-12.5).
func TestTheThinkTimeMayBeALaw(t *testing.T) {
	hash := ""
	for _, loop := range []string{`closed(clients=3, think="exp(mean=1s)")`, `'closed(clients=3, think="exp(mean=1s)")'`, `closed(clients=3, think=exp(1s))`} {
		_, p, _, err := Parse("plan.yaml", []byte(strings.Replace(small, "rate: 1k/s", "loop: "+loop, 1)))
		if err != nil {
			t.Fatalf("%s: %v", loop, err)
		}
		if got := p.Workload.Loop; got.Clients != 3 || got.Think.Mean != 1e9 || hash != "" && p.Hash() != hash {
			t.Errorf("%s: got %+v, hash %s, want 3 clients that think a second in the mean, as before", loop, got, p.Hash())
		}
		hash = p.Hash()
	}
}
