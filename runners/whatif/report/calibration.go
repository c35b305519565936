package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// recorded is the last result of `make bench-fidelity RECORD=...`: how well the model predicted
// real processes.
//
//go:embed recorded.json
var recorded []byte

var fidelity = sync.OnceValue(func() *plan.Fidelity {
	var f plan.Fidelity
	if err := json.Unmarshal(recorded, &f); err != nil {
		panic(err) // cannot happen: a test reads the embedded file
	}
	return &f
})

// beside reports how well the model predicted measurements of running processes. It also states the
// limit of these measurements: their servers only wait for the service time of the plan, so there
// was no contention that the model could miss.
func beside(f *plan.Fidelity) []string {
	line := fmt.Sprintf("the model beside processes that rest as long as the plan says (monosim's own agents and model servers, no engine of inference), %s: error on %s at most: %s", f.On, lists.Counted(len(f.HeldOut), "plan"), worst(f.HeldOut))
	if f.Rollouts > 0 {
		line += fmt.Sprintf("; of %d roll-outs %s, writes to ZooKeeper %s", f.Rollouts, tenth(math.Abs(f.Rollout)), either(f.SameWrites, "equal", "NOT equal"))
	}
	return append([]string{line}, beyond(f.HeldOut)...)
}

// calibration reports where the service times come from. It also reports how well a
// simulation with these service times predicted measurements.
func calibration(p *plan.Profile) []string {
	if p == nil {
		return []string{"service times are the plan's: they are as good as what they were calibrated on"}
	}
	c := p.Calibrated
	line := fmt.Sprintf("calibrated %s on %s calls of %s", c.On, thousands(c.Calls), lists.Counted(c.Runs, "run"))
	if c.Disturbed > 0 {
		line += fmt.Sprintf(", %d of them disturbed by others on the machine", c.Disturbed)
	}
	if len(p.HeldOut) == 0 {
		return []string{line + "; held to no other measurement: monosim-lab replay --into does that"}
	}
	line += fmt.Sprintf("; held-out error on %s at most: %s", lists.Counted(len(p.HeldOut), "other plan"), worst(p.HeldOut))
	return append([]string{line}, beyond(p.HeldOut)...)
}

// worst formats the largest absolute error over all plans, for each of the metrics.
func worst(list []plan.HeldOut) string {
	var w plan.HeldOut
	for _, h := range list {
		w.P50 = math.Max(w.P50, math.Abs(h.P50))
		w.P99 = math.Max(w.P99, math.Abs(h.P99))
		w.Goodput = math.Max(w.Goodput, math.Abs(h.Goodput))
		w.Knee = math.Max(w.Knee, math.Abs(h.Knee))
	}
	return fmt.Sprintf("p50 %s, p99 %s, goodput %s, knee %s", tenth(w.P50), tenth(w.P99), tenth(w.Goodput), tenth(w.Knee))
}

// beyond lists the plans whose measurements the simulation missed by more than the aims
// allow, with the reasons.
func beyond(list []plan.HeldOut) []string {
	return lists.Select(list, func(h plan.HeldOut) (string, bool) {
		return fmt.Sprintf("beyond the aims on %q: %s", h.Plan, h.Missed), h.Missed != ""
	})
}

// tenth formats a fraction as a percentage with one decimal.
func tenth(fraction float64) string { return fmt.Sprintf("%.1f %%", 100*fraction) }
