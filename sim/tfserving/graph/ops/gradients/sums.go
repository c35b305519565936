package gradients

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// broadcastArgs returns for each of two shapes over which dimensions its gradient is summed.
func broadcastArgs(c *ops.Call) ([]ops.Value, error) {
	var shapes [2][]int
	for i := range shapes {
		if c.In[i].Rank() != 1 {
			return nil, ops.Invalidf("In[%d] must be a vector.%s", i, value.ShapeText(c.In[i].Shape()))
		}
		var err error
		if shapes[i], err = c.Ints(i); err != nil {
			return nil, err
		}
	}
	a, b := shapes[0], shapes[1]
	if _, ok := value.Broadcast(a, b); !ok {
		return nil, ops.Invalidf("Incompatible shapes: %s vs. %s", value.ShapeText(a), value.ShapeText(b))
	}
	var summed [2][]int
	rank := max(len(a), len(b))
	a, b = widened(a, rank), widened(b, rank)
	for d := range rank {
		if slices.Equal(shapes[0], shapes[1]) {
			break // even over what has the size 1
		}
		if a[d] == 1 {
			summed[0] = append(summed[0], d)
		}
		if b[d] == 1 {
			summed[1] = append(summed[1], d)
		}
	}
	dtype := c.In[0].DType()
	return []ops.Value{value.Sizes(dtype, summed[0]), value.Sizes(dtype, summed[1])}, nil
}

func widened(shape []int, rank int) []int {
	return append(slices.Repeat([]int{1}, rank-len(shape)), shape...)
}

// biasAdd sums over all dimensions but that of the channels.
func biasAdd(c *ops.Call) ([]ops.Value, error) {
	v := c.In[0]
	if v.Rank() < 2 {
		return nil, ops.Invalidf("Input tensor must be at least 2D: %s", value.ShapeText(v.Shape()))
	}
	axis := v.Rank() - 1
	if c.Text("data_format") == "NCHW" {
		axis = 1
	}
	size, step := v.Shape()[axis], value.Strides(v.Shape())[axis]
	n, err := c.Room(v.DType(), []int{size})
	if err != nil {
		return nil, err
	}
	switch shape := []int{size}; {
	case v.F() != nil:
		return ops.One(value.Floats(v.DType(), shape, summedAt(v.F(), n, step)))
	case v.I() != nil:
		return ops.One(value.Ints(v.DType(), shape, summedAt(v.I(), n, step)))
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
}

func summedAt[T float64 | int64](list []T, n, step int) []T {
	sums := make([]T, n)
	for i, x := range list {
		sums[i/step%n] += x
	}
	return sums
}
