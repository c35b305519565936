package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Outcome of a verdict.
type Outcome uint8

// The outcomes.
const (
	Undecided Outcome = iota
	Pass
	Fail
)

// atMost returns P(Bin(n, p) <= x), atLeast P(Bin(n, p) >= x), by the incomplete beta
// function.
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

// Verdict judges that at most a share p of n requests exceeds a limit, of which x do. n
// counts as n/vif independent ones; rounding is against the claim (CAP-5.5).
func Verdict(n, x int64, p, vif, confidence float64) Outcome {
	vif = math.Max(vif, 1)
	if n == 0 {
		return Undecided
	}
	m, y := math.Floor(float64(n)/vif), math.Ceil(float64(x)/vif)
	if m >= 1 && atMost(m, y, p) <= 1-confidence {
		return Pass
	}
	m, y = math.Ceil(float64(n)/vif), math.Floor(float64(x)/vif)
	if atLeast(m, y, p) <= 1-confidence {
		return Fail
	}
	return Undecided
}

// Needed returns the least number of independent requests that pass with none exceeding.
func Needed(p, confidence float64) int64 {
	return int64(math.Ceil(math.Log(1-confidence)/math.Log1p(-p) - 1e-9))
}

// VIF returns the factor by which the variance of a share of correlated requests exceeds that
// of independent ones: from the counts of replications, at least 1.
func VIF(n, x []int64) float64 {
	sumN, sumX := int64(0), int64(0)
	for i := range n {
		sumN += n[i]
		sumX += x[i]
	}
	if sumX == 0 || sumX == sumN || len(n) < 2 {
		return 1
	}
	p := float64(sumX) / float64(sumN)
	squares := 0.0
	for i := range n {
		d := float64(x[i]) - float64(p*float64(n[i]))
		squares += float64(d * d)
	}
	variance := squares / float64(len(n)-1) * float64(len(n)) // of the sum
	return math.Max(1, variance/(float64(sumN)*p*(1-p)))
}
