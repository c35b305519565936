package places

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Goal: each caller's load goes to the containers that it calls, evenly. Method: two idcs of two clusters, by hand.
func TestLoadGoesWhereCallersCall(t *testing.T) {
	for name, c := range map[string]struct { //lint:order each is checked alone
		reach             Reach
		callers, capacity []float64
		want              []float64
		fewest            float64
	}{
		"anywhere":                        {Anywhere, []float64{0.5, 0, 0.5, 0}, []float64{2, 0, 1, 1}, []float64{0.25, 0, 0.25, 0.25}, 4},
		"its own cluster":                 {Own, []float64{0.5, 0, 0.5, 0}, []float64{2, 0, 1, 1}, []float64{0.25, 0, 0.5, 0}, 1},
		"its own cluster has none":        {Own, []float64{0.5, 0.25, 0.25, 0}, []float64{2, 0, 0, 1}, []float64{0.25, 0, 0, 0}, 2},
		"the nearest":                     {Nearest, []float64{0.5, 0, 0.5, 0}, []float64{2, 0, 1, 1}, []float64{0.25, 0, 0.5, 0}, 1},
		"the nearest, in another cluster": {Nearest, []float64{0.25, 0.25, 0.5, 0}, []float64{2, 0, 0, 1}, []float64{0.25, 0, 0, 0.5}, 1},
		"the nearest, in another idc":     {Nearest, []float64{0.5, 0, 0.25, 0.25}, []float64{2, 2, 0, 0}, []float64{0.375, 0.125, 0, 0}, 2},
		"nobody":                          {Nearest, []float64{0.5, 0, 0.5, 0}, []float64{0, 0, 0, 0}, []float64{0, 0, 0, 0}, 0},
	} {
		if diff := cmp.Diff(c.want, c.reach.Spread(c.callers, c.capacity, 2), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := c.reach.Fewest(c.callers, c.capacity, 2); got != c.fewest {
			t.Errorf("%s: got %g at least, want %g", name, got, c.fewest)
		}
	}
}
