package linear

import (
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// leastSquares solves the normal equations, as the runtime does where it is to be fast
// (core/kernels/linalg/matrix_solve_ls_op_impl.h).
func leastSquares[T number](c *ops.Call, in, out []matrix[T]) error {
	m, right := in[0], in[1]
	if c.In[2].Rank() != 0 {
		return ops.Invalidf("l2_regularizer must be scalar, got shape %s", value.ShapeText(c.In[2].Shape()))
	}
	weight := c.In[2].F()[0]
	switch {
	case weight < 0:
		return ops.Invalidf("l2_regularizer must be >= 0.")
	case m.empty() || right.empty():
		return nil
	case !c.Flag("fast"):
		return c.Unsupported("fast = false")
	}
	turned := m.adjoint()
	if m.rows >= m.columns {
		x := product(turned, right)
		copy(out[0].list, x.list)
		return normal(product(turned, m), weight, out[0], "a larger l2_regularizer > 0.")
	}
	x := right.copied()
	if err := normal(product(m, turned), weight, x, "an l2_regularizer > 0."); err != nil {
		return err
	}
	copy(out[0].list, product(turned, x).list)
	return nil
}

// normal solves a positive definite system in place.
func normal[T number](m matrix[T], weight float64, x matrix[T], way string) error {
	for i := range m.rows {
		*m.at(i, i) += of[T](weight)
	}
	l, ok := factor(m)
	if !ok {
		return ops.Invalidf("Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide %s", way)
	}
	lower(l, x)
	upper(l.adjoint(), x)
	return nil
}
