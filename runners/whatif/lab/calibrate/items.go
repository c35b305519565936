package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// byItems fits a constant time for each call, a time for each of its items, and the noise
// factor of calls.
func (p *Profile) byItems(s *samples) error {
	if slices.Min(s.parts) == slices.Max(s.parts) {
		return errors.New("found calls that all have as many items, by which the time of an item cannot be told: observe a plan whose service.items vary")
	}
	base, perItem := affine(s.parts, s.worked)
	if base <= 0 || perItem <= 0 {
		return fmt.Errorf("found %s for a call and %s for each of its items, want both above 0: observe more calls, or items that vary more", span(base), span(perItem))
	}
	of := func(which func(base, perItem float64) float64) func(from, to int) float64 {
		return func(from, to int) float64 { return which(affine(s.parts[from:to], s.worked[from:to])) }
	}
	n := len(s.worked)
	p.PS = Fitted{
		Law: law.Affinely(base, perItem), Text: fmt.Sprintf("affine(base=%s, per_item=%s)", span(base), fractional(perItem)), N: n,
		Parameters: []Parameter{
			batched("service.ps.cpu base", "ns", n, of(func(base, _ float64) float64 { return base })),
			batched("service.ps.cpu per_item", "ns", n, of(func(_, perItem float64) float64 { return perItem })),
		},
	}
	p.Items = histogram(slices.Sorted(slices.Values(s.items))).Values
	factors := make([]float64, n)
	for i, worked := range s.worked {
		factors[i] = worked / (base + perItem*s.parts[i])
	}
	mean, variance := stats.Mean(factors)
	if math.Sqrt(variance)/mean < leastCV {
		return nil
	}
	_, sigma := logMoments(factors1(factors))
	p.Noise = Fitted{Law: law.Logged(1, sigma), Text: fmt.Sprintf("lognormal(sigma=%s)", digits(sigma)), N: n,
		Parameters: []Parameter{parameter("service.ps.noise sigma", "", factors, func(part []float64) float64 { _, sigma := logMoments(factors1(part)); return sigma })}}
	p.PS.KS = distance(slices.Sorted(slices.Values(factors)), distuv.LogNormal{Mu: -sigma * sigma / 2, Sigma: sigma}.CDF)
	return nil
}

// factors1 returns factors in billionths, because logMoments expects values of at least 1.
func factors1(factors []float64) []float64 {
	scaled := make([]float64, len(factors))
	for i, f := range factors {
		scaled[i] = f * 1e9
	}
	return scaled
}

// affine fits the line y = base + perItem x by weighted least squares. Calls vary in
// proportion to their time, so each has the weight of the inverse square of its expected
// time. That time is estimated better in each round.
func affine(x, y []float64) (base, perItem float64) {
	base = 1
	for range 4 {
		var w, wx, wy, wxx, wxy float64
		for i := range x {
			expected := math.Max(base+perItem*x[i], 1)
			weight := 1 / (expected * expected)
			w += weight
			wx += weight * x[i]
			wy += weight * y[i]
			wxx += weight * x[i] * x[i]
			wxy += weight * x[i] * y[i]
		}
		perItem = (w*wxy - wx*wy) / (w*wxx - wx*wx)
		base = (wy - perItem*wx) / w
	}
	return base, perItem
}

// fractional formats a duration in nanoseconds that may be less than one nanosecond.
func fractional(ns float64) string { return fmt.Sprintf("%.5gns", ns) }
