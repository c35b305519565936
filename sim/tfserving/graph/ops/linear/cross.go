package linear

import (
	"slices"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// cross returns the products of vectors in space (core/kernels/cross_op.cc).
func cross(c *ops.Call) ([]ops.Value, error) {
	a, b := c.In[0], c.In[1]
	shape := a.Shape()
	switch {
	case !slices.Equal(shape, b.Shape()):
		return nil, ops.Invalidf("Both inputs must be of same shape: %s vs. %s", value.ShapeText(shape), value.ShapeText(b.Shape()))
	case len(shape) == 0:
		return nil, ops.Invalidf("Input must be at least 1D%s", value.ShapeText(shape))
	case shape[len(shape)-1] != 3:
		return nil, ops.Statusf(rpcerrors.FailedPrecondition, "Cross-products are only defined for 3-element vectors.")
	}
	if _, err := c.Room(a.DType(), shape); err != nil {
		return nil, err
	}
	switch {
	case a.F() != nil:
		round := func(x float64) float64 { return value.Floats(a.DType(), nil, []float64{x}).F()[0] }
		return ops.One(value.Floats(a.DType(), shape, crossed(a.F(), b.F(), round)))
	case a.I() != nil:
		return ops.One(value.Ints(a.DType(), shape, crossed(a.I(), b.I(), func(x int64) int64 { return x })))
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(a.DType()))
}

func crossed[T float64 | int64](a, b []T, round func(T) T) []T {
	out := make([]T, len(a))
	for i := range out {
		first := i - i%3
		next, after := first+(i+1)%3, first+(i+2)%3
		if i%3 == 1 { // in which order the remainders of the sum are does not matter, that they are of this vector does
			next, after = first+2, first
		}
		out[i] = round(a[next]*b[after]) - round(a[after]*b[next])
	}
	return out
}
