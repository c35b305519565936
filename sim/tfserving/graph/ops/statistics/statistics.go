package statistics

import (
	"math"
	"slices"
	"strconv"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/special"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// betainc computes the incomplete beta function of tensors of one shape, or numbers that count for
// every element (core/kernels/betainc_op.cc).
func betainc(c *ops.Call) ([]ops.Value, error) {
	shape := []int{}
	for _, v := range c.In {
		if v.Rank() > 0 {
			shape = v.Shape()
			break
		}
	}
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		a, b := c.In[pair[0]].Shape(), c.In[pair[1]].Shape()
		if len(a) > 0 && len(b) > 0 && !slices.Equal(a, b) {
			return nil, ops.Invalidf("Shapes of %c and %c are inconsistent: %s vs. %s", "abx"[pair[0]], "abx"[pair[1]], value.ShapeText(a), value.ShapeText(b))
		}
	}
	n, err := c.Room(c.In[0].DType(), shape)
	if err != nil {
		return nil, err
	}
	out := make([]float64, n)
	var at [3]value.Index
	for k, v := range c.In {
		at[k] = value.BroadcastIndex(v.Shape(), shape)
	}
	for i := range out {
		out[i] = special.Betainc(c.In[0].F()[at[0].At(i)], c.In[1].F()[at[1].At(i)], c.In[2].F()[at[2].At(i)])
	}
	return ops.One(value.Floats(c.In[0].DType(), shape, out))
}

// histogram counts values in bins of equal width (core/kernels/histogram_op.cc). What lies outside
// of the range counts in the first or the last bin.
func histogram(c *ops.Call) ([]ops.Value, error) {
	values, ends, bins := c.In[0], c.In[1], c.In[2]
	switch {
	case ends.Rank() != 1:
		return nil, ops.Invalidf("value_range should be a vector.")
	case ends.Len() != 2:
		return nil, ops.Invalidf("value_range should be a vector of 2 elements.")
	case bins.Rank() != 0:
		return nil, ops.Invalidf("nbins should be a scalar.")
	}
	wide, ok := values.Cast(value.Float64)
	limits, _ := ends.Cast(value.Float64)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(values.DType()))
	}
	low, high := limits.F()[0], limits.F()[1]
	if !(low < high) {
		return nil, ops.Invalidf("value_range should satisfy value_range[0] < value_range[1], but got '[%s, %s]'", numberText(low), numberText(high))
	}
	n := int(bins.I()[0])
	if n <= 0 {
		return nil, ops.Invalidf("nbins should be a positive number, but got '%d'", n)
	}
	if slices.ContainsFunc(wide.F(), math.IsNaN) {
		return nil, ops.Invalidf("Histogram values must not contain NaN")
	}
	dtype := c.TypeOf("dtype")
	if _, err := c.Room(dtype, []int{n}); err != nil {
		return nil, err
	}
	counts, step := make([]int64, n), (high-low)/float64(n)
	for _, x := range wide.F() {
		counts[int(min(max(math.Floor((x-low)/step), 0), float64(n-1)))]++
	}
	return ops.One(value.Ints(dtype, []int{n}, counts))
}

func numberText(x float64) string {
	if math.IsNaN(x) {
		return "nan"
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// nth returns the n-th smallest element of each row (core/kernels/nth_element_op.cc).
func nth(c *ops.Call) ([]ops.Value, error) {
	v := c.In[0]
	if rank := c.In[1].Rank(); rank != 0 {
		return nil, ops.Invalidf("N must be scalar but has rank %d", rank)
	}
	n, err := c.Int(1)
	switch {
	case err != nil:
		return nil, err
	case n < 0:
		return nil, ops.Invalidf("n must be non-negative but is %d", n)
	case v.Rank() < 1:
		return nil, ops.Invalidf("Input must be at least rank 1 but is rank 0")
	}
	width := v.Shape()[v.Rank()-1]
	if n >= width {
		return nil, ops.Invalidf("Input must have last dimension > n = %d", n)
	}
	if c.Flag("reverse") {
		n = width - 1 - n
	}
	wide, ok := v.Cast(value.Float64)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
	}
	if err := c.Work(v.Len(), v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	shape := v.Shape()[:v.Rank()-1]
	var places []int
	for start := 0; start < v.Len(); start += width {
		order := make([]int, width)
		for i := range order {
			order[i] = start + i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch x, y := wide.F()[a], wide.F()[b]; {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		places = append(places, order[n])
	}
	return ops.One(v.Pick(shape, places))
}
