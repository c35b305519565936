package report

import (
	"fmt"
	"math"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// calibration says where service times come from, and how well a simulation with them
// foretold measurements.
func calibration(p *plan.Profile) []string {
	if p == nil {
		return []string{"service times are the plan's: they are as good as what they were calibrated on"}
	}
	c := p.Calibrated
	line := fmt.Sprintf("calibrated %s on %s calls of %s", c.On, thousands(float64(c.Calls)), several(c.Runs, "run"))
	if c.Disturbed > 0 {
		line += fmt.Sprintf(", %d of them disturbed by others on the machine", c.Disturbed)
	}
	if len(p.HeldOut) == 0 {
		return []string{line + "; held to no other measurement: monosim whatif replay --into does that"}
	}
	var worst plan.HeldOut
	for _, h := range p.HeldOut {
		worst.P50 = math.Max(worst.P50, math.Abs(h.P50))
		worst.P99 = math.Max(worst.P99, math.Abs(h.P99))
		worst.Goodput = math.Max(worst.Goodput, math.Abs(h.Goodput))
		worst.Knee = math.Max(worst.Knee, math.Abs(h.Knee))
	}
	lines := []string{fmt.Sprintf("%s; held-out error on %s at most: p50 %s, p99 %s, goodput %s, knee %s",
		line, several(len(p.HeldOut), "other plan"), tenth(worst.P50), tenth(worst.P99), tenth(worst.Goodput), tenth(worst.Knee))}
	for _, h := range p.HeldOut {
		if h.Missed != "" {
			lines = append(lines, fmt.Sprintf("beyond the aims on %q: %s", h.Plan, h.Missed))
		}
	}
	return lines
}

// several is a number of things.
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// tenth is a percentage to a tenth.
func tenth(fraction float64) string { return fmt.Sprintf("%.1f %%", 100*fraction) }
