package sparsemath

import (
	"math"
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// add returns the sum of two sparse tensors. Where both have a value, the sum stays only if it is
// not smaller than a threshold
// (core/kernels/sparse_add_op.cc).
func add(c *ops.Call) ([]ops.Value, error) {
	a, b, err := readTwo(c)
	if err != nil {
		return nil, err
	}
	if err := addError(c, a, b); err != nil {
		return nil, err
	}
	limit, ok := c.In[6].Cast(value.Float64)
	if !ok {
		return nil, c.Unsupported("the dtype of the threshold")
	}
	sums, rows, both, err := merged(c, a, b, ops.Combination[float64]("Add"), ops.Combination[int64]("Add"))
	if err != nil {
		return nil, err
	}
	wide, ok := sums.Cast(value.Float64)
	if !ok || sums.C() != nil {
		return nil, c.Unsupported("values of this dtype")
	}
	var places []int
	var kept [][]int
	for i, x := range wide.F() {
		if !both[i] || limit.F()[0] <= math.Abs(x) {
			places, kept = append(places, i), append(kept, rows[i])
		}
	}
	return outputs(sums, places, kept, a.shape), nil
}

func addError(c *ops.Call, a, b sparse) error {
	in := c.In
	err := firstOf([]check{
		{in[0].Rank() != 2 || in[3].Rank() != 2, "Input indices should be matrices but received shapes: %s and %s", []any{text(in[0]), text(in[3])}},
		{in[1].Rank() != 1 || in[4].Rank() != 1, "Input values should be vectors but received shapes: %s and %s", []any{text(in[1]), text(in[4])}},
	})
	if err != nil {
		return err
	}
	return firstOf([]check{
		{in[0].Shape()[0] != in[1].Len() || in[3].Shape()[0] != in[4].Len(), "Expected %d and %d non-empty input values, got %d and %d",
			[]any{in[0].Shape()[0], in[3].Shape()[0], in[1].Len(), in[4].Len()}},
		{in[2].Rank() != 1 || in[5].Rank() != 1, "Input shapes should be a vector but received shapes %s and %s", []any{text(in[2]), text(in[5])}},
		{in[0].Shape()[1] != len(a.shape), "Second dimension of a_indices and length of a_shape must match, got %d and %d", []any{in[0].Shape()[1], len(a.shape)}},
		{len(a.shape) != len(b.shape), "Operands do not have the same ranks; got shapes: %s and %s", []any{ops.JoinInts(a.shape, " "), ops.JoinInts(b.shape, " ")}},
		differing(a.shape, b.shape),
		{in[6].Rank() != 0, "The magnitude threshold must be a scalar: got shape %s", []any{text(in[6])}},
		{in[3].Shape()[1] != len(b.shape), "Second dimension of b_indices and length of b_shape must match, got %d and %d", []any{in[3].Shape()[1], len(b.shape)}},
	})
}

// differing is the check of two shapes of one rank.
func differing(a, b []int) check {
	for d := range min(len(a), len(b)) {
		if a[d] != b[d] {
			return check{true, "Operands' shapes do not match: got %d and %d for dimension %d", []any{a[d], b[d], d}}
		}
	}
	return check{}
}

// merged joins two sparse tensors whose rows of indices are in order. Where both have a value the
// result has one, of floats or ints, and is marked in both; else that of the one and 0.
func merged(c *ops.Call, a, b sparse, floats func(x, y float64) float64, ints func(x, y int64) int64) (v ops.Value, rows [][]int, both []bool, err error) {
	var left, right []int // positions of the operands of each value, -1 for 0
	for i, j := 0, 0; i < a.values.Len() || j < b.values.Len(); {
		order := 0
		switch {
		case i == a.values.Len():
			order = 1
		case j == b.values.Len():
			order = -1
		default:
			order = slices.Compare(a.row(i), b.row(j))
		}
		x, y, row := -1, -1, []int(nil)
		if order >= 0 {
			y, row = j, b.row(j)
			j++
		}
		if order <= 0 {
			x, row = i, a.row(i)
			i++
		}
		left, right, rows, both = append(left, x), append(right, y), append(rows, row), append(both, order == 0)
	}
	if _, err := c.Room(value.Int64, []int{len(rows), len(a.shape)}); err != nil {
		return ops.Value{}, nil, nil, err
	}
	n := []int{len(rows)}
	v, err = combinedBy(c, a.values.Pick(n, left), b.values.Pick(n, right), floats, ints)
	return v, rows, both, err
}

// extreme returns the larger or smaller of two sparse tensors (core/kernels/sparse_sparse_binary_op_shared.cc).
func extreme(c *ops.Call) ([]ops.Value, error) {
	for _, first := range []int{0, 3} {
		if err := validError(c, first, first+1, first+2); err != nil {
			return nil, err
		}
	}
	a, b, err := readTwo(c)
	if err != nil {
		return nil, err
	}
	if len(a.shape) != len(b.shape) {
		return nil, ops.Invalidf("Operands do not have the same ranks; got shapes: [%s] and [%s]", ops.JoinInts(a.shape, ","), ops.JoinInts(b.shape, ","))
	}
	if err := firstOf([]check{differing(a.shape, b.shape)}); err != nil {
		return nil, err
	}
	floats, ints := func(x, y float64) float64 { return max(x, y) }, func(x, y int64) int64 { return max(x, y) }
	if c.Op == "SparseSparseMinimum" {
		floats, ints = func(x, y float64) float64 { return min(x, y) }, func(x, y int64) int64 { return min(x, y) }
	}
	values, rows, _, err := merged(c, a, b, floats, ints)
	if err != nil {
		return nil, err
	}
	every := make([]int, len(rows))
	for i := range every {
		every[i] = i
	}
	return outputs(values, every, rows, a.shape)[:2], nil
}
