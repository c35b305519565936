// Package special has the special functions of TensorFlow, with Eigen's answers where they are not
// defined.
//
// The two things to use first are OfOne and OfTwo, the functions of one and of two numbers by the
// name of their operation.
//
// To change a function, look in special.go for those of gamma and zeta, in bessel.go for Bessel's.
//
// Unstable: any commit may change it.
package special

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// OfOne has the functions of one number.
var OfOne = map[string]func(float64) float64{
	"BesselI0": besselI(0, false), "BesselI0e": besselI(0, true), "BesselI1": besselI(1, false), "BesselI1e": besselI(1, true),
	"BesselJ0": besselJ(math.J0), "BesselJ1": besselJ(math.J1), "BesselY0": besselY(math.Y0, math.Inf(-1)), "BesselY1": besselY(math.Y1, math.NaN()),
	"Digamma": digamma, "Erfinv": math.Erfinv, "Ndtri": ndtri,
}

// OfTwo has the functions of two numbers.
var OfTwo = map[string]func(a, b float64) float64{
	"Igamma": igamma, "Igammac": igammac, "Polygamma": polygamma, "Xlog1py": xlog1py, "Zeta": zeta,
}

func whole(x float64) bool { return x == math.Floor(x) }

func digamma(x float64) float64 {
	if x <= 0 && whole(x) { // -Inf too
		return math.NaN()
	}
	return mathext.Digamma(x)
}

// ndtri returns the quantile of the normal distribution.
func ndtri(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return mathext.NormalQuantile(p)
}

func igamma(a, x float64) float64 {
	if upper, ok := igammaEdge(a, x); ok {
		return 1 - upper
	}
	return mathext.GammaIncReg(a, x)
}

func igammac(a, x float64) float64 {
	if upper, ok := igammaEdge(a, x); ok {
		return upper
	}
	return mathext.GammaIncRegComp(a, x)
}

// igammaEdge returns the upper incomplete gamma function at the edges of its domain, and outside of
// it. It returns false inside.
func igammaEdge(a, x float64) (float64, bool) {
	switch {
	case !(a > 0) || !(x >= 0):
		return math.NaN(), true
	case x == 0:
		return 1, true
	}
	return 0, math.IsInf(x, 1)
}

// zeta returns Hurwitz's zeta function of x at q.
func zeta(x, q float64) float64 {
	switch {
	case x == 1:
		return math.Inf(1)
	case !(x >= 1) || math.IsNaN(q):
		return math.NaN()
	case math.IsInf(q, 1):
		return 0
	case q <= 0 && whole(q) && whole(x) && math.Mod(x, 2) == 0:
		return math.Inf(1)
	case q <= 0 && (whole(q) || !whole(x)):
		return math.NaN()
	}
	return mathext.Zeta(x, q)
}

// polygamma returns derivative n of digamma at x. It is NaN where a float32 holds neither of its two factors.
func polygamma(n, x float64) float64 {
	switch {
	case !(n >= 0) || !whole(n):
		return math.NaN()
	case n == 0:
		return digamma(x)
	}
	factorial, sum := math.Gamma(n+1), zeta(n+1, x)
	if float32(factorial) > math.MaxFloat32 && float32(sum) == 0 {
		return math.NaN()
	}
	if math.Mod(n, 2) == 0 {
		return -factorial * sum
	}
	return factorial * sum
}

func xlog1py(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log1p(y)
}

// Betainc returns the regularized incomplete beta function of x.
func Betainc(a, b, x float64) float64 {
	if !(a > 0) || !(b > 0) || !(x >= 0 && x <= 1) {
		return math.NaN()
	}
	return mathext.RegIncBeta(a, b, x)
}
