package linear

import (
	"math"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// decomposed is a matrix as the product of a lower and an upper one, in one matrix, whose rows are
// those of the original in another order.
type decomposed[T number] struct {
	matrix[T]
	order []int
	odd   bool // odd is set if an odd number of pairs of rows were exchanged
}

// decompose takes the largest element of each column as its pivot (Eigen's PartialPivLU).
func decompose[T number](m matrix[T]) decomposed[T] {
	d := decomposed[T]{matrix: m.copied(), order: make([]int, m.rows)}
	for i := range d.order {
		d.order[i] = i
	}
	for k := range d.rows {
		pivot := k
		for i := k + 1; i < d.rows; i++ {
			if size(*d.at(i, k)) > size(*d.at(pivot, k)) {
				pivot = i
			}
		}
		if pivot != k {
			d.exchange(k, pivot)
		}
		own := d.row(k)
		for i := k + 1; i < d.rows; i++ {
			row := d.row(i)
			if own[k] != 0 {
				row[k] /= own[k]
			}
			subtract(row[k+1:], row[k], own[k+1:])
		}
	}
	return d
}

func (d *decomposed[T]) exchange(a, b int) {
	x, y := d.row(a), d.row(b)
	for j := range x {
		x[j], y[j] = y[j], x[j]
	}
	d.order[a], d.order[b] = d.order[b], d.order[a]
	d.odd = !d.odd
}

// singular reports whether any pivot is zero, or no number.
func (d decomposed[T]) singular() bool {
	for k := range d.rows {
		if !(size(*d.at(k, k)) > 0) {
			return true
		}
	}
	return false
}

// solve puts the solution for right sides into out.
func (d decomposed[T]) solve(right, out matrix[T]) {
	for i, from := range d.order {
		copy(out.row(i), right.row(from))
	}
	for i := range d.rows {
		for k := range i {
			subtract(out.row(i), *d.at(i, k), out.row(k))
		}
	}
	upper(d.matrix, out)
}

func inverse[T number](c *ops.Call, in, out []matrix[T]) error {
	return solved(c, in[0], identity[T](in[0].rows), out[0], "Input is not invertible.")
}

func solve[T number](c *ops.Call, in, out []matrix[T]) error {
	return solved(c, in[0], in[1], out[0], "Input matrix is not invertible.")
}

func solved[T number](c *ops.Call, m, right, out matrix[T], singular string) error {
	if m.empty() || right.empty() {
		return nil
	}
	if c.Flag("adjoint") {
		m = m.adjoint()
	}
	d := decompose(m)
	if d.singular() {
		return ops.Invalidf("%s", singular)
	}
	d.solve(right, out)
	return nil
}

func identity[T number](n int) matrix[T] {
	m := zeros[T](n, n)
	for i := range n {
		*m.at(i, i) = of[T](1)
	}
	return m
}

// logSize returns the sign of a matrix's determinant, and the logarithm of its size.
func logSize[T number](m matrix[T]) (sign T, log float64) {
	d := decompose(m)
	sign = of[T](1)
	if d.odd {
		sign = of[T](-1)
	}
	for k := range d.rows {
		log = rounded[T](log + rounded[T](math.Log(size(*d.at(k, k)))))
		sign *= signOf(*d.at(k, k))
	}
	return sign, log
}

// signOf returns the direction of a number, which is of size 1, or 0.
func signOf[T number](x T) T {
	w := wide(x)
	if aside := imag(w); aside != 0 {
		return narrow[T](w / complex(size(x), 0))
	}
	switch along := real(w); {
	case along > 0:
		return of[T](1)
	case along < 0:
		return of[T](-1)
	}
	return x // 0, or no number
}

func logDeterminant[T number](_ *ops.Call, in, out []matrix[T]) error {
	sign, log := logSize(in[0])
	out[0].list[0], out[1].list[0] = sign, of[T](log)
	return nil
}

func determinant[T number](_ *ops.Call, in, out []matrix[T]) error {
	sign, log := logSize(in[0])
	out[0].list[0] = sign * of[T](math.Exp(log))
	return nil
}

// lu returns the decomposition and the order of the rows (core/kernels/linalg/lu_op.cc).
func lu(c *ops.Call) ([]ops.Value, error) {
	if rank := c.In[0].Rank(); rank < 2 {
		return nil, ops.Invalidf("Input tensor must have rank >= 2, got %d", rank)
	}
	shapes := func(_ *ops.Call, sizes [][]int) ([][]int, error) { return [][]int{sizes[0], sizes[0][:1]}, nil }
	out, err := each(square, shapes, forms{luOf[float32], luOf[float64], luOf[complex64], luOf[complex128]})(c)
	if err != nil {
		return nil, err
	}
	order, _ := out[1].Cast(value.Float64)
	list := make([]int64, order.Len())
	for i, x := range order.F() {
		list[i] = int64(x)
	}
	out[1] = value.Ints(c.TypeOf("output_idx_type"), order.Shape(), list)
	return out, nil
}

func luOf[T number](_ *ops.Call, in, out []matrix[T]) error {
	d := decompose(in[0])
	if d.singular() {
		return ops.Invalidf("Input is not invertible.")
	}
	copy(out[0].list, d.list)
	for i, from := range d.order {
		out[1].list[i] = of[T](float64(from))
	}
	return nil
}
