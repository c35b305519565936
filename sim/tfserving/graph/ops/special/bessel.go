package special

import "math"

// large is where the series of a modified Bessel function is no longer summed: the terms of the
// asymptotic expansion are smaller.
const large = 30

// besselI returns the modified Bessel function of the first kind of an order, 0 or 1; divided by
// exp(|x|) if scaled.
func besselI(order int, scaled bool) func(float64) float64 {
	return func(x float64) float64 {
		size := math.Abs(x)
		var y float64 // divided by exp(|x|)
		if size > large {
			y = expansion(order, size)
		} else {
			y = series(order, size) * math.Exp(-size)
		}
		if !scaled {
			y *= math.Exp(size)
		}
		if order == 1 && x < 0 {
			return -y
		}
		return y
	}
}

// series sums (x/2)^(2k+order) / (k! (k+order)!).
func series(order int, x float64) float64 {
	term := math.Pow(x/2, float64(order))
	sum := term
	for k := 1.0; term > sum*1e-17; k++ {
		term *= x * x / 4 / (k * (k + float64(order)))
		sum += term
	}
	if math.IsNaN(x) {
		return x
	}
	return sum
}

// expansion sums the asymptotic expansion of a large x, without the factor exp(x).
func expansion(order int, x float64) float64 {
	mu := float64(4 * order * order)
	term, sum := 1.0, 1.0
	for k := 1.0; k < 12; k++ {
		odd := 2*k - 1
		term *= -(mu - odd*odd) / (k * 8 * x)
		sum += term
	}
	return sum / math.Sqrt(2*math.Pi*x)
}

// besselJ returns f, which oscillates, but without a limit at infinity.
func besselJ(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if math.IsInf(x, 0) {
			return math.NaN()
		}
		return f(x)
	}
}

// besselY returns f as besselJ does, -Inf for numbers below 0, where f is not defined, and zero at 0.
func besselY(f func(float64) float64, zero float64) func(float64) float64 {
	return func(x float64) float64 {
		switch {
		case x == 0:
			return zero
		case x < 0:
			return math.Inf(-1)
		}
		return besselJ(f)(x)
	}
}
