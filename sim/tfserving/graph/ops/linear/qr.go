package linear

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// reflection is I - tau*v*v', where v begins at a row with 1 and goes on with rest (Eigen's
// makeHouseholder).
type reflection[T number] struct {
	row  int
	rest []T
	tau  T
}

// reflect returns the reflection that makes all but the first element of a column zero, and that
// element.
func reflect[T number, R realNumber](row int, column []T) (reflection[T], R) {
	var tail R
	for _, x := range column[1:] {
		tail += squared[T, R](x)
	}
	first := column[0]
	h := reflection[T]{row: row, rest: make([]T, len(column)-1)}
	if aside := R(imag(wide(first))); tail <= least[R]() && aside*aside <= least[R]() {
		return h, R(re(first))
	}
	beta := root(squared[T, R](first) + tail)
	if re(first) >= 0 {
		beta = -beta
	}
	b := of[T](float64(beta))
	for i, x := range column[1:] {
		h.rest[i] = x / (first - b)
	}
	h.tau = conj((b - first) / b)
	return h, beta
}

// apply multiplies columns of a matrix by the reflection from the left, with tau or its conjugate.
func (h reflection[T]) apply(m matrix[T], from int, tau T) {
	if tau == 0 {
		return
	}
	first := m.row(h.row)
	for j := from; j < m.columns; j++ {
		sum := first[j]
		for i, x := range h.rest {
			sum += conj(x) * *m.at(h.row+1+i, j)
		}
		first[j] -= tau * sum
		for i, x := range h.rest {
			*m.at(h.row+1+i, j) -= tau * x * sum
		}
	}
}

// unwind returns the product of reflections, of which the last is applied first.
func unwind[T number](list []reflection[T], m matrix[T]) {
	for k := len(list) - 1; k >= 0; k-- {
		list[k].apply(m, 0, conj(list[k].tau))
	}
}

func (m matrix[T]) column(j, from int) []T {
	out := make([]T, 0, m.rows-from)
	for i := from; i < m.rows; i++ {
		out = append(out, *m.at(i, j))
	}
	return out
}

// qr returns a matrix as the product of a unitary and an upper triangular one (Eigen's HouseholderQR).
func qr[T number, R realNumber](_ *ops.Call, in, out []matrix[T]) error {
	m := in[0].copied()
	var list []reflection[T]
	for k := range min(m.rows, m.columns) {
		h, beta := reflect[T, R](k, m.column(k, k))
		h.apply(m, k+1, h.tau)
		*m.at(k, k) = of[T](float64(beta))
		list = append(list, h)
	}
	q, r := out[0], out[1]
	for i := range min(q.rows, q.columns) {
		*q.at(i, i) = of[T](1)
	}
	unwind(list, q)
	for i := range min(r.rows, r.columns) {
		copy(r.row(i)[i:], m.row(i)[i:])
	}
	return nil
}

func qrShapes(c *ops.Call, sizes [][]int) ([][]int, error) {
	rows, columns := sizes[0][0], sizes[0][1]
	inner := min(rows, columns)
	if c.Flag("full_matrices") {
		inner = rows
	}
	return [][]int{{rows, inner}, {inner, columns}}, nil
}
