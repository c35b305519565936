package linear

import (
	"math/cmplx"
	"slices"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// leastSquares solves the normal equations where it is to be fast, as the runtime does
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
		shape := []int{m.columns, m.rows + m.columns}
		if _, err := c.Room(framework.DataType_DT_COMPLEX128, shape); err != nil {
			return err
		}
		if err := c.Work(m.columns*m.columns*(m.rows+m.columns)*steps, framework.DataType_DT_COMPLEX128, shape); err != nil {
			return err
		}
		shortest(m, right, out[0])
		return nil
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

// shortest finds the shortest of the solutions that are closest to the right sides, also where columns of
// the matrix depend on each other (Eigen's CompleteOrthogonalDecomposition).
func shortest[T number](m, right, out matrix[T]) {
	lines := make([][]complex128, m.columns) // each a column of the matrix, and then one of what turns them
	for j := range lines {
		lines[j] = make([]complex128, m.rows+m.columns)
		for i := range m.rows {
			lines[j][i] = wide(*m.at(i, j))
		}
		lines[j][m.rows+j] = 1
	}
	lengths := orthogonal(lines, m.rows)
	digits := precision[float64]()
	if isShort[T]() {
		digits = float64(precision[float32]())
	}
	least := slices.Max(lengths) / digits * float64(min(m.rows, m.columns))
	sums := make([]complex128, len(out.list))
	for j, line := range lines {
		if lengths[j] <= least {
			continue
		}
		for k := range right.columns {
			var along complex128
			for i := range right.rows {
				along += cmplx.Conj(line[i]) * wide(*right.at(i, k))
			}
			along /= complex(lengths[j]*lengths[j], 0)
			for i, x := range line[m.rows:] {
				sums[i*out.columns+k] += x * along
			}
		}
	}
	for i, x := range sums {
		out.list[i] = narrow[T](x)
	}
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
