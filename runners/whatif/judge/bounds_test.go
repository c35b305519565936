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
