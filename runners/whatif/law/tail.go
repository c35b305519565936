package law

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// survival returns the probability that a draw exceeds x, which must not be negative. It
// returns NaN for a histogram or trace.
func (l Law) survival(x float64) float64 {
	switch l.Kind {
	case Exp:
		return math.Exp(-(1 / l.Mean) * x)
	case LogNormal:
		return 0.5 * (1 - math.Erf((math.Log(x)-l.scale)/(math.Sqrt2*l.Sigma)))
	case Gamma, Erlang:
		return mathext.GammaIncRegComp(l.Shape, 1/l.scale*x)
	case Uniform:
		return min(1, max(0, (l.High-x)/(l.High-l.Low)))
	case Weibull:
		return math.Exp(-math.Pow(x/l.scale, l.Shape))
	}
	return math.NaN()
}

// inverse returns the p-quantile of a law, for p above 0. It returns NaN for a histogram or
// trace.
func (l Law) inverse(p float64) float64 {
	switch l.Kind {
	case Exp:
		return -math.Log(1-p) / (1 / l.Mean)
	case LogNormal:
		return math.Exp(l.scale + float64(l.Sigma*mathext.NormalQuantile(p)))
	case Gamma, Erlang:
		return mathext.GammaIncRegInv(l.Shape, p) / (1 / l.scale)
	case Weibull:
		return l.scale * math.Pow(-math.Log(1-p), 1/l.Shape)
	}
	return math.NaN()
}

// Above returns the probability that a draw exceeds x. Only laws for which [Law.OfItems] is
// true depend on items.
func (l Law) Above(x, items float64) float64 {
	switch l.Kind {
	case Hist, Trace:
		above, all := 0.0, 0.0
		for i, v := range l.Values {
			w := l.weight(i)
			all += w
			if v > x {
				above += w
			}
		}
		return above / all
	case Uniform:
		if l.High <= l.Low {
			return step(l.Low > x)
		}
	case Det, Affine, Points, "":
		return step(l.MeanOf(items) > x)
	}
	if x < 0 {
		return 1
	}
	return l.survival(x)
}

func step(above bool) float64 {
	if above {
		return 1
	}
	return 0
}

// Quantile returns the p-quantile of the law. Only laws for which [Law.OfItems] is true
// depend on items.
func (l Law) Quantile(p, items float64) float64 {
	switch l.Kind {
	case Hist, Trace:
		return l.valueAt(p)
	case Uniform:
		return l.Low + float64(p*(l.High-l.Low))
	case Det, Affine, Points, "":
		return l.MeanOf(items)
	}
	if p <= 0 {
		return l.Min()
	}
	return l.inverse(p)
}

// valueAt returns the p-quantile of the values: the smallest value such that at least the
// share p of the weights is at or below it.
func (l Law) valueAt(p float64) float64 {
	order := make([]int, len(l.Values))
	all := 0.0
	for i := range order {
		order[i] = i
		all += l.weight(i)
	}
	sort.SliceStable(order, func(a, b int) bool { return l.Values[order[a]] < l.Values[order[b]] })
	sum := 0.0
	for _, i := range order {
		if sum += l.weight(i); sum >= p*all*(1-1e-12) && sum > 0 {
			return l.Values[i]
		}
	}
	return slices.Max(l.Values)
}

func (l Law) weight(i int) float64 {
	if l.Weights == nil {
		return 1
	}
	return math.Max(l.Weights[i], 0)
}
