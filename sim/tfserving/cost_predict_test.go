package tfserving

import (
	"slices"
	"testing"
	"time"
)

// times returns all times that a law can draw, in the order of their quantiles.
func times(c CostModel) []time.Duration {
	host := newTestHost()
	drawn := make([]time.Duration, predictGrains)
	for i := range drawn {
		host.choose = func(string, int) int { return i }
		drawn[i] = c.drawPredict(host)
	}
	slices.Sort(drawn)
	return drawn
}

func TestPredictLaws(t *testing.T) {
	cost := CostModel{PredictTime: 10 * time.Millisecond, PredictTimeHigh: 40 * time.Millisecond}
	for _, row := range []struct {
		law                        PredictLaw
		least, median, p99, utmost time.Duration
	}{
		{PredictConstant, 10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond},
		{PredictUniform, 10 * time.Millisecond, 25 * time.Millisecond, 39700 * time.Microsecond, 40 * time.Millisecond},
		{PredictLogNormal, 0, 10 * time.Millisecond, 40 * time.Millisecond, time.Second},
	} {
		cost.PredictLaw = row.law
		drawn := times(cost)
		at := func(percent int) time.Duration { return drawn[len(drawn)*percent/100] }
		near := func(got, want time.Duration) bool { return (got - want).Abs() <= want/50 }
		if !near(at(50), row.median) || !near(at(99), row.p99) {
			t.Errorf("%s: got median %v and 99th percentile %v, want %v and %v", row.law, at(50), at(99), row.median, row.p99)
		}
		if drawn[0] < row.least || drawn[len(drawn)-1] > row.utmost {
			t.Errorf("%s: got %v to %v, want %v to %v", row.law, drawn[0], drawn[len(drawn)-1], row.least, row.utmost)
		}
		if parsed, err := ParsePredictLaw(row.law.String()); err != nil || parsed != row.law {
			t.Errorf("%s: parsed as %v, %v", row.law, parsed, err)
		}
	}
	if _, err := ParsePredictLaw("normal"); err == nil {
		t.Error("a law that there is not parses")
	}
}

func TestTheDefaultOutcomeIsTheMedian(t *testing.T) {
	cost := CostModel{PredictLaw: PredictLogNormal, PredictTime: 10 * time.Millisecond, PredictTimeHigh: 100 * time.Millisecond}
	got := cost.drawPredict(newTestHost())
	if (got - cost.PredictTime).Abs() > 10*time.Microsecond {
		t.Errorf("got %v, want about %v", got, cost.PredictTime)
	}
}

func TestPredictsAreSlowWhileALoadGoesOn(t *testing.T) {
	s, _ := servingOne(t)
	if got := predictTime(t, s, "a"); got != time.Millisecond {
		t.Errorf("idle: got %v, want 1ms", got)
	}
	s.manager.count(1)
	if got := predictTime(t, s, "a"); got != 10*time.Millisecond {
		t.Errorf("while loading: got %v, want 10ms", got)
	}
}
