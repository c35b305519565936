package linear

import (
	"math"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
)

// factor returns the lower triangular matrix whose product with its adjoint is a matrix, of which only
// the lower triangle is looked at; false if the matrix is not positive definite (Eigen's LLT).
func factor[T number](m matrix[T]) (matrix[T], bool) {
	out := zeros[T](m.rows, m.rows)
	for k := range m.rows {
		own := out.row(k)
		x := of[T](re(*m.at(k, k)))
		var sum T
		for _, y := range own[:k] {
			sum += y * conj(y)
		}
		if x -= sum; re(x) <= 0 {
			return out, false
		}
		x = of[T](math.Sqrt(re(x)))
		own[k] = x
		for i := k + 1; i < m.rows; i++ {
			row := out.row(i)
			row[k] = *m.at(i, k)
			for j, y := range own[:k] {
				row[k] -= row[j] * conj(y)
			}
			row[k] /= x
		}
	}
	return out, true
}

// cholesky fills the lower triangle with what is no number if there is no factor (core/kernels/linalg/cholesky_op.cc).
func cholesky[T number](_ *ops.Call, in, out []matrix[T]) error {
	made, ok := factor(in[0])
	for i := range made.rows {
		for j := range i + 1 {
			if *out[0].at(i, j) = *made.at(i, j); !ok {
				*out[0].at(i, j) = of[T](math.NaN())
			}
		}
	}
	return nil
}
