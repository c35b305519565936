// Package stats holds the statistics of capacity answers: confidence intervals over replications,
// verdicts by the binomial law, and the cut of a warm-up.
//
// Two things to use first:
//
//   - [Interval] returns a mean with its interval by Student's t.
//   - [Verdict] decides whether a quantile is below a limit.
//
// To change:
//
//   - intervals: stats.go
//   - verdicts: verdict.go
//   - the cut of the warm-up: mser.go
//
// Functions and quantiles of distributions come from gonum's package mathext.
//
// Unstable: any commit may change it.
package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Mean returns the mean and the sample variance of values. The variance of a single value
// is NaN.
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

// Interval returns the mean of independent values and the half-width of its confidence
// interval (CAP-5.2). The half-width is NaN with fewer than two values.
func Interval(values []float64, confidence float64) (mean, half float64) {
	mean, variance := Mean(values)
	n := float64(len(values))
	if n < 2 {
		return mean, math.NaN()
	}
	return mean, T(confidence, n-1) * math.Sqrt(variance/n)
}

// exactShare returns the Clopper-Pearson interval for a share of y successes in m trials,
// which need not be whole numbers. tail is the probability beyond each end.
func exactShare(m, y, tail float64) (low, high float64) {
	high = 1
	if y > 0 {
		low = mathext.InvRegIncBeta(y, m-y+1, tail)
	}
	if y < m {
		high = mathext.InvRegIncBeta(y+1, m-y, 1-tail)
	}
	return low, high
}

// few is the largest number of events for which Student's interval is not valid for their mean. If
// no event occurs in twenty replications, Student's interval is [0, 0], although events are
// possible.
const few = 30

// Few returns the confidence limits of the mean of n counts, by Poisson's law for their sum. It
// returns false if the sum is above few, or if n is below 2: then it has nothing to add to
// [Interval].
func Few(mean float64, n int, confidence float64) (low, high float64, ok bool) {
	all, tail := math.Round(mean*float64(n)), (1-confidence)/2
	if n < 2 || all > few {
		return 0, 0, false
	}
	if all > 0 {
		low = mathext.GammaIncRegInv(all, tail) / float64(n)
	}
	return low, mathext.GammaIncRegInv(all+1, 1-tail) / float64(n), true
}

// Sectioned returns the half-width of the confidence interval of whole, a value computed
// from all observations together, such as a difference of pooled quantiles (CAP-12.15).
// parts holds the value computed from each of several independent parts of the observations.
// The interval is Student's, over the deviations of the parts from whole, so it also covers
// the bias of small parts. It is NaN with fewer than two parts.
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

// Ratio returns the mean of all observations, and the half-width of its confidence interval. means
// and n hold the mean and the number of observations of several independent parts. Each part is
// weighted by its number of observations. An unweighted mean would be too small, because parts with
// more requests are often those with longer latencies. The interval is Student's, over how far each
// part moves the mean (the linearised ratio). It is NaN with fewer than two parts.
func Ratio(n []int64, means []float64, confidence float64) (ratio, half float64) {
	total, all := 0.0, 0.0
	for i, m := range means {
		total += float64(m * float64(n[i]))
		all += float64(n[i])
	}
	if all == 0 {
		return 0, math.NaN()
	}
	ratio = total / all
	pulls := make([]float64, len(means))
	for i, m := range means {
		pulls[i] = (m - ratio) * float64(n[i]) * float64(len(means)) / all
	}
	return ratio, Sectioned(0, pulls, confidence)
}

// T returns the two-sided quantile t of Student's t distribution. The two tails beyond -t and t
// together have a probability that is the regularized incomplete beta function at x =
// degrees/(degrees+t*t).
func T(confidence, degrees float64) float64 {
	p := 0.5 + confidence/2
	if p == 0.5 {
		return 0
	}
	x := mathext.InvRegIncBeta(degrees/2, 0.5, 2*(1-p))
	return math.Sqrt(degrees * (1 - x) / x)
}

// Paired returns the half-width of the confidence interval of a difference of two values,
// computed as in [Sectioned]. a and b hold the values of parts that were simulated with the
// same random numbers. reduction is the factor by which the common numbers reduced the
// variance (CAP-5.7).
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

// OrderInterval returns which of n independent values, once they are sorted, bound the q-quantile
// with the given confidence, by the binomial distribution. Ranks begin at 1.
func OrderInterval(n int64, q, confidence float64) (low, high int64) {
	mean := float64(n) * q
	sd := math.Sqrt(mean * (1 - q))
	z := mathext.NormalQuantile(0.5 + confidence/2)
	return max(1, int64(math.Floor(mean-float64(z*sd)))), min(n, int64(math.Ceil(mean+float64(z*sd)))+1)
}
