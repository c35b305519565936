package calibrate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// family is a family of laws that can be fitted, by maximum likelihood or by moments.
type family struct {
	// fit returns the fitted law, its text in a plan, and its distribution function.
	fit func(list []float64) (l law.Law, text string, cdf func(float64) float64)
	// parameter is the name of the law's parameter other than the mean, "" if it has none. The
	// field of is a function that computes that parameter from the samples.
	parameter string
	of        func(list []float64) float64
}

var families = []family{
	{func(list []float64) (law.Law, string, func(float64) float64) {
		mean, sigma := logMoments(list)
		mu := math.Log(mean) - sigma*sigma/2
		return law.Logged(mean, sigma), fmt.Sprintf("lognormal(mean=%s, sigma=%s)", span(mean), digits(sigma)), distuv.LogNormal{Mu: mu, Sigma: sigma}.CDF
	}, "sigma", func(list []float64) float64 { _, sigma := logMoments(list); return sigma }},
	{func(list []float64) (law.Law, string, func(float64) float64) {
		mean, _ := stats.Mean(list)
		shape := gammaShape(list)
		return law.Shaped(mean, 1/math.Sqrt(shape)), fmt.Sprintf("gamma(mean=%s, cv=%s)", span(mean), digits(1/math.Sqrt(shape))), distuv.Gamma{Alpha: shape, Beta: shape / mean}.CDF
	}, "cv", func(list []float64) float64 { return 1 / math.Sqrt(gammaShape(list)) }},
	{func(list []float64) (law.Law, string, func(float64) float64) {
		mean, _ := stats.Mean(list)
		return law.Exponential(mean), fmt.Sprintf("exp(mean=%s)", span(mean)), distuv.Exponential{Rate: 1 / mean}.CDF
	}, "", nil},
	{func(list []float64) (law.Law, string, func(float64) float64) {
		low, high := slices.Min(list), slices.Max(list)
		return law.Between(low, high), fmt.Sprintf("uniform(%s, %s)", span(low), span(high)), distuv.Uniform{Min: low, Max: high}.CDF
	}, "", nil},
}

// goodKS is the largest Kolmogorov-Smirnov distance at which a fitted law is accepted. If
// all families are further away, the samples become a histogram.
const goodKS = 0.03

// choose fits the family that is nearest to the samples. Samples that hardly vary become a
// constant. Samples that fit no family become a histogram.
func choose(what string, list []float64) Fitted {
	mean, variance := stats.Mean(list)
	if cv := math.Sqrt(variance) / mean; cv < leastCV {
		f := gammaOf(what, mean, cv)
		f.N, f.Parameters = len(list), []Parameter{meanOf(what, list)}
		return f
	}
	sorted := slices.Sorted(slices.Values(list))
	best := Fitted{KS: 2}
	for _, one := range families {
		l, text, cdf := one.fit(list)
		if d := distance(sorted, cdf); d < best.KS {
			best = Fitted{Law: l, Text: text, KS: d, N: len(list), Parameters: []Parameter{meanOf(what, list)}}
			if one.of != nil {
				best.Parameters = append(best.Parameters, parameter(what+" "+one.parameter, "", list, one.of))
			}
		}
	}
	if best.KS <= goodKS {
		return best
	}
	return Fitted{Law: histogram(sorted), Text: "", KS: 1 / float64(bars), N: len(list), Parameters: []Parameter{meanOf(what, list)}}
}

func meanOf(what string, list []float64) Parameter {
	return parameter(what+" mean", "ns", list, func(part []float64) float64 { m, _ := stats.Mean(part); return m })
}

// distance returns the Kolmogorov-Smirnov distance between sorted samples and a distribution
// function.
func distance(sorted []float64, cdf func(float64) float64) float64 {
	worst, n := 0.0, float64(len(sorted))
	for i, v := range sorted {
		f := cdf(v)
		worst = math.Max(worst, math.Max(f-float64(i)/n, float64(i+1)/n-f))
	}
	return worst
}

// logMoments returns the mean and sigma of a log-normal law by maximum likelihood.
func logMoments(list []float64) (mean, sigma float64) {
	logs := make([]float64, len(list))
	for i, v := range list {
		logs[i] = math.Log(math.Max(v, 1))
	}
	mu, variance := stats.Mean(logs)
	return math.Exp(mu + variance/2), math.Sqrt(variance)
}

// gammaShape returns the shape k of a gamma law by maximum likelihood. It solves the equation ln k
// - digamma(k) = the logarithm of the mean, minus the mean of the logarithms.
func gammaShape(list []float64) float64 {
	mean, _ := stats.Mean(list)
	logs := 0.0
	for _, v := range list {
		logs += math.Log(math.Max(v, 1))
	}
	s := math.Log(mean) - logs/float64(len(list))
	k := (3 - s + math.Sqrt((s-3)*(s-3)+24*s)) / (12 * s) // Minka's first guess
	for range 20 {
		const step = 1e-5
		slope := (mathext.Digamma(k*(1+step)) - mathext.Digamma(k)) / (k * step)
		next := k - (math.Log(k)-mathext.Digamma(k)-s)/(1/k-slope)
		if next <= 0 || math.Abs(next-k) < 1e-9*k {
			break
		}
		k = next
	}
	return k
}

// bars is the number of quantiles in a histogram.
const bars = 400

// histogram returns the empirical law of the samples, by quantiles.
func histogram(sorted []float64) law.Law {
	l := law.Law{Kind: law.Hist}
	for k := range bars {
		part := sorted[k*len(sorted)/bars : (k+1)*len(sorted)/bars]
		mean, _ := stats.Mean(part)
		l.Values, l.Weights = append(l.Values, mean), append(l.Weights, 1)
	}
	return l
}
