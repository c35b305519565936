package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Related describes observations that depend on each other in groups. For example, requests that wait
// in the same long queue are all slow.
type Related struct {
	// Floor is the number of observations in a group, computed from the plan. A group counts as one
	// independent observation.
	Floor float64
	// More holds the counts of some larger shares than the one that is judged: for each share, how
	// many of the N[i] observations of part i belong to it. A larger share has more groups, and so
	// gives a better estimate of their size.
	N    []int64
	More [][]float64
}

// manyGroups is the number of groups from which on the variation between replications is a good
// estimate of their size. With fewer, it may happen that no replication has a large group. Both the
// share and its variation are then too small.
const manyGroups = 30

// Inflation returns the variance inflation factor of a share of observations, at least 1. x[i] of the
// n[i] observations of each independent part i belong to the share, and expected is the expected
// total of x. The factor is [VIF] of the parts. It is widened as Student's t is wider than the normal
// distribution, because there are few parts. If few groups are expected, the factor is at least
// r.Floor, and at least that of the larger shares in r.More.
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

// Share returns a share of observations and its confidence interval. x[i] of the n[i] observations of
// each independent part i belong to the share. The number of independent observations is the sum of n
// divided by [Related.Inflation]. The interval is that of Clopper and Pearson, so it is within 0 and
// 1, and is not empty if the share is 0 or 1. groups is the number of independent observations that
// belong to the share. If it is below 1, the interval does not have the given confidence. Without
// observations the share is 0, and the interval is 0 to 1.
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
