package linear

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
)

// singular returns the singular values of a matrix, from the largest on: the lengths of its columns after
// pairs of them have been turned until all are orthogonal. It returns no vectors, because their signs
// would not be the runtime's.
func singular[T number](_ *ops.Call, in, out []matrix[T]) error {
	m := in[0]
	if m.rows > m.columns {
		m = m.adjoint()
	}
	lines := make([][]complex128, m.rows)
	for i := range lines {
		for _, x := range m.row(i) {
			lines[i] = append(lines[i], wide(x))
		}
	}
	values := orthogonal(lines, m.columns)
	slices.Sort(values)
	slices.Reverse(values)
	finite := !slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	for i, x := range values {
		if !finite {
			x = math.NaN()
		}
		out[0].list[i] = of[T](x)
	}
	return nil
}

func singularShapes(c *ops.Call, sizes [][]int) ([][]int, error) {
	if c.Flag("compute_uv") {
		return nil, c.Unsupported("compute_uv = true")
	}
	return [][]int{{min(sizes[0][0], sizes[0][1])}}, nil
}

// orthogonal turns lines until their first n elements are orthogonal, and returns the lengths of these.
func orthogonal(lines [][]complex128, n int) []float64 {
	for sweep := 0; sweep < maxSweeps && orthogonalize(lines, n); sweep++ {
	}
	lengths := make([]float64, len(lines))
	for i, line := range lines {
		lengths[i] = math.Sqrt(real(inner(line[:n], line[:n])))
	}
	return lengths
}

// maxSweeps is more than the sweeps after which all lines are orthogonal.
const maxSweeps = 60

// orthogonalize turns each pair of lines once; false if all were orthogonal.
func orthogonalize(lines [][]complex128, n int) bool {
	turned := false
	for i, x := range lines {
		for _, y := range lines[:i] {
			turned = turnPair(x, y, n) || turned
		}
	}
	return turned
}

func turnPair(x, y []complex128, n int) bool {
	a, b, both := real(inner(x[:n], x[:n])), real(inner(y[:n], y[:n])), inner(x[:n], y[:n])
	g := cmplx.Abs(both)
	if !(g > 1e-15*math.Sqrt(a)*math.Sqrt(b)) || math.IsInf(g, 0) {
		return false
	}
	zeta := (b - a) / (2 * g)
	t := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
	cos := 1 / math.Hypot(1, t)
	phase, c, s := cmplx.Conj(both)/complex(g, 0), complex(cos, 0), complex(cos*t, 0)
	for k := range x {
		u, v := x[k], y[k]*phase
		x[k], y[k] = c*u-s*v, s*u+c*v
	}
	return true
}

// inner returns the product of the conjugates of a line with another.
func inner(x, y []complex128) (sum complex128) {
	for k := range x {
		sum += cmplx.Conj(x[k]) * y[k]
	}
	return sum
}
