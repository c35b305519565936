package linear

import (
	"math"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
)

// eigen returns the eigenvalues of a matrix that is its own adjoint, of which only the lower triangle is
// looked at, and its eigenvectors (Eigen's SelfAdjointEigenSolver).
func eigen[T number, R realNumber](_ *ops.Call, in, out []matrix[T]) error {
	m := in[0].copied()
	if m.rows == 0 {
		return nil
	}
	vectors := identity[T](m.rows)
	scale, values, beside := R(1), []R{R(re(*m.at(0, 0)))}, []R{}
	if m.rows > 1 {
		scale = normalize[T, R](m)
		var list []reflection[T]
		values, beside, list = tridiagonal[T, R](m)
		unwind(list, vectors)
	}
	s := spectrum[T, R]{values, beside, vectors}
	if !s.converge() {
		return ops.Invalidf("Self-adjoint eigen decomposition was not successful. The input might not be valid.")
	}
	s.sort()
	for i, x := range s.values {
		out[0].list[i] = of[T](float64(x * scale))
	}
	if len(out) > 1 {
		copy(out[1].list, vectors.list)
	}
	return nil
}

func eigenShapes(c *ops.Call, sizes [][]int) ([][]int, error) {
	n := sizes[0][0]
	if c.Flag("compute_v") {
		return [][]int{{n}, {n, n}}, nil
	}
	return [][]int{{n}}, nil
}

// normalize divides a matrix by its largest element, which it returns.
func normalize[T number, R realNumber](m matrix[T]) R {
	scale := 0.0
	for i := range m.rows {
		for _, x := range m.row(i)[:i+1] {
			scale = max(scale, size(x))
		}
	}
	if scale == 0 {
		scale = 1
	}
	divide(m.list, of[T](scale))
	return R(scale)
}

// tridiagonal turns a matrix by reflections into one that has only a diagonal and what is beside it.
func tridiagonal[T number, R realNumber](m matrix[T]) (diagonal, beside []R, list []reflection[T]) {
	n := m.rows
	for i := range n - 1 {
		h, beta := reflect[T, R](i+1, m.column(i, i+1))
		turn(m, h)
		list, beside = append(list, h), append(beside, beta)
	}
	for i := range n {
		diagonal = append(diagonal, R(re(*m.at(i, i))))
	}
	return diagonal, beside, list
}

// turn applies a reflection from both sides to the lower triangle behind its row.
func turn[T number](m matrix[T], h reflection[T]) {
	v := append([]T{of[T](1)}, h.rest...)
	w := make([]T, len(v))
	factor := conj(h.tau)
	var dot T
	for i := range w {
		for j, x := range v {
			element := *m.at(h.row+max(i, j), h.row+min(i, j))
			if j > i {
				element = conj(element)
			}
			w[i] += element * (factor * x)
		}
		dot += conj(w[i]) * v[i]
	}
	dot *= factor * of[T](-0.5)
	for i, x := range v {
		w[i] += dot * x
	}
	for i := range v {
		for j := range i + 1 {
			*m.at(h.row+i, h.row+j) -= v[i]*conj(w[j]) + w[i]*conj(v[j])
		}
	}
}

// spectrum holds a matrix as its diagonal and what is beside it, and the vectors that it belongs to.
type spectrum[T number, R realNumber] struct {
	values, beside []R
	vectors        matrix[T]
}

// maxIterations is how often a spectrum is gone through for each of its values.
const maxIterations = 30

// converge makes what is beside the diagonal zero; false if that takes too long.
func (s spectrum[T, R]) converge() bool {
	start, end := 0, len(s.values)-1
	for turns := 0; end > 0; turns++ {
		for i := start; i < end; i++ {
			if s.small(i) {
				s.beside[i] = 0
			}
		}
		for end > 0 && s.beside[end-1] == 0 {
			end--
		}
		if end == 0 {
			return true
		}
		if turns == maxIterations*len(s.values) {
			return false
		}
		for start = end - 1; start > 0 && s.beside[start-1] != 0; {
			start--
		}
		s.step(start, end)
	}
	return true
}

func (s spectrum[T, R]) small(i int) bool {
	x := precision[R]() * s.beside[i]
	return absolute(s.beside[i]) < least[R]() || x*x <= absolute(s.values[i])+absolute(s.values[i+1])
}

func absolute[R realNumber](x R) R { return R(math.Abs(float64(x))) }

// shift returns what the values are shifted by, so that the last converges fast (Wilkinson's).
func (s spectrum[T, R]) shift(end int) R {
	half, e := (s.values[end-1]-s.values[end])*0.5, s.beside[end-1]
	last := s.values[end]
	if half == 0 {
		return last - absolute(e)
	}
	if e == 0 {
		return last
	}
	h := R(math.Hypot(float64(half), float64(e)))
	if half <= 0 {
		h = -h
	}
	if e*e == 0 {
		return last - e/((half+h)/e)
	}
	return last - e*e/(half+h)
}

// step turns neighbouring pairs in the range from start to end, each so that what the turn before has
// put outside of the band is zero.
func (s spectrum[T, R]) step(start, end int) {
	d, b := s.values, s.beside
	x, z := d[start]-s.shift(end), b[start]
	for k := start; k < end && z != 0; k++ {
		cos, sin := rotation(x, z)
		first, second := sin*d[k]+cos*b[k], sin*b[k]+cos*d[k+1]
		d[k] = cos*(cos*d[k]-sin*b[k]) - sin*(cos*b[k]-sin*d[k+1])
		d[k+1] = sin*first + cos*second
		b[k] = cos*first - sin*second
		if k > start {
			b[k-1] = cos*b[k-1] - sin*z
		}
		x = b[k]
		if k < end-1 {
			z = -sin * b[k+1]
			b[k+1] *= cos
		}
		s.rotate(k, of[T](float64(cos)), of[T](float64(sin)))
	}
}

func (s spectrum[T, R]) rotate(k int, cos, sin T) {
	for i := range s.vectors.rows {
		row := s.vectors.row(i)[k:]
		row[0], row[1] = cos*row[0]-sin*row[1], sin*row[0]+cos*row[1]
	}
}

// rotation returns the cosine and the sine of a turn that makes the second of two numbers zero (Eigen's
// makeGivens).
func rotation[R realNumber](p, q R) (cos, sin R) {
	switch {
	case q == 0 && p < 0:
		return -1, 0
	case q == 0:
		return 1, 0
	case p == 0 && q < 0:
		return 0, 1
	case p == 0:
		return 0, -1
	case absolute(p) > absolute(q):
		t := q / p
		u := root(1 + t*t)
		if p < 0 {
			u = -u
		}
		return 1 / u, -t * (1 / u)
	}
	t := p / q
	u := root(1 + t*t)
	if q < 0 {
		u = -u
	}
	return t * (1 / u), -1 / u
}

// sort puts the values in ascending order, and their vectors with them.
func (s spectrum[T, R]) sort() {
	for i := range s.values {
		least := i
		for k := i + 1; k < len(s.values); k++ {
			if s.values[k] < s.values[least] {
				least = k
			}
		}
		if least == i {
			continue
		}
		s.values[i], s.values[least] = s.values[least], s.values[i]
		for r := range s.vectors.rows {
			row := s.vectors.row(r)
			row[i], row[least] = row[least], row[i]
		}
	}
}
