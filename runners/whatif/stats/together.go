package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Related describes observations that hang together in groups, as the requests that wait in the
// same long queue do.
type Related struct {
	// Floor is how many observations make up a group, as follows from the plan. They are worth one
	// independent observation.
	Floor float64
	// More holds, for each of some larger shares, how many of N[i] observations of part i count.
	// These shares have more groups, so that the size of a group can be told from them.
	N    []int64
	More [][]float64
}

// manyGroups is how many groups a share needs so that the variation between replications shows how
// large they are. If fewer are expected, replications without a large group show both a small share
// and a small variation.
const manyGroups = 30

// Inflation returns the variance inflation factor of a share, at least 1, given that x[i] of n[i]
// observations of each independent part i count, of which expected are to be expected in all. It is
// what the parts show ([VIF]), made wider as Student's t is wider than the normal distribution,
// because they are few. Where few groups are expected it is at least r.Floor, and at least what
// the counts of larger shares show.
func (r *Related) Inflation(n []int64, x []float64, expected, confidence float64) float64 {
	wider := 1.0
	if confidence > 0 && len(n) > 1 {
		wider = T(confidence, float64(len(n)-1)) / mathext.NormalQuantile(0.5+confidence/2)
	}
	shown := inflation(n, x)
	few := expected < manyGroups*math.Max(shown, r.Floor)
	if few {
		for _, y := range r.More {
			shown = math.Max(shown, inflation(r.N, y))
		}
	}
	factor := 1.0
	if shown > 1 {
		factor = shown * float64(wider*wider)
	}
	if few {
		factor = math.Max(factor, r.Floor)
	}
	return factor
}

// Share returns a share and its confidence interval, given that x[i] of n[i] observations of
// each independent part i count. All observations are worth as many fewer independent ones as
// [Related.Inflation] says. The interval is that of Clopper and Pearson, so it is within 0 and 1,
// and is not empty when none or all count. groups is how many independent observations those that
// count are worth. If it is below 1, the interval does not hold what it says. Without observations
// the share is 0, and the interval all of 0 to 1.
func (r *Related) Share(n []int64, x []float64, confidence float64) (share, low, high, groups float64) {
	sumN, sumX := sums(n, x)
	if sumN == 0 {
		return 0, 0, 1, 0
	}
	factor := r.Inflation(n, x, math.Min(sumX, sumN-sumX), confidence)
	m, y := math.Max(sumN/factor, 1), sumX/factor
	low, high = exactShare(m, math.Min(y, m), (1-confidence)/2)
	return sumX / sumN, low, high, y
}
