// Package stats has the statistics of capacity answers: intervals over replications,
// verdicts by the binomial law, and where a window becomes stationary.
//
// Two things to use first:
//
//   - [Interval] is a mean with the interval of Student's t.
//   - [Verdict] says whether a quantile is below a limit, and how sure that is.
//
// To change intervals look in stats.go; verdicts are in verdict.go, the cut of the
// warm-up in mser.go. Quantiles of laws are gonum's.
package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the mean and the variance of one of values.
func Mean(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	if len(values) < 2 {
		return mean, math.NaN()
	}
	for _, v := range values {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(values)-1)
}

// Interval returns the mean of independent values and the half-width of its interval at a
// confidence (CAP-5.2); the half-width of less than two values is not a number.
func Interval(values []float64, confidence float64) (mean, half float64) {
	mean, variance := Mean(values)
	n := float64(len(values))
	if n < 2 {
		return mean, math.NaN()
	}
	return mean, T(confidence, n-1) * math.Sqrt(variance/n)
}

// Sectioned returns the half-width of the interval of a value of all observations together, as a
// pooled quantile, at a confidence, from the same value of each of independent parts of them
// (CAP-12.15): Student's, of what the parts deviate from the whole by. It counts what parts are
// off for being small, which the mean over parts has and the whole has not; that of less than
// two parts is not a number.
func Sectioned(whole float64, parts []float64, confidence float64) (half float64) {
	n := float64(len(parts))
	if n < 2 {
		return math.NaN()
	}
	squares := 0.0
	for _, v := range parts {
		squares += float64((v - whole) * (v - whole))
	}
	return T(confidence, n-1) * math.Sqrt(squares/(n-1)/n)
}

// T returns the two-sided quantile of Student's law.
func T(confidence, degrees float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: degrees}.Quantile(0.5 + confidence/2)
}

// Paired returns the half-width of the interval of a difference of two values, as [Sectioned], from
// those of parts that were got with the same random numbers, and by how much that narrowed it
// (CAP-5.7).
func Paired(whole float64, a, b []float64, confidence float64) (half, reduction float64) {
	n := min(len(a), len(b))
	d := make([]float64, n)
	for i := range d {
		d[i] = a[i] - b[i]
	}
	half = Sectioned(whole, d, confidence)
	_, va := Mean(a[:n])
	_, vb := Mean(b[:n])
	_, vd := Mean(d)
	return half, (va + vb) / vd
}

// OrderInterval returns the ranks, from 1, of the values that bound the q-quantile of n
// independent values at a confidence, by the binomial law.
func OrderInterval(n int64, q, confidence float64) (low, high int64) {
	b := distuv.Binomial{N: float64(n), P: q}
	mean, sd := b.Mean(), b.StdDev()
	z := distuv.UnitNormal.Quantile(0.5 + confidence/2)
	return max(1, int64(math.Floor(mean-float64(z*sd)))), min(n, int64(math.Ceil(mean+float64(z*sd)))+1)
}
