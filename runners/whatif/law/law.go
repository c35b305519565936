// Package law holds the probability distributions of a plan: service times, numbers of
// items, noise and delays.
//
// Two things to use first:
//
//   - [Parse] reads a distribution as a plan writes it.
//   - [Law.Sample] draws from it, without allocating.
//
// To change:
//
//   - which distributions there are, and how they are read: parse.go, and points.go for points
//   - how values are drawn: sample.go
//   - moments: law.go
//   - quantiles and tails: tail.go
//
// Unstable: any commit may change it.
package law

import (
	"math"
	"slices"
	"sort"
)

// Kind is the family of a law.
type Kind string

// The families.
const (
	Det       Kind = "det"
	Exp       Kind = "exp"
	Gamma     Kind = "gamma"
	LogNormal Kind = "lognormal"
	Uniform   Kind = "uniform"
	Weibull   Kind = "weibull"
	Erlang    Kind = "erlang"
	Hist      Kind = "hist"
	Trace     Kind = "trace"
	// Affine is not a random law: the time is Mean plus PerItem for each item.
	Affine Kind = "affine"
	// Points is not a random law either: the time for a number of items, or after a pause, is
	// interpolated linearly between given points. Beyond the last point, the line through the
	// last two continues.
	Points Kind = "points"
)

// Law is a distribution of times in nanoseconds, or of plain numbers. The zero Law stands
// for no law, see [Law.IsZero].
type Law struct {
	Kind Kind `json:"kind,omitempty"`
	// Mean is the mean or, for an affine law, the time without items.
	Mean float64 `json:"mean,omitempty"`
	// CV is the coefficient of variation of a gamma law. Sigma is the standard deviation of
	// the logarithm of a log-normal law. Shape is the shape of a Weibull or Erlang law.
	CV    float64 `json:"cv,omitempty"`
	Sigma float64 `json:"sigma,omitempty"`
	Shape float64 `json:"k,omitempty"`
	// Low and High are the ends of a uniform law.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
	// PerItem is the slope of an affine law.
	PerItem float64 `json:"per_item,omitempty"`
	// Values and Weights are the bars of a histogram. A trace has values without weights.
	Values  []float64 `json:"values,omitempty"`
	Weights []float64 `json:"weights,omitempty"`
	// At holds, for each point of the law Points, its number of items or its pause. Values then
	// holds the times of the points.
	At []float64 `json:"at,omitempty"`

	cumulative []float64
	scale      float64 // scale of a gamma, Erlang or Weibull law; for a log-normal law the mean of the logarithm
}

// IsZero reports whether this is the zero Law, which stands for no law.
func (l Law) IsZero() bool { return l.Kind == "" }

// Constant returns the law of a single value.
func Constant(value float64) Law { return Law{Kind: Det, Mean: value} }

// Exponential returns the exponential law with a mean.
func Exponential(mean float64) Law { return Law{Kind: Exp, Mean: mean} }

// Scaled returns the law whose values are multiplied by a factor.
func (l Law) Scaled(by float64) Law {
	l.Mean *= by
	l.PerItem *= by
	l.Low *= by
	l.High *= by
	l.Values, l.cumulative = slices.Clone(l.Values), nil
	for i := range l.Values {
		l.Values[i] *= by
	}
	return l.prepare()
}

// prepare computes the fields that sampling needs.
func (l Law) prepare() Law {
	switch l.Kind {
	case Gamma:
		l.Shape = 1 / (l.CV * l.CV)
		l.scale = l.Mean / l.Shape
	case Erlang:
		l.scale = l.Mean / l.Shape
	case Weibull:
		l.scale = l.Mean / math.Gamma(1+1/l.Shape)
	case LogNormal:
		l.scale = math.Log(l.Mean) - l.Sigma*l.Sigma/2
	case Uniform:
		l.Mean = (l.Low + l.High) / 2
	case Hist:
		sum := 0.0
		for _, w := range l.Weights {
			sum += w
			l.cumulative = append(l.cumulative, sum)
		}
		l.Mean, _ = l.empirical()
	case Trace:
		l.Mean, _ = l.empirical()
	case Points:
		l.Mean = l.Values[0]
	}
	return l
}

// empirical returns the mean and the second moment of the values.
func (l Law) empirical() (mean, second float64) {
	sum := 0.0
	for i, v := range l.Values {
		w := 1.0
		if l.Weights != nil {
			w = l.Weights[i]
		}
		sum += w
		mean += w * v
		second += w * v * v
	}
	return mean / sum, second / sum
}

// OfItems reports whether the law gives a fixed time for each number of items, without
// randomness.
func (l Law) OfItems() bool { return l.Kind == Affine || l.Kind == Points }

// MeanOf returns the mean for a number of items. Only laws for which [Law.OfItems] is true
// depend on items.
func (l Law) MeanOf(items float64) float64 {
	switch l.Kind {
	case Affine:
		return l.Mean + l.PerItem*items
	case Points:
		return l.between(items)
	}
	return l.Mean
}

// Last returns the largest time of the points, and 0 for other laws.
func (l Law) Last() float64 {
	if l.Kind != Points {
		return 0
	}
	return slices.Max(l.Values)
}

// Slope returns how much time each additional item takes, at a given number of items.
func (l Law) Slope(items float64) float64 {
	switch l.Kind {
	case Affine:
		return l.PerItem
	case Points:
		return l.between(math.Floor(items)+1) - l.between(math.Floor(items))
	}
	return 0
}

// ItemsAbove returns the number of items, not rounded, above which the time exceeds x. It is
// infinite if the time never does. It is for laws for which [Law.OfItems] is true.
func (l Law) ItemsAbove(x float64) float64 {
	at, values := []float64{0, 1}, []float64{l.Mean, l.Mean + l.PerItem}
	if l.Kind == Points {
		at, values = l.At, l.Values
	}
	if values[0] > x {
		return 0
	}
	last := len(at) - 1
	i := slices.IndexFunc(values, func(v float64) bool { return v > x })
	if i < 0 {
		i = last
	}
	if values[i] <= values[i-1] {
		return math.Inf(1)
	}
	return at[i-1] + (x-values[i-1])*(at[i]-at[i-1])/(values[i]-values[i-1])
}

// between returns the interpolated value of the points at x.
func (l Law) between(x float64) float64 {
	if x <= l.At[0] {
		return l.Values[0]
	}
	i := min(sort.SearchFloat64s(l.At, x), len(l.At)-1)
	slope := (l.Values[i] - l.Values[i-1]) / (l.At[i] - l.At[i-1])
	return math.Max(0, l.Values[i-1]+float64(slope*(x-l.At[i-1])))
}

// Whole returns the mean and the second moment of draws that are rounded to whole numbers of
// at least 1.
func (l Law) Whole() (mean, second float64) {
	const negligible, most = 1e-12, 1e7
	mean, second = 1, 1
	for k := 1.0; k < most; k++ {
		more := l.Above(k+0.5-1e-9, 0) // probability of more than k items
		if more < negligible {
			break
		}
		mean += more
		second += (2*k + 1) * more
	}
	return mean, second
}

// SCV returns the squared coefficient of variation, 0 for a constant or affine law.
func (l Law) SCV() float64 {
	switch l.Kind {
	case Exp:
		return 1
	case Gamma:
		return l.CV * l.CV
	case Erlang:
		return 1 / l.Shape
	case LogNormal:
		return math.Expm1(l.Sigma * l.Sigma)
	case Weibull:
		g := math.Gamma(1 + 1/l.Shape)
		return math.Gamma(1+2/l.Shape)/(g*g) - 1
	case Uniform:
		width := l.High - l.Low
		return width * width / 12 / (l.Mean * l.Mean)
	case Hist, Trace:
		mean, second := l.empirical()
		return second/(mean*mean) - 1
	}
	return 0
}

// Min returns a lower bound of all draws.
func (l Law) Min() float64 {
	switch l.Kind {
	case Det, Affine:
		return l.Mean
	case Uniform:
		return l.Low
	case Hist, Trace, Points:
		return slices.Min(l.Values)
	}
	return 0
}

// IsConstant reports whether all draws are equal.
func (l Law) IsConstant() bool { return l.Kind == Det || l.Kind == "" }

// Between returns the uniform law from low to high.
func Between(low, high float64) Law { return Law{Kind: Uniform, Low: low, High: high}.prepare() }

// Affinely returns the affine law by which n items take the time base + n*perItem.
func Affinely(base, perItem float64) Law { return Law{Kind: Affine, Mean: base, PerItem: perItem} }

// Shaped returns the gamma law with a mean and a coefficient of variation.
func Shaped(mean, cv float64) Law { return Law{Kind: Gamma, Mean: mean, CV: cv}.prepare() }

// Logged returns the log-normal law with a mean and with sigma, the standard deviation of
// the logarithm.
func Logged(mean, sigma float64) Law { return Law{Kind: LogNormal, Mean: mean, Sigma: sigma}.prepare() }
