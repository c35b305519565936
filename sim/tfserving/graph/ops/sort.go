package ops

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// sortOps returns the operations that find the largest elements or equal elements.
func sortOps() map[string]Kernel {
	return map[string]Kernel{"ArgMax": Of(strictScalar(1, dimText), argBest), "ArgMin": Of(strictScalar(1, dimText), argBest), "TopK": topK, "TopKV2": topK,
		"ListDiff": listDiff, "InTopK": inTopK, "InTopKV2": inTopK,
		"Unique": unique, "UniqueV2": unique, "UniqueWithCounts": unique, "UniqueWithCountsV2": unique}
}

const dimText = "dim must be a scalar, but received tensor of shape: "

// lessThan returns a function that compares two elements of v by index; nil if the dtype has no
// order.
func lessThan(v Value) func(i, j int) bool {
	switch {
	case v.F() != nil:
		return func(i, j int) bool { return v.F()[i] < v.F()[j] }
	case v.DType() == value.UInt64:
		return func(i, j int) bool { return uint64(v.I()[i]) < uint64(v.I()[j]) }
	case v.I() != nil:
		return func(i, j int) bool { return v.I()[i] < v.I()[j] }
	case v.B() != nil:
		return func(i, j int) bool { return !v.B()[i] && v.B()[j] }
	}
	return nil
}

func argBest(c *Call, asked int) ([]Value, error) {
	v := c.In[0]
	axis, ok := AxisOf(asked, v.Rank())
	if !ok {
		return nil, Invalidf("Expected dimension in the range [%d, %d), but got %d", -v.Rank(), v.Rank(), asked)
	}
	size := v.Shape()[axis]
	if size == 0 {
		return nil, Invalidf("Reduction axis %d is empty in shape %s", axis, value.ShapeText(v.Shape()))
	}
	less := lessThan(v)
	if less == nil {
		return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
	}
	shape := slices.Delete(slices.Clone(v.Shape()), axis, axis+1)
	step := value.Strides(v.Shape())[axis]
	out := []int64{}
	for first := range v.Len() {
		if first/step%size != 0 {
			continue
		}
		best, from := 0, 1
		for from < size && v.F() != nil && math.IsNaN(v.F()[first+best*step]) { // NaN never wins
			best, from = from, from+1
		}
		if v.F() != nil && math.IsNaN(v.F()[first+best*step]) {
			best = 0
		}
		for k := from; k < size; k++ {
			if a, b := first+best*step, first+k*step; c.Op == "ArgMax" && less(a, b) || c.Op == "ArgMin" && less(b, a) {
				best = k
			}
		}
		out = append(out, int64(best))
	}
	return One(value.Ints(cmp.Or(c.TypeOf("output_type"), value.Int64), shape, out))
}

func topK(c *Call) ([]Value, error) {
	k := c.Number("k")
	if len(c.In) > 1 {
		var err error
		if k, err = c.Scalar(1, "k must be scalar, got shape "); err != nil {
			return nil, err
		}
	}
	v := c.In[0]
	switch {
	case k < 0:
		return nil, Invalidf("Need k >= 0, got %d", k)
	case v.Rank() < 1:
		return nil, Invalidf("input must be >= 1-D, got shape %s", value.ShapeText(v.Shape()))
	case v.Shape()[v.Rank()-1] < k:
		return nil, Invalidf("input must have at least k columns. Had %d, needed %d", v.Shape()[v.Rank()-1], k)
	}
	less := lessThan(v)
	if less == nil {
		return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
	}
	columns := v.Shape()[v.Rank()-1]
	shape := append(slices.Clone(v.Shape()[:v.Rank()-1]), k)
	places, indices := []int{}, []int64{}
	for start := 0; columns > 0 && start < v.Len(); start += columns {
		order := make([]int, columns)
		for i := range order {
			order[i] = start + i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			switch {
			case less(j, i):
				return -1
			case less(i, j):
				return 1
			}
			return 0
		})
		for _, at := range order[:k] {
			places, indices = append(places, at), append(indices, int64(at-start))
		}
	}
	return []Value{v.Pick(shape, places), value.Ints(cmp.Or(c.TypeOf("index_type"), value.Int32), shape, indices)}, nil
}

func unique(c *Call) ([]Value, error) {
	v := c.In[0]
	axis, err := c.uniqueAxis()
	if err != nil {
		return nil, err
	}
	if v.Rank() != 1 {
		return c.uniqueSlices(axis)
	}
	dtype := cmp.Or(c.TypeOf("out_idx"), value.Int32)
	var places []int
	var which []int64
	switch {
	case v.F() != nil:
		places, which = distinct(v.F())
	case v.I() != nil:
		places, which = distinct(v.I())
	case v.S() != nil:
		places, which = distinct(v.S())
	case v.B() != nil:
		places, which = distinct(v.B())
	default:
		return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
	}
	return c.counted(v.Pick([]int{len(places)}, places), dtype, len(places), which), nil
}

// counted returns the distinct values, which of them each is, and how many are of each if the operation
// counts them.
func (c *Call) counted(kept Value, dtype DType, n int, which []int64) []Value {
	out := []Value{kept, value.Ints(dtype, []int{len(which)}, which)}
	if strings.HasPrefix(c.Op, "UniqueWithCounts") {
		counts := make([]int64, n)
		for _, at := range which {
			counts[at]++
		}
		out = append(out, value.Ints(dtype, []int{n}, counts))
	}
	return out
}

// uniqueAxis returns the dimension along which slices are compared.
func (c *Call) uniqueAxis() (int, error) {
	v := c.In[0]
	if len(c.In) > 1 {
		if c.In[1].Rank() != 1 {
			return 0, Invalidf("axis expects a 1D vector.")
		}
		axes, err := c.Ints(1)
		if err != nil {
			return 0, err
		}
		if len(axes) > 1 {
			return 0, Invalidf("axis does not support input tensors larger than 1 elements")
		}
		if len(axes) == 1 {
			axis, ok := AxisOf(axes[0], v.Rank())
			if !ok {
				return 0, Invalidf("axis has to be between [0, %d)", v.Rank())
			}
			return axis, nil
		}
	}
	if v.Rank() != 1 {
		return 0, Invalidf("unique expects a 1D vector.")
	}
	return 0, nil
}

// uniqueSlices finds equal slices along a dimension.
func (c *Call) uniqueSlices(axis int) ([]Value, error) {
	v, dtype := c.In[0], cmp.Or(c.TypeOf("out_idx"), value.Int32)
	step, size := value.Strides(v.Shape())[axis], v.Shape()[axis]
	if v.Len() > 0 && keyAt(v, 0) == nil {
		return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
	}
	texts := make([]string, size)
	for i := range v.Len() {
		at := i / step % size
		texts[at] += fmt.Sprintf("%q", elementText(v, i))
	}
	kept, which := distinct(texts)
	shape := slices.Clone(v.Shape())
	shape[axis] = len(kept)
	places, err := c.around(v, shape, func(d, at int) int {
		if d == axis {
			return kept[at]
		}
		return at
	})
	if err != nil {
		return nil, err
	}
	return c.counted(v.Pick(shape, places), dtype, len(kept), which), nil
}

// distinct finds the different values in list. The result places holds the index at which each
// value first occurs. The result which holds, for each element of list, the number of its value in
// places.
func distinct[T comparable](list []T) (places []int, which []int64) {
	seen := map[T]int64{}
	which = make([]int64, len(list))
	for i, x := range list {
		at, ok := seen[x]
		if !ok {
			at = int64(len(places))
			seen[x] = at
			places = append(places, i)
		}
		which[i] = at
	}
	return places, which
}

// listDiff returns the elements of the first input that the second lacks, and where they are.
func listDiff(c *Call) ([]Value, error) {
	for i, name := range []string{"x", "y"} {
		if c.In[i].Rank() != 1 {
			return nil, Invalidf("%s should be a 1D vector.", name)
		}
	}
	x, y := c.In[0], c.In[1]
	if x.Len() > 0 && keyAt(x, 0) == nil {
		return nil, c.Unsupported("%s", tensor.DTypeName(x.DType()))
	}
	known := map[any]bool{}
	for i := range y.Len() {
		known[keyAt(y, i)] = true
	}
	var places []int
	for i := range x.Len() {
		if !known[keyAt(x, i)] {
			places = append(places, i)
		}
	}
	return []Value{x.Pick([]int{len(places)}, places), value.Sizes(cmp.Or(c.TypeOf("out_idx"), value.Int32), places)}, nil
}

// inTopK reports for each row whether the prediction of its target is among the k highest. It
// reports false if the target does not exist, or if a prediction of the row is not finite
// (core/kernels/in_topk_op.h).
func inTopK(c *Call) ([]Value, error) {
	scores, targets := c.In[0], c.In[1]
	k := c.Number("k")
	if c.Op == "InTopKV2" {
		var err error
		if k, err = c.Scalar(2, "k must be 0-D, got shape "); err != nil {
			return nil, err
		}
	}
	switch {
	case scores.Rank() != 2:
		return nil, Invalidf("predictions must be 2-dimensional")
	case targets.Rank() != 1:
		return nil, Invalidf("targets must be 1-dimensional")
	case scores.Shape()[0] != targets.Len():
		return nil, Invalidf("First dimension of predictions %d must match length of targets %d", scores.Shape()[0], targets.Len())
	}
	out, columns := make([]bool, targets.Len()), scores.Shape()[1]
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for row, target := range targets.I() {
		if target < 0 || target >= int64(columns) {
			continue
		}
		list, better := scores.F()[row*columns:][:columns], 0
		out[row] = finite(list[target])
		for _, x := range list {
			if better > k {
				break
			}
			if !finite(x) {
				out[row] = false
				break
			}
			if x > list[target] {
				better++
			}
		}
		out[row] = out[row] && better < k
	}
	return One(value.Bools([]int{len(out)}, out))
}
