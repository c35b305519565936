package judge

import (
	"math"
	"testing"

	"github.com/monosim/monosim/runners/whatif/model"
)

// Goal: p50 and p99 equal what Prometheus' histogram_quantile computes from TensorFlow
// Serving's buckets. Method: latencies in known buckets, interpolated by hand. Bounds are 10
// us x 1.8^k, so 20 ms lies between 11.57 and 20.82 ms, and 48.5 ms between 37.48 and 67.47
// ms.
func TestDashboardsShowBuckets(t *testing.T) {
	bound := func(k float64) float64 { return 10e3 * math.Pow(1.8, k) }
	fill := func(counts map[int64]int) model.Hist {
		h := model.NewHist(3)
		for ns, n := range counts { //lint:order sums
			for range n {
				h.Record(ns)
			}
		}
		return h
	}
	half := fill(map[int64]int{20e6: 500, 48.5e6: 500})
	for _, c := range []struct {
		what    string
		h       model.Hist
		q, want float64
	}{
		{"the end of a bucket", half, 0.5, bound(13)},
		{"within a bucket", half, 0.99, bound(14) + (990-500)/500.*(bound(15)-bound(14))},
		{"the middle of one", half, 0.25, bound(12) + 250/500.*(bound(13)-bound(12))},
		{"one value", fill(map[int64]int{48.5e6: 10}), 0.5, (bound(14) + bound(15)) / 2},
		{"the first bucket", fill(map[int64]int{5e3: 10}), 0.5, 5e3},
		{"beyond the last bound", fill(map[int64]int{3000e9: 10}), 0.99, bound(32)},
	} {
		if got := shown(c.h, c.q); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("%s: got %g ms, want %g", c.what, got/1e6, c.want/1e6)
		}
	}
}
