package judge

import (
	"math"
	"math/bits"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// tail is a coarse histogram of the latencies of one replication, small enough to be kept for every
// replication. It has 32 bins, called parts, for each doubling of latency.
type tail struct {
	first int     // part of counts[0]
	count []int32 // number of latencies in each part
	all   int64
}

// partOf returns the part (bin) of a tail into which a latency of ns nanoseconds falls.
func partOf(ns int64) int {
	const fine = 5 // binary digits
	v := uint64(max(ns, 1)) << fine
	top := bits.Len64(v) - 1
	return top<<fine | int(v>>(top-fine))&(1<<fine-1)
}

func tailOf(h model.Hist) tail {
	var t tail
	before := int64(0)
	h.CDF(func(ns, count int64) {
		t.add(ns, count-before)
		before = count
	})
	return t
}

// add adds latencies of ns nanoseconds each. count is their number.
func (t *tail) add(ns, count int64) {
	part := partOf(ns)
	if len(t.count) == 0 {
		t.first = part
	}
	if part < t.first {
		t.count = slices.Concat(make([]int32, t.first-part), t.count)
		t.first = part
	}
	for len(t.count) <= part-t.first {
		t.count = append(t.count, 0)
	}
	t.count[part-t.first] += int32(count)
	t.all += count
}

// above returns how many latencies lie above a part, and how many lie within it.
func (t *tail) above(part int) (above, within int64) {
	for k, n := range t.count {
		switch at := t.first + k; {
		case at > part:
			above += int64(n)
		case at == part:
			within = int64(n)
		}
	}
	return above, within
}

// quantileBounds returns the confidence interval of a quantile over the observations of all
// replications. It computes the confidence interval of the share of observations that exceed the
// quantile. For each end of that interval it returns the latency that this share of all
// observations exceeds, rounded outwards to what the histogram can tell apart. related is how many
// observations are long together, because the same cause delays them.
func quantileBounds(h model.Hist, parts []tail, q, related, confidence float64) (low, high float64) {
	least, most, _ := shareAbove(h, parts, q, related, confidence)
	return float64(h.Least(1 - most)), float64(h.Quantile(1 - least))
}

// shareAbove returns the confidence interval of the share of observations that exceed the
// q-quantile of all observations. It depends on how much that share varies between replications,
// and on how many observations are long together (related). groups is the number of independent
// observations that count as much as those beyond the quantile.
func shareAbove(h model.Hist, parts []tail, q, related, confidence float64) (least, most, groups float64) {
	r := relatedAbove(h, parts, q, related)
	_, least, most, groups = r.Share(r.N, above(h, parts, q), confidence)
	return least, most, groups
}

// relatedAbove returns how strongly the latencies beyond the q-quantile depend on each other. For
// comparison it counts the latencies beyond the lower quantiles that 2, 4 and 8 times as many exceed.
func relatedAbove(h model.Hist, parts []tail, q, floor float64) *stats.Related {
	r := &stats.Related{Floor: floor}
	for i := range parts {
		r.N = append(r.N, parts[i].all)
	}
	for _, times := range []float64{2, 4, 8} {
		if share := times * (1 - q); share > 0 && share <= 0.5 {
			r.More = append(r.More, above(h, parts, 1-share))
		}
	}
	return r
}

// relatedBeyond does what relatedAbove does for the answered requests of a scope, beyond the latency
// that the share p of them exceeds.
func (w *Pool) relatedBeyond(scope, name string, p float64) *stats.Related {
	h, parts := w.hist(scope, name), w.requests(name).tails[scope]
	floor := w.relatedOf(scope, name)
	if h.Count() == 0 || p <= 0 || p >= 1 {
		return &stats.Related{Floor: floor}
	}
	r := relatedAbove(h, parts, 1-p, floor)
	r.More = slices.Insert(r.More, 0, above(h, parts, 1-p))
	return r
}

// inflationOfPass returns the variance inflation factor for judging the claim that at most the share
// p of requests is bad. It is the factor of the bad requests, and at least that of the slowest share
// p of all: the claim is wrong only if so many are bad, so a factor seen on fewer may be too small.
func inflationOfPass(r *stats.Related, n, bad []int64, p, confidence float64) float64 {
	expected, oneSided := p*float64(sum(n)), 2*confidence-1
	factor := r.Inflation(n, lists.Map(bad, func(n int64) float64 { return float64(n) }), expected, oneSided)
	if len(r.More) > 0 {
		factor = math.Max(factor, r.Inflation(r.N, r.More[0], expected, oneSided))
	}
	return factor
}

// above returns, for each replication, how many of its latencies exceed the q-quantile of all
// replications. Within the quantile's part (bin), the latencies of each replication are taken to be
// spread like those of all replications together.
func above(h model.Hist, parts []tail, q float64) []float64 {
	part := partOf(h.Quantile(q))
	over, within, all := int64(0), int64(0), int64(0)
	x, in := make([]float64, len(parts)), make([]int64, len(parts))
	for i := range parts {
		above, one := parts[i].above(part)
		x[i], in[i] = float64(above), one
		over, within, all = over+above, within+one, all+parts[i].all
	}
	if within > 0 {
		beyond := (float64(all)*(1-q) - float64(over)) / float64(within)
		for i := range x {
			x[i] += float64(beyond * float64(in[i]))
		}
	}
	return x
}
