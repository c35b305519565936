package theory

import "math"

// SumOfTwo is the share of sums of U(0,a) and U(0,b) that are at most t; a <= b.
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

// TimeToAll is the mean time until all of n replicas serve what each finds after U(0,b),
// loads in load and reports after U(0,a) (CAP-7.5).
func TimeToAll(n int, a, b, load float64) float64 {
	if a > b {
		a, b = b, a
	}
	const steps = 200_000
	sum := 0.0
	for i := range steps {
		t := (float64(i) + 0.5) / steps * (a + b)
		sum += 1 - math.Pow(SumOfTwo(a, b, t), float64(n))
	}
	return load + sum*(a+b)/steps
}

// MaxOfUniform is the mean of the largest of n draws of U(0,a).
func MaxOfUniform(n int, a float64) float64 { return a * float64(n) / float64(n+1) }
