package judge_test

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Goal: dashboard_above is the share of the answered requests above a bound of the buckets, and an
// objective on it is judged by their count. Method: entry containers that work for 17 to 23 ms, evenly,
// and turn away what would wait, which no dashboard counts. The bounds are 11.57, 20.82 and 37.48 ms;
// with 0.51 ms for the network and 1 us for the PS, answers above 20.82 ms are those of work above
// 20.31 ms, 2.69 of 6 ms.
func TestTheShareAboveABoundIsOfAnswersAlone(t *testing.T) {
	text := strings.NewReplacer("entry: {cpu: 1ms}", `entry: {cpu: "uniform(17ms, 23ms)", queue: 0}`, `ps: {cpu: "exp(mean=4ms)"}`, "ps: {cpu: 1us}", "1700/s", "1k/s").Replace(small) +
		"network: {same_cluster: 225us}\nslo: [dashboard_above(20ms) <= 50%, dashboard_above(20.8ms) <= 40%, dashboard_above(5ms) <= 10%, dashboard_above(21ms) <= 0.2%]\n"
	r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"dashboard_above(20ms) <= 50%": result.Pass, "dashboard_above(20.8ms) <= 40%": result.Fail, "dashboard_above(5ms) <= 10%": result.Fail, "dashboard_above(21ms) <= 0.2%": result.Pass}
	for _, v := range r.Verdicts {
		if v.Outcome != want[v.SLO] {
			t.Errorf("%s: got %s %s, want %s", v.SLO, v.Outcome, v.Text, want[v.SLO])
		}
	}
	of := result.Scope{Window: "at 5s 500ms"}
	for metric, share := range map[string]float64{"dashboard_above(20ms)": 2.69 / 6, "dashboard_above(5ms)": 1, "dashboard_above(21ms)": 0} {
		one := result.Of(r.Estimates, metric, of)
		if one == nil || one.Value == nil || math.Abs(*one.Value-share) > 0.02 || one.CI[0] > share || one.CI[1] < share {
			t.Errorf("%s: got %+v, want %g", metric, one, share)
		}
	}
	if errors := result.Of(r.Estimates, "errors", of); errors == nil || errors.Value == nil || *errors.Value < 0.3 {
		t.Errorf("errors: got %+v, want many", errors)
	}
}

// Goal: objectives at the extremes of 0 % and 100 % are judged correctly, even if all
// requests fail or none does. Method: PS that take 10 ms, with a timeout of 5 ms and
// without, and no queues.
func TestObjectivesAtTheirBorders(t *testing.T) {
	for _, c := range []struct {
		timeout string
		want    map[string]string
	}{
		{"5ms", map[string]string{"errors <= 100%": "PASS", "errors(timeout) <= 100%": "PASS", "errors < 100%": "UNDECIDED", "errors <= 0%": "FAIL", "errors(queue_full) <= 0%": "UNDECIDED",
			"answered >= 0%": "PASS", "goodput >= 0/s": "PASS", "goodput > 0/s": "FAIL", "dashboard_above(20ms) <= 100%": "PASS", "answered >= 100%": "FAIL"}},
		{"1s", map[string]string{"errors <= 100%": "PASS", "errors < 100%": "PASS", "errors <= 0%": "UNDECIDED", "answered >= 0%": "PASS", "answered > 0%": "PASS",
			"goodput > 0/s": "PASS", "dashboard_above(20ms) <= 100%": "PASS", "dashboard_above(10us) <= 0%": "FAIL", "answered >= 100%": "UNDECIDED"}},
	} {
		text := strings.NewReplacer(`"exp(mean=4ms)"`, "10ms", "1700/s", "50/s", "override: {", "override: {fetch_ps_retry: 0, fetch_ps_timeout: "+c.timeout+", ").Replace(small) + "slo:\n"
		for slo := range c.want { //lint:order each is judged for itself
			text += "  - " + slo + "\n"
		}
		r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Verdicts {
			if v.Outcome != c.want[v.SLO] {
				t.Errorf("timeout %s: %s: got %s %s, want %s", c.timeout, v.SLO, v.Outcome, v.Text, c.want[v.SLO])
			}
		}
	}
}

// Goal: intervals of quantiles, also as a dashboard shows them, have the truth, and those of dashboards do not end at
// the value. Method: the law itself
// put through the buckets by hand. Of PS that take 5 to 40 ms, evenly, a share F = (t - 5)/35 is below t; the
// bounds are 11.569, 20.824, 37.483 and 67.469 ms.
func TestIntervalsOfDashboards(t *testing.T) {
	r := run(t, `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 1GB}}
override: {num_ps: 2, num_shard: 2, fetch_ps_timeout: 10s}
fleet: {entry: {replicas: 1, cpu: 64, mem: 8GiB}, ps: {replicas: 1, cpu: 64, mem: 8GiB}}
service: {entry: {cpu: 1us}, ps: {cpu: "uniform(5ms, 40ms)"}}
workload: {rate: 50/s, horizon: 5m}
`)
	for _, c := range []struct {
		metric string
		cdf    func(ms float64) float64
		q      float64
	}{
		{"dashboard_p50(ps)", func(ms float64) float64 { return (ms - 5) / 35 }, 0.5},
		{"dashboard_p99(ps)", func(ms float64) float64 { return (ms - 5) / 35 }, 0.99},
		// the slower one of two calls, and the network
		{"dashboard_p99(request)", func(ms float64) float64 { return math.Pow((ms-5.36)/35, 2) }, 0.99},
	} {
		at := func(k float64) float64 { return 0.01 * math.Pow(1.8, k) }
		k := 12.0
		share := func(k float64) float64 { return math.Min(c.cdf(at(k)), 1) }
		for share(k+1) < c.q {
			k++
		}
		want := (at(k) + (at(k+1)-at(k))*(c.q-share(k))/(share(k+1)-share(k))) * 1e6
		e := r.Find(c.metric, "all")
		if e == nil || e.CI == nil {
			t.Fatalf("%s: got no interval", c.metric)
		}
		if ci := *e.CI; want < ci[0] || want > ci[1] || ci[0] >= *e.Value || ci[1] <= *e.Value || (ci[1]-ci[0])/want > 0.02 {
			t.Errorf("%s: got %.4g [%.4g, %.4g] ns, want %.5g in a narrow interval around the value", c.metric, *e.Value, ci[0], ci[1], want)
		}
	}
	// A server's latencies are counted in ranges of up to 0.8 %, so no interval is narrower than
	// that.
	for metric, want := range map[string]float64{"p50(ps)": 22.5e6, "p90(ps)": 36.5e6, "p99(ps)": 39.65e6} {
		if e := r.Find(metric, "all"); e == nil || e.CI == nil || want < e.CI[0] || want > e.CI[1] || e.CI[1]-e.CI[0] > 0.02*want {
			t.Errorf("%s: got %+v, want %g in a narrow interval", metric, e, want)
		}
	}
}
