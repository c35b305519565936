package result

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/stats"
)

// Difference compares one metric of two results.
type Difference struct {
	Metric string  `json:"metric"`
	Scope  Scope   `json:"scope"`
	Unit   string  `json:"unit"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	// CI is the confidence interval of B - A, nil if A or B has no interval. Paired is true if CI
	// comes from differences between replications that saw the same requests. Otherwise the two
	// results count as independent.
	CI     *[2]float64 `json:"ci"`
	Paired bool        `json:"paired"`
	// Reduction is the factor by which pairing reduced the variance, 0 without pairing.
	Reduction float64 `json:"variance_reduction,omitempty"`
	// Differs is true if the interval does not contain 0. Without an interval it is true if the
	// values are not equal.
	Differs bool `json:"differs"`
}

// Diff compares the estimates that both results have. It fails if their architectures differ, or if
// there is no such estimate.
func Diff(a, b *Result) ([]Difference, error) {
	if a.Architecture != b.Architecture {
		return nil, fmt.Errorf("found results of %s and %s, want two of one architecture", a.Architecture, b.Architecture)
	}
	var list []Difference
	for _, x := range a.Estimates {
		k := slices.IndexFunc(b.Estimates, func(y Estimate) bool { return y.Metric == x.Metric && y.Scope == x.Scope })
		if k < 0 || x.Value == nil || b.Estimates[k].Value == nil {
			continue
		}
		list = append(list, difference(&x, &b.Estimates[k], a.Seed == b.Seed && a.Version == b.Version))
	}
	if len(list) == 0 {
		return nil, errors.New("found no estimate that both results have, want results of run or solve on plans that are alike")
	}
	slices.SortStableFunc(list, func(x, y Difference) int { return cmp.Compare(boolInt(y.Differs), boolInt(x.Differs)) })
	return list, nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// difference compares two estimates of the same metric. same is true if their replications
// saw the same requests.
func difference(x, y *Estimate, same bool) Difference {
	d := Difference{Metric: x.Metric, Scope: x.Scope, Unit: x.Unit, A: *x.Value, B: *y.Value}
	d.Differs = d.A != d.B
	if x.CI == nil || y.CI == nil {
		return d
	}
	middle, half := d.B-d.A, math.Hypot((x.CI[1]-x.CI[0])/2, (y.CI[1]-y.CI[0])/2)
	const fewPairs = 5
	if n := min(len(x.Values), len(y.Values)); same && n >= fewPairs {
		d.Paired = true
		half, d.Reduction = stats.Paired(middle, y.Values, x.Values, x.Confidence)
		if math.IsNaN(d.Reduction) || math.IsInf(d.Reduction, 0) {
			d.Reduction = 0 // all differences are equal, so pairing them gains nothing
		}
	}
	d.CI = &[2]float64{middle - half, middle + half}
	d.Differs = d.CI[0] > 0 || d.CI[1] < 0
	return d
}
