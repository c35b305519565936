package judge_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/quantity"
	"github.com/monosim/monosim/runners/whatif/result"
)

// nobody is a fleet that answers nobody, in one of several ways. A version is published, which changes nothing.
const nobody = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {agent_version: 3, size: {embeddings: 1MB, dense: 1MB}, ram_factor: 1x}
override: {num_ps: 1, num_shard: 1, fetch_ps_timeout: TIMEOUT, fetch_ps_retry: 0}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB, cost: 1/h}
  ps: {replicas: 1, cpu: 8, mem: 8GiB}
  dense: {replicas: 1, cpu: 8, mem: 8GiB}
  boot: {load_fixed: 0s}
service:
  entry: {cpu: "ENTRY", threads: 4}
  ps: {cpu: PS}
  dense: {cpu: 1us}
workload: {LOAD, horizon: 90s, detail: {windows: ["each incident -10s..+20s"]}}
events: [{at: 60s, name: it, publish: {version: 2}}]
`

// objectives returns a strict objective on each metric that there is, but for those in except.
func objectives() []string {
	var list []string
	for _, m := range plan.Metrics {
		limit := map[quantity.Kind]string{quantity.Duration: "50ms", quantity.Percent: "1%", quantity.Rate: "1/s", quantity.Count: "1", quantity.Bytes: "1KiB", quantity.Cost: "0/h"}[m.Kind]
		op := "<="
		if m.Higher {
			op = ">="
		}
		if m.NoScope {
			list = append(list, fmt.Sprintf("%s %s %s", m.Name, op, limit))
		}
		for _, s := range m.Scopes {
			list = append(list, fmt.Sprintf("%s(%s) %s %s", m.Name, cmp.Or(map[string]string{"*": "it", "time": "50ms"}[s], s), op, limit))
		}
	}
	return list
}

// Goal: whoever answers nobody meets no objective on latency, errors or goodput, on dashboards either, and where nobody
// asks nothing is judged. Method: all objectives that there are, on a fleet whose entry is too full to answer, one whose
// PS are too slow for the timeout, one whose PS never answer, and one whose clients wait for the answer to a request of
// long ago. What is no matter of answers keeps its verdict.
func TestNobodyIsAnsweredOfEveryMetric(t *testing.T) {
	const latencies = "mean p50 p90 p95 p99 p999 p9999 dashboard_p50 dashboard_p99 dashboard_above"
	for _, c := range []struct {
		name, load, entry, ps, timeout string
		want                           map[string]string // wanted texts, by metric with scope, or else by metric
	}{
		{"all are open", "rate: 320/s", "exp(10ms)", "1us", "100s", map[string]string{"latency": result.Fail,
			"(ps)": result.Pass, "(dense)": result.Pass, // whoever is answered came before the window
			"errors": result.Undecided, "goodput": result.Pass, "answered": result.Fail, "util(entry)": result.Fail, "util_max(entry)": result.Fail, "above": result.Fail}},
		{"all fail", "rate: 320/s", "1us", "1s", "50ms", map[string]string{"latency": result.Fail, "(entry)": result.Pass,
			"errors": result.Fail, "errors(timeout)": result.Fail, "errors(other)": result.Pass, "goodput": result.Fail, "answered": result.Fail, "util(ps)": result.Fail, "util_max(ps)": result.Fail, "above": result.Fail}},
		{"PS never answer", "rate: 320/s", "1us", "100s", "1000s", map[string]string{"latency": result.Fail, "(entry)": result.Pass,
			"errors": result.Undecided, "goodput": result.Fail, "answered": result.Fail, "util(ps)": result.Fail, "util_max(ps)": result.Fail, "above": result.Fail}},
		{"nobody asks", `loop: "closed(clients=5, think=1s)"`, "1us", "10000s, threads: 1", "100000s", map[string]string{"latency": result.Undecided,
			"errors": result.Undecided, "goodput": result.Fail, "answered": result.Undecided, "util(ps)": result.Fail, "util_max(ps)": result.Fail, "above": result.Pass}},
	} {
		text := strings.NewReplacer("LOAD", c.load, "ENTRY", c.entry, "PS}", c.ps+"}", "TIMEOUT", c.timeout).Replace(nobody) + "slo:\n"
		for _, o := range objectives() {
			if !strings.Contains(o, "corrected") || strings.Contains(c.load, "loop") {
				text += "  - " + o + "\n"
			}
		}
		for _, v := range run(t, text).Verdicts {
			name, scope, _ := strings.Cut(v.Metric, "(")
			scope = "(" + scope
			want := ""
			switch {
			case c.want[v.Metric] != "":
				want = c.want[v.Metric]
			case strings.Contains(" "+latencies+" ", " "+name+" "):
				want = cmp.Or(c.want[scope], c.want["latency"])
			case name == "errors" && scope != "(":
				want = cmp.Or(c.want["errors(other)"], c.want["errors"])
			case name == "recovery" || name == "lost":
				want = result.Undecided
			case strings.HasPrefix(name, "util") || name == "min_serving" || name == "zk.utilisation" || name == "zk.peak_utilisation" || name == "zk.drain" || name == "zk.max_reply":
				want = result.Pass
			default:
				// an objective that the plan itself states has a limit that is too strict
				want = cmp.Or(c.want[name], result.Fail)
			}
			if v.Outcome != want {
				t.Errorf("%s: %s: got %s (%s), want %s", c.name, v.SLO, v.Outcome, v.Text, want)
			}
			if v.Outcome != result.Pass && (v.Text == "" && v.X == 0 || strings.Contains(v.Text, "of 0 ")) {
				t.Errorf("%s: %s: %s without a reason: %q", c.name, v.SLO, v.Outcome, v.Text)
			}
		}
	}
}

// Goal: open requests fail an objective only if they are more than may exceed it, and have taken longer for sure.
// Method: a core that is asked for 180 requests a second and can do 100, so that some are open a minute
// behind the window, and quantiles below and above those.
func TestSomeOpenRequestsOnDashboards(t *testing.T) {
	want := map[string]string{
		// this is known, because the median is answered, after half a minute and more
		"dashboard_p50(request) <= 1s":  result.Fail,
		"dashboard_p50(request) <= 2h":  result.Pass,      // open requests cannot change this
		"dashboard_p99(request) <= 50s": result.Fail,      // the quantile's request is open, and older than the limit
		"dashboard_p99(request) <= 2h":  result.Undecided, // the quantile's request is open, and may still meet the limit
		"dashboard_above(1s) <= 10%":    result.Fail,
	}
	var slo []string
	for o := range want { //lint:order each has a verdict of its own
		slo = append(slo, o)
	}
	for _, v := range drown(t, "180", slo...).Verdicts {
		if v.Outcome != want[v.SLO] {
			t.Errorf("%s: got %s (%s), want %s", v.SLO, v.Outcome, v.Text, want[v.SLO])
		}
	}
}
