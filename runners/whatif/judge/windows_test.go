package judge_test

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/report"
)

// Goal: a report of several windows says of which one each of its lines is, judges once what is of
// no window, and puts the utilisation at the peak beside a window that is at the peak only.
// Method: an event in which every request fails, as all containers of a tier die, with a window
// before it, at half of the peak or at the peak.
func TestAReportOfSeveralWindowsSaysOfWhich(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for a minute under the race detector")
	}
	for _, c := range []struct {
		before string
		peak   bool
	}{{"850/s", false}, {"1700/s", true}} {
		text := strings.NewReplacer(
			"rate: 1700/s", "rate: {step: {before: "+c.before+", after: 1700/s, at: 9s}}",
			`["at 5s 500ms"]`, `["at 2s 200ms", "each incident -0s..+200ms"]`).Replace(small) +
			"events: [{at: 5s, kill: {ps: {count: 4}, refuse: true}, note: all ps die}]\nslo: [errors <= 1%, mem.ps.peak <= 95%, zk.utilisation <= 50%]\n"
		r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string][]string{}
		for _, v := range r.Verdicts {
			of[v.Metric] = append(of[v.Metric], v.Scope.Window)
		}
		if len(of["errors"]) != 2 || len(of["mem.ps.peak"]) != 1 || of["mem.ps.peak"][0] != "" || len(of["zk.utilisation"]) != 1 {
			t.Errorf("verdicts of windows %q, want two of errors and one each of memory and of ZooKeeper", of)
		}
		if r.BreakdownOf != "at 2s 200ms" || r.ErrorsOf != "incident all ps die" {
			t.Errorf("the parts are of %q, the errors of %q", r.BreakdownOf, r.ErrorsOf)
		}
		for _, f := range r.Theory {
			if f.Metric == "util(ps)" && (f.Sim != nil) != c.peak {
				t.Errorf("at %s before the event: %+v; want what is simulated beside it: %v", c.before, f, c.peak)
			}
		}
		var b strings.Builder
		if err := report.Text(&b, r, ""); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"in the mean, window at 2s 200ms (ps", ", window incident all ps die\n", "100 % fail: none is answered, there is no p99"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("the report says nothing of %q:\n%s", want, b.String())
			}
		}
	}
}
