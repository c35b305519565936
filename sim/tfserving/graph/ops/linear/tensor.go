package linear

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// tensorDiagonal puts all elements on the diagonal of a tensor of twice the rank (core/kernels/diag_op.cc).
func tensorDiagonal(c *ops.Call) ([]ops.Value, error) {
	v := c.In[0]
	if v.Rank() == 0 {
		return nil, ops.Invalidf("Input must be at least rank 1, got 0")
	}
	shape := slices.Concat(v.Shape(), v.Shape())
	n, err := c.Room(v.DType(), shape)
	if err != nil {
		return nil, err
	}
	places := slices.Repeat([]int{-1}, n)
	for i := range v.Len() {
		places[i*v.Len()+i] = i
	}
	return ops.One(v.Pick(shape, places))
}

func tensorDiagonalPart(c *ops.Call) ([]ops.Value, error) {
	v := c.In[0]
	half := v.Rank() / 2
	if v.Rank()%2 != 0 {
		return nil, ops.Invalidf("The rank of the tensor should be                                          even and positive, got shape %s", value.ShapeText(v.Shape()))
	}
	shape := v.Shape()[:half]
	for d, n := range shape {
		if n != v.Shape()[half+d] {
			return nil, ops.Invalidf("Invalid shape %s: dimensions %d and %d do not match.", value.ShapeText(v.Shape()), d, half+d)
		}
	}
	n, _ := value.Count(shape)
	places := make([]int, n)
	for i := range places {
		places[i] = i*n + i
	}
	return ops.One(v.Pick(shape, places))
}
