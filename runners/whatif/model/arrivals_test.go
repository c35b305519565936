package model

import (
	"math"
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
)

// Goal: requests that arrive together queue behind each other, and their rate is the plan's.
// Method: the mean of M^X/M/1, rho/(mu (1 - rho)) + (E[X^2]/E[X] - 1)/(2 mu (1 - rho)), for
// five at a time and for laws that are rounded. With two containers, each gets half of those
// that arrive together.
func TestRequestsThatComeAtOnceWaitForEachOther(t *testing.T) {
	const rho = 0.6
	for name, c := range map[string]struct {
		law          law.Law
		mean, second float64
		replicas     int
	}{
		"five":             {law.Constant(5), 5, 25, 1},
		"five, two queues": {law.Constant(5), 5, 25, 2},
		"even up to 3.5":   {law.Between(0.5, 3.5), 2, 14.0 / 3, 1},
	} {
		mean, second := c.law.Whole()
		if math.Abs(mean-c.mean) > 1e-6 || math.Abs(second-c.second) > 1e-6 {
			t.Errorf("%s: moments %g and %g, want %g and %g", name, mean, second, c.mean, c.second)
		}
		s := queue(1, rho*float64(c.replicas), 100)
		s.Tiers[Entry].Replicas[0] = c.replicas
		s.Arrivals.Batch = c.law
		one := total(t, s, 6)
		want := 1 + rho/(1-rho) + (c.second/c.mean-1)/2/float64(c.replicas)/(1-rho)
		near(t, name+": mean latency in ms", float64(one.SumNs)/float64(one.Completed)/1e6, want, 0.04)
		near(t, name+": requests", float64(one.Arrived), 6*100*1000*rho*float64(c.replicas), 0.02)
	}
}
