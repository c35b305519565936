package judge

import (
	"math/bits"
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// tail is a coarse histogram of the latencies of one replication, small enough to be kept for every
// replication. It has 32 bins, called parts, for each doubling of latency.
type tail struct {
	first int     // part of counts[0]
	count []int32 // by part
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
// observations exceeds, rounded outwards to what the histogram can tell apart.
func quantileBounds(h model.Hist, parts []tail, q, confidence float64) (low, high float64) {
	least, most := shareAbove(h, parts, q, confidence)
	return float64(h.Least(1 - most)), float64(h.Quantile(1 - least))
}

// shareAbove returns the confidence interval of the share of observations that exceed the
// q-quantile of all observations. It follows from how much that share varies between replications.
func shareAbove(h model.Hist, parts []tail, q, confidence float64) (least, most float64) {
	at := h.Quantile(q)
	part := partOf(at)
	// Within the quantile's part (bin), the latencies of each replication are assumed to be spread
	// like those of all replications together.
	all := tailOf(h)
	over, within := all.above(part)
	beyond := 0.0
	if within > 0 {
		beyond = (float64(all.all)*(1-q) - float64(over)) / float64(within)
	}
	n, x := make([]int64, len(parts)), make([]float64, len(parts))
	for i := range parts {
		above, within := parts[i].above(part)
		n[i], x[i] = parts[i].all, float64(above)+float64(beyond*float64(within))
	}
	_, least, most = stats.Share(n, x, confidence)
	return least, most
}
