package law

import (
	"math"
	"math/rand/v2"
	"sort"
)

// Sample draws a value. Only laws for which [Law.OfItems] is true depend on items.
func (l *Law) Sample(r *rand.Rand, items float64) float64 {
	switch l.Kind {
	case Det:
		return l.Mean
	case Affine:
		return l.Mean + float64(l.PerItem*items)
	case Points:
		return l.between(items)
	case Exp:
		return l.Mean * r.ExpFloat64()
	case LogNormal:
		return math.Exp(l.scale + float64(l.Sigma*r.NormFloat64()))
	case Gamma:
		return l.scale * gamma(r, l.Shape)
	case Erlang:
		sum := 0.0
		for range int(l.Shape) {
			sum += r.ExpFloat64()
		}
		return l.scale * sum
	case Uniform:
		return l.Low + float64((l.High-l.Low)*r.Float64())
	case Weibull:
		return l.scale * math.Pow(r.ExpFloat64(), 1/l.Shape)
	case Hist:
		u := r.Float64() * l.cumulative[len(l.cumulative)-1]
		return l.Values[min(sort.SearchFloat64s(l.cumulative, u), len(l.Values)-1)]
	case Trace:
		return l.Values[r.IntN(len(l.Values))]
	}
	return 0
}

// gamma draws from the gamma law of scale 1 (Marsaglia and Tsang, 2000).
func gamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		u := 1 - r.Float64()
		return gamma(r, shape+1) * math.Pow(u, 1/shape)
	}
	d := shape - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := 1 - r.Float64()
		if u < 1-float64(0.0331*(x*x)*(x*x)) || math.Log(u) < float64(0.5*x*x)+float64(d*(1-v+math.Log(v))) {
			return d * v
		}
	}
}
