package judge

import (
	"strings"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// quantiles holds the metrics of latencies.
var quantiles = []struct {
	name string
	q    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}}

// quantileOf returns the level of a metric as p99(request) and what it is of; false for all
// others.
func quantileOf(metric string) (q float64, scope string, ok bool) {
	name, rest, ok := strings.Cut(metric, "(")
	if !ok {
		return 0, "", false
	}
	for _, one := range quantiles {
		if one.name == name {
			return one.q, strings.TrimSuffix(rest, ")"), true
		}
	}
	return 0, "", false
}

// pooled returns a quantile of the observations of all replications together (CAP-12.15), of one
// model of the mix or of all requests for "".
func (w *Pool) pooled(metric, name string) (float64, bool) {
	q, scope, ok := quantileOf(metric)
	if !ok {
		return 0, false
	}
	h := w.latencies(scope)
	for k := range w.Models {
		if w.Models[k].Name == name {
			h = w.Sum.Models[k].Latency
		}
	}
	return float64(h.Quantile(q)), true
}

// latencies are those of a scope of a metric, of all replications.
func (w *Pool) latencies(scope string) model.Hist {
	for t, name := range plan.TierNames {
		if name == scope {
			return w.Sum.Tiers[t].Latency
		}
	}
	if scope == plan.Corrected {
		return w.Corrected
	}
	return w.Sum.Latency
}

// interval returns a metric over all replications with the half-width of its interval at a
// confidence: quantiles are of all observations together, and how sure they are is from those
// of the replications; all else is the mean over replications.
func (w *Pool) interval(metric, name string, confidence float64) (value, half float64) {
	values := w.valuesOf(metric, name)
	if pooled, ok := w.pooled(metric, name); ok {
		return pooled, stats.Sectioned(pooled, values, confidence)
	}
	return stats.Interval(values, confidence)
}

// value returns a metric over all replications.
func (w *Pool) value(metric string) float64 {
	if pooled, ok := w.pooled(metric, ""); ok {
		return pooled
	}
	mean, _ := stats.Mean(w.Values[metric])
	return mean
}
