package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Goal: the TRUST block states the errors of the model. Where an error is larger than the
// aim, TRUST also states why.
func TestTrustSaysWhatWasMeasured(t *testing.T) {
	list := []plan.HeldOut{{Plan: "a", P50: -0.02, P99: 0.05, Knee: 0.01}, {Plan: "b", P50: 0.01, P99: -0.2, Goodput: 0.001, Missed: "p99(request): others had the machine"}}
	good := beside(&plan.Fidelity{On: "2026-11-23", HeldOut: list[:1], Rollouts: 4, Rollout: -0.03, SameWrites: true})
	if d := cmp.Diff([]string{"the model beside processes that rest as long as the plan says (monosim's own agents and model servers, no engine of inference), 2026-11-23: error on 1 plan at most: p50 2.0 %, p99 5.0 %, goodput 0.0 %, knee 1.0 %; of 4 roll-outs 3.0 %, writes to ZooKeeper equal"}, good); d != "" {
		t.Errorf("good (-want +got):\n%s", d)
	}
	bad := beside(&plan.Fidelity{On: "2026-11-23", HeldOut: list, Rollouts: 4, SameWrites: false})
	if d := cmp.Diff([]string{
		"the model beside processes that rest as long as the plan says (monosim's own agents and model servers, no engine of inference), 2026-11-23: error on 2 plans at most: p50 2.0 %, p99 20.0 %, goodput 0.1 %, knee 1.0 %; of 4 roll-outs 0.0 %, writes to ZooKeeper NOT equal",
		`beyond the aims on "b": p99(request): others had the machine`,
	}, bad); d != "" {
		t.Errorf("bad (-want +got):\n%s", d)
	}
}

// Goal: the recorded measurements can be read, include at least six plans, and appear in
// every report.
func TestWhatWasRecordedIsInReports(t *testing.T) {
	f := fidelity()
	if len(f.HeldOut) < 6 || f.Rollouts == 0 || f.On == "" {
		t.Errorf("recorded: %d plans and %d roll-outs on %q, want at least six, some, and a day", len(f.HeldOut), f.Rollouts, f.On)
	}
	var text strings.Builder
	if err := Text(&text, &result.Result{Command: "run"}, "again"); err != nil {
		t.Fatal(err)
	}
	for _, line := range beside(f) {
		if !strings.Contains(text.String(), line) {
			t.Errorf("the report lacks %q:\n%s", line, text.String())
		}
	}
}
