package judge

import (
	"math"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// quantiles lists the names of latency quantiles with their levels.
var quantiles = []struct {
	name string
	q    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}}

// quantileOf parses a metric such as p99(request) into its level and scope. It returns false
// for other metrics.
func quantileOf(metric string) (q float64, scope string, ok bool) {
	name, rest, ok := strings.Cut(strings.TrimPrefix(metric, plan.Dashboard), "(")
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
	h, q := w.hist(scope, name), w.known(q, scope, name)
	if strings.HasPrefix(metric, plan.Dashboard) {
		return shown(h, q), true
	}
	return float64(h.Quantile(q)), true
}

// shown returns the quantile that Prometheus' histogram_quantile computes from TensorFlow Serving's
// latency buckets, in nanoseconds. That function assumes that latencies are spread evenly within a
// bucket, and that none lies beyond the last bound. Likewise, the latencies in a bar of h that
// contains a bucket's bound are assumed to be spread evenly.
func shown(h model.Hist, q float64) float64 { return bucketed(h, q, math.NaN()) }

// bucketed computes the same quantile as shown. Some bars of the histogram h contain a bucket's
// bound. The parameter below is the fraction of the latencies in such a bar that counts as under
// the bound. NaN means that the latencies are spread evenly over the bar, as shown assumes.
func bucketed(h model.Hist, q, below float64) float64 {
	const bounds = stats.ServingBuckets
	var upTo [bounds]float64
	limit := stats.ServingBounds()
	k := 0
	last := 0.0
	h.Bars(func(from, to, count int64) {
		for ; k < bounds && float64(to) > limit[k]; k++ {
			part := below
			if math.IsNaN(part) {
				part = (limit[k] - float64(from)) / float64(to-from)
			}
			if upTo[k] = last; float64(from) <= limit[k] {
				upTo[k] += float64(float64(count) * part)
			}
		}
		last += float64(count)
	})
	for ; k < bounds; k++ {
		upTo[k] = last
	}
	rank, before, from := min(q, 1)*last, 0.0, 0.0
	for k, n := range upTo {
		if n >= rank && n > before {
			return from + float64((limit[k]-from)*(rank-before)/(n-before))
		}
		before, from = n, limit[k]
	}
	return limit[bounds-1]
}

// known converts q, a quantile's level among all requests, to the level among the answered requests
// at which the latency is the same. Open requests count as slower than all answered ones. A result
// above 1 means that the quantile lies among the open requests, so that its latency is unknown.
func (w *Pool) known(q float64, scope, name string) float64 {
	m := w.requests(name)
	if open := sum(m.Open); open > 0 && ofRequests(scope) {
		q *= 1 + share(open, w.hist(scope, name).Count())
	}
	return q
}

// ofRequests reports whether a scope's latencies are latencies of whole requests.
func ofRequests(scope string) bool { return scope == "request" || scope == plan.Corrected }

// hist returns the histogram of a scope's latencies, or of the request latencies of one
// model of the mix.
func (w *Pool) hist(scope, name string) model.Hist {
	for k := range w.Models {
		if w.Models[k].Name == name {
			return w.Sum.Models[k].Latency
		}
	}
	return w.latencies(scope)
}

// latencies returns the histogram of a scope's latencies over all replications.
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

// mean returns a metric's mean and the half-width of its confidence interval. For a latency, both
// are computed over all observations together, and for another metric over replications.
func (m *PerModel) mean(metric string, confidence float64) (mean, half float64) {
	if counts, ok := m.counts[metric]; ok {
		return stats.Ratio(counts, m.Values[metric], confidence)
	}
	return stats.Interval(m.Values[metric], confidence)
}

// interval returns the value of a metric and its confidence interval. Latencies and shares
// are computed over all observations together. Other metrics are means over replications.
func (w *Pool) interval(metric, name string, confidence float64) (value, low, high float64) {
	m := w.requests(name)
	values := m.Values[metric]
	if pooled, ok := w.pooled(metric, name); ok {
		q, scope, _ := quantileOf(metric)
		h := w.hist(scope, name)
		level := min(w.known(q, scope, name), 1)
		if strings.HasPrefix(metric, plan.Dashboard) {
			least, most, _ := shareAbove(h, m.tails[scope], level, w.relatedOf(scope, name), confidence)
			low, high = pooled, pooled
			// a bar that contains a bound is counted first as above the bound, then as below it
			for _, edge := range []float64{0, 1} {
				low, high = min(low, bucketed(h, 1-most, edge)), max(high, bucketed(h, 1-least, edge))
			}
			return pooled, low, high
		}
		low, high = quantileBounds(h, m.tails[scope], level, w.relatedOf(scope, name), confidence)
		return pooled, low, high
	}
	related := stats.Related{Floor: w.relatedOf("request", name)}
	if above, ok := m.above[metric]; ok {
		counts := lists.Map(above, func(n int64) float64 { return float64(n) })
		value, low, high, _ = related.Share(m.completed, counts, confidence)
		if sum(m.Open) > 0 { // open requests may still take longer than the bound
			for i, open := range m.Open {
				counts[i] += float64(open)
			}
			_, _, high, _ = related.Share(m.answers().Arrived, counts, confidence)
		}
		return value, low, high
	}
	if isShare(metric) && len(values) == len(m.Arrived) {
		counts := make([]float64, len(values))
		for i, v := range values {
			counts[i] = math.Round(v * float64(m.Arrived[i]))
		}
		value, low, high, _ = related.Share(m.Arrived, counts, confidence)
		if sum(m.Open) > 0 && metric != "answered" { // open requests may still fail
			for i, open := range m.Open {
				counts[i] += float64(open)
			}
			_, _, high, _ = related.Share(m.Arrived, counts, confidence)
		}
		return value, low, high
	}
	mean, half := m.mean(metric, confidence)
	mean = math.Max(mean, 0) // the metric lost subtracts usual failures, so its mean can be negative by chance
	ci := around(mean, half)
	if unit := w.oneOf(metric) * math.Max(1, related.Floor); unit > 0 { // requests that are delayed together count as one
		if least, most, ok := stats.Few(mean/unit, len(values), confidence); ok {
			ci = [2]float64{math.Min(ci[0], least*unit), math.Max(ci[1], most*unit)}
		}
	}
	if unitOf(metric) == "fraction" {
		ci[1] = math.Min(ci[1], 1)
	}
	return mean, ci[0], ci[1]
}

// relatedOf returns how many latencies of a scope are long together, because the same cause delays
// them. The number is computed from the plan, for one model of the mix or, with "", for all requests.
func (w *Pool) relatedOf(scope, name string) float64 {
	for t, tier := range plan.TierNames {
		if tier == scope {
			return w.related.Attempts[t]
		}
	}
	for k := range w.Models {
		if w.Models[k].Name == name {
			return math.Max(1, w.related.Requests*share(w.Sum.Models[k].Arrived, w.Sum.Arrived))
		}
	}
	return w.related.Requests
}

// tooFew reports whether a quantile cannot be estimated, because the observations beyond it are worth
// less than one independent observation. It also returns how many observations the estimate needs.
func (w *Pool) tooFew(metric, name string, confidence float64) (need int64, few bool) {
	q, scope, ok := quantileOf(metric)
	if !ok {
		return 0, false
	}
	h := w.hist(scope, name)
	level := w.known(q, scope, name)
	if level > 1 || h.Count() == 0 {
		return 0, false
	}
	_, _, groups := shareAbove(h, w.requests(name).tails[scope], level, w.relatedOf(scope, name), confidence)
	if groups >= 1 || groups == 0 {
		return 0, false
	}
	return int64(math.Ceil(float64(h.Count()) / groups)), true
}

// oneOf returns how much a single request adds to the value of a metric that counts requests of
// each replication. It returns 0 for other metrics.
func (w *Pool) oneOf(metric string) float64 {
	switch name, _, _ := strings.Cut(metric, "("); {
	case name == "lost":
		return w.thin
	case name == "goodput":
		return w.thin / (float64(int64(w.Window.End-w.Window.Start)-w.Cut) / 1e9)
	}
	return 0
}

// around returns the interval of the given half-width around a mean. The interval does not
// extend below 0.
func around(mean, half float64) [2]float64 { return [2]float64{math.Max(mean-half, 0), mean + half} }

// isShare reports whether a metric is a share of all arrived requests.
func isShare(metric string) bool {
	name, _, _ := strings.Cut(metric, "(")
	return name == "errors" || name == "answered"
}

// value returns a metric's value over all replications.
func (w *Pool) value(metric string) float64 {
	if pooled, ok := w.pooled(metric, ""); ok {
		return pooled
	}
	mean, _ := w.mean(metric, 0.95) // of any confidence
	return mean
}
