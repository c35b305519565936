package judge

import (
	"strings"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// quantiles lists the latency metrics that are quantiles.
var quantiles = []struct {
	name string
	q    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}}

// quantileOf parses a metric such as p99(request) into its level and scope. It returns false
// for other metrics.
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

// pooled returns a quantile over the observations of all replications together (CAP-12.15),
// for one model of the mix or, with "", for all requests.
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

// latencies returns the latencies of a metric's scope over all replications.
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

// interval returns a metric over all replications and the half-width of its confidence
// interval. A quantile is taken over all observations together, with an interval from the
// quantiles of the single replications. Other metrics are means over replications.
func (w *Pool) interval(metric, name string, confidence float64) (value, half float64) {
	values := w.requests(name).Values[metric]
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
