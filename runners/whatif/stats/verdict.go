package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Outcome is the result of judging a claim: Pass, Fail or Undecided.
type Outcome uint8

// The outcomes.
const (
	Undecided Outcome = iota
	Pass
	Fail
)

// atMost returns P(Bin(n, p) <= x), and atLeast returns P(Bin(n, p) >= x). Both use the
// incomplete beta function.
func atMost(n, x, p float64) float64 {
	switch {
	case x < 0:
		return 0
	case x >= n:
		return 1
	}
	return mathext.RegIncBeta(n-x, x+1, 1-p)
}

func atLeast(n, x, p float64) float64 {
	switch {
	case x <= 0:
		return 1
	case x > n:
		return 0
	}
	return mathext.RegIncBeta(x, n-x+1, p)
}

// Verdict judges the claim that at most a share p of requests exceeds a limit, given that x
// of n did. Correlated requests count as n/vif independent requests, rounded against the
// claim (CAP-5.5).
func Verdict(n, x int64, p, vif, confidence float64) Outcome {
	switch {
	case Passes(n, x, p, vif, confidence):
		return Pass
	case Fails(n, x, p, vif, confidence):
		return Fail
	}
	return Undecided
}

// Passes reports whether [Verdict] is [Pass].
func Passes(n, x int64, p, vif, confidence float64) bool {
	switch {
	case n == 0 || p <= 0 && x > 0:
		return false
	case p >= 1 && x < n:
		return true
	}
	vif = math.Max(vif, 1)
	m, y := math.Floor(float64(n)/vif), math.Ceil(float64(x)/vif)
	return m >= 1 && atMost(m, y, p) <= 1-confidence
}

// Fails reports whether [Verdict] is [Fail].
func Fails(n, x int64, p, vif, confidence float64) bool {
	switch {
	case n == 0 || p >= 1 && x < n:
		return false
	case p <= 0 && x > 0: // a single such request is enough, however strongly requests are correlated
		return true
	}
	vif = math.Max(vif, 1)
	m, y := math.Ceil(float64(n)/vif), math.Floor(float64(x)/vif)
	return atLeast(m, y, p) <= 1-confidence
}

// Needed returns the smallest number of independent requests with which [Verdict] passes if
// no request exceeds the limit.
func Needed(p, confidence float64) int64 {
	return int64(math.Ceil(math.Log(1-confidence)/math.Log1p(-p) - 1e-9))
}

// VIF returns the variance inflation factor of a share of requests, at least 1. It is the variance
// of the share divided by its variance for independent requests. n holds the number of requests of
// each replication, and x how many of these belong to the share.
func VIF(n, x []int64) float64 {
	counts := make([]float64, len(x))
	for i := range x {
		counts[i] = float64(x[i])
	}
	return inflation(n, counts)
}

// inflation computes VIF for counts x that need not be whole numbers.
func inflation(n []int64, x []float64) float64 {
	sumN, sumX := sums(n, x)
	if sumX == 0 || sumX == sumN || len(n) < 2 {
		return 1
	}
	p := sumX / sumN
	squares := 0.0
	for i := range n {
		d := x[i] - float64(p*float64(n[i]))
		squares += float64(d * d)
	}
	variance := squares / float64(len(n)-1) * float64(len(n)) // of the sum
	return math.Max(1, variance/float64(sumN*p*(1-p)))
}

func sums(n []int64, x []float64) (sumN, sumX float64) {
	for i := range n {
		sumN += float64(n[i])
		sumX += x[i]
	}
	return sumN, sumX
}
