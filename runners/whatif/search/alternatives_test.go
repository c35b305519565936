package search_test

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Goal: alternatives hold, and none is just a larger version of the answer or of another
// alternative. Method: a fleet in which one tier may have less when the other has more.
func TestAlternativesAreOfAnotherKind(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute under the race detector; the whole tests have it")
	}
	text := strings.NewReplacer("single", "", "exp(mean=1ms)", `"exp(mean=1ms)"`, "replicas: 1, cpu: 1,", "replicas: 3, cpu: 1,", "rate: 100/s", "rate: 1500/s", "horizon: 10s", "horizon: 2s",
		"{cpu: 1us}", `{cpu: "exp(mean=1ms)"}`, "replicas: 1, cpu: 16,", "replicas: 3, cpu: 1,", "<= 20ms", "<= 13ms",
		"solve: {maximise: rate}", "solve: {over: {entry.replicas: 2..6, ps.replicas: 2..6}, alternatives: 2}").Replace(single)
	r := solve(t, text)
	if r.Answer == nil || len(r.Alternative) == 0 {
		t.Fatalf("got answer %+v and %d alternatives", r.Answer, len(r.Alternative))
	}
	points := []map[string]string{r.Answer.Point}
	for _, c := range r.Alternative {
		if c.Outcome != result.Pass || c.Cost < r.Answer.Cost {
			t.Errorf("%v: %s at %g, the answer is at %g", c.Point, c.Outcome, c.Cost, r.Answer.Cost)
		}
		for _, before := range points {
			less := false
			for path, value := range c.Point {
				less = less || plan.First(value) < plan.First(before[path])
			}
			if !less {
				t.Errorf("%v is a larger version of %v", c.Point, before)
			}
		}
		points = append(points, c.Point)
	}
	if v := r.Certificate.VarianceReduction; v <= 1 {
		t.Errorf("common random numbers narrowed differences by %g, want more than 1", v)
	}
}
