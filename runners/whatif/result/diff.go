package result

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Difference is one metric of two results.
type Difference struct {
	Metric string  `json:"metric"`
	Scope  Scope   `json:"scope"`
	Unit   string  `json:"unit"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	// CI is the interval of b - a, nil where one of them has none. It is that of independent
	// results: with one seed for both the true one is narrower, as both saw the same requests.
	CI *[2]float64 `json:"ci"`
	// Differs reports that the interval has no 0 in it, or without one that the values are
	// not equal.
	Differs bool `json:"differs"`
}

// Diff compares the estimates that two results have in common.
func Diff(a, b *Result) ([]Difference, error) {
	if a.Architecture != b.Architecture {
		return nil, fmt.Errorf("found results of %s and %s, want two of one architecture", a.Architecture, b.Architecture)
	}
	var list []Difference
	for i := range a.Estimates {
		x := &a.Estimates[i]
		k := slices.IndexFunc(b.Estimates, func(y Estimate) bool { return y.Metric == x.Metric && y.Scope == x.Scope })
		if k < 0 || x.Value == nil || b.Estimates[k].Value == nil {
			continue
		}
		list = append(list, difference(x, &b.Estimates[k]))
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

func difference(x, y *Estimate) Difference {
	d := Difference{Metric: x.Metric, Scope: x.Scope, Unit: x.Unit, A: *x.Value, B: *y.Value}
	d.Differs = d.A != d.B
	if x.CI == nil || y.CI == nil {
		return d
	}
	half := math.Hypot((x.CI[1]-x.CI[0])/2, (y.CI[1]-y.CI[0])/2)
	d.CI = &[2]float64{d.B - d.A - half, d.B - d.A + half}
	d.Differs = d.CI[0] > 0 || d.CI[1] < 0
	return d
}
