package result

import (
	"math"
	"strings"
	"testing"
)

func estimateOf(metric string, values ...float64) Estimate {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return Estimate{Metric: metric, Unit: "ns", Value: &mean, CI: &[2]float64{mean - 10, mean + 10}, Confidence: 0.95, Values: values}
}

// Goal: results for the same requests are compared in pairs, which detects differences that
// overlapping intervals hide. Other results are not paired. Method: values that vary more
// than they differ.
func TestPairsTellApartWhatIntervalsDoNot(t *testing.T) {
	a := &Result{Seed: 1, Version: "1", Estimates: []Estimate{estimateOf("p99(request)", 10, 20, 30, 40, 50), estimateOf("errors", 1, 2, 3, 4, 5)}}
	b := &Result{Seed: 1, Version: "1", Estimates: []Estimate{estimateOf("p99(request)", 12, 22, 33, 42, 52), estimateOf("goodput", 1, 2)}}
	list, err := Diff(a, b)
	if err != nil || len(list) != 1 {
		t.Fatalf("got %+v and %v, want the one metric that both have", list, err)
	}
	if d := list[0]; !d.Paired || !d.Differs || math.Abs(d.CI[0]+d.CI[1]-4.4) > 1e-9 || d.Reduction < 100 {
		t.Errorf("paired: got %+v, want a difference of 2.2 that is told from 0", d)
	}
	b.Seed = 2
	list, err = Diff(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if d := list[0]; d.Paired || d.Differs || d.CI[1]-d.CI[0] < 28 {
		t.Errorf("other seeds: got %+v, want the interval of independent results, in which 0 is", d)
	}
	if _, err := Diff(a, &Result{}); err == nil || !strings.Contains(err.Error(), "found no estimate that both results have") {
		t.Errorf("nothing in common: got %v", err)
	}
	if _, err := Diff(a, &Result{Architecture: "arm64"}); err == nil || !strings.Contains(err.Error(), "want two of one architecture") {
		t.Errorf("other machines: got %v", err)
	}
}
