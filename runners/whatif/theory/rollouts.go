package theory

import "math"

// SumOfTwo returns the probability that the sum of two uniform variables U(0,a) and U(0,b)
// is at most t, for a <= b.
func SumOfTwo(a, b, t float64) float64 {
	switch {
	case t <= 0:
		return 0
	case t <= a:
		return t * t / (2 * a * b)
	case t <= b:
		return (t - a/2) / b
	case t <= a+b:
		return 1 - (a+b-t)*(a+b-t)/(2*a*b)
	}
	return 1
}

// TimeToAll returns the mean time until all of n replicas serve a version. Each replica
// finds the version after U(0,b), loads it in the time load, and reports it after U(0,a). If
// c is above 0, a wait of U(0,c) comes first (CAP-7.5, CAP-3.13).
func TimeToAll(n int, a, b, c, load float64) float64 {
	if a > b {
		a, b = b, a
	}
	const steps = 200_000
	below := func(t float64) float64 { return SumOfTwo(a, b, t) }
	if c > 0 {
		below = func(t float64) float64 { return (integralOfTwo(a, b, t) - integralOfTwo(a, b, t-c)) / c }
	}
	sum := 0.0
	for i := range steps {
		t := (float64(i) + 0.5) / steps * (a + b + c)
		sum += 1 - math.Pow(below(t), float64(n))
	}
	return load + sum*(a+b+c)/steps
}

// integralOfTwo returns the integral of SumOfTwo up to t.
func integralOfTwo(a, b, t float64) float64 {
	switch {
	case t <= 0:
		return 0
	case t <= a:
		return t * t * t / (6 * a * b)
	case t <= b:
		return a*a/(6*b) + ((t-a/2)*(t-a/2)-a*a/4)/(2*b)
	case t <= a+b:
		d := a + b - t
		return integralOfTwo(a, b, b) + (t - b) - (a*a*a-d*d*d)/(6*a*b)
	}
	return integralOfTwo(a, b, a+b) + t - a - b
}
