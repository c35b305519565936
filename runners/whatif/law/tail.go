package law

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// family returns gonum's form of a law, nil for a histogram or trace.
func (l Law) family() interface {
	Survival(x float64) float64
	Quantile(p float64) float64
} {
	switch l.Kind {
	case Exp:
		return distuv.Exponential{Rate: 1 / l.Mean}
	case LogNormal:
		return distuv.LogNormal{Mu: l.scale, Sigma: l.Sigma}
	case Gamma, Erlang:
		return distuv.Gamma{Alpha: l.Shape, Beta: 1 / l.scale}
	case Uniform:
		return distuv.Uniform{Min: l.Low, Max: l.High}
	case Weibull:
		return distuv.Weibull{K: l.Shape, Lambda: l.scale}
	}
	return nil
}

// Above returns the probability of a draw above x. Only an affine law depends on items.
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
	case Det, Affine, "":
		return step(l.MeanOf(items) > x)
	}
	if x < 0 {
		return 1
	}
	return l.family().Survival(x)
}

func step(above bool) float64 {
	if above {
		return 1
	}
	return 0
}

// Quantile returns the value that a share p of all draws is at or below. Only an affine law
// depends on items.
func (l Law) Quantile(p, items float64) float64 {
	switch l.Kind {
	case Hist, Trace:
		return l.valueAt(p)
	case Uniform:
		return l.Low + float64(p*(l.High-l.Low))
	case Det, Affine, "":
		return l.MeanOf(items)
	}
	if p <= 0 {
		return l.Min()
	}
	return l.family().Quantile(p)
}

// valueAt returns the smallest value that a share p of the values is at or below.
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
