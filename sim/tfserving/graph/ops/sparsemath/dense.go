package sparsemath

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// addDense adds a sparse tensor to a dense one of the same shape
// (core/kernels/sparse_tensor_dense_add_op.cc).
func addDense(c *ops.Call) ([]ops.Value, error) {
	s, err := read(c, 0, 1, 2)
	if err != nil {
		return nil, err
	}
	dense := c.In[3]
	if err := addDenseError(c, s, dense); err != nil {
		return nil, err
	}
	if _, err := c.Room(dense.DType(), dense.Shape()); err != nil {
		return nil, err
	}
	places := slices.Repeat([]int{-1}, dense.Len())
	total := dense
	add := func() (err error) {
		total, err = combined(c, total, s.values.Pick(dense.Shape(), places), "Add")
		return err
	}
	for i := range s.values.Len() {
		row := s.row(i)
		at, ok := place(row, dense.Shape())
		if !ok {
			d := 0
			for row[d] >= 0 && row[d] < dense.Shape()[d] {
				d++
			}
			return nil, ops.Invalidf("Sparse tensor has an invalid index on dimension %d: a_indices(%d,%d) = %d, dense tensor shape: %s", d, i, d, row[d], ops.JoinInts(dense.Shape(), " "))
		}
		if places[at] >= 0 { // a row that occurs twice counts twice
			if err := add(); err != nil {
				return nil, err
			}
			places = slices.Repeat([]int{-1}, dense.Len())
		}
		places[at] = i
	}
	return []ops.Value{total}, add()
}

func addDenseError(c *ops.Call, s sparse, dense ops.Value) error {
	in := c.In
	err := firstOf([]check{
		{in[0].Rank() != 2, "Input a_indices should be a matrix but received shape: %s", []any{text(in[0])}},
		{in[1].Rank() != 1 || in[2].Rank() != 1, "Inputs a_values and a_shape should be vectors but received shapes: %s and %s", []any{text(in[1]), text(in[2])}},
	})
	if err != nil {
		return err
	}
	rows, columns := in[0].Shape()[0], in[0].Shape()[1]
	checks := []check{
		{rows != in[1].Len(), "Dimensions %d and %d are not compatible", []any{rows, in[1].Len()}},
		{columns != len(s.shape), "Dimensions %d and %d are not compatible", []any{columns, len(s.shape)}},
		{len(s.shape) != dense.Rank(), "Two operands have different ranks; received: %d and %d", []any{len(s.shape), dense.Rank()}},
	}
	for d := range min(len(s.shape), dense.Rank()) {
		checks = append(checks, check{s.shape[d] != dense.Shape()[d], "Dimension %d does not equal (no broadcasting is supported): sparse side %d vs dense side %d", []any{d, s.shape[d], dense.Shape()[d]}})
	}
	return firstOf(checks)
}

// withDense combines the values of a sparse tensor with the elements of a dense one, which is
// broadcast to its shape (core/kernels/sparse_dense_binary_op_shared.cc).
func withDense(c *ops.Call) ([]ops.Value, error) {
	s, err := read(c, 0, 1, 2)
	if err != nil {
		return nil, err
	}
	dense := c.In[3]
	if err := withDenseError(c, s, dense); err != nil {
		return nil, err
	}
	if _, err := c.Room(dense.DType(), []int{s.values.Len()}); err != nil {
		return nil, err
	}
	sizes := slices.Concat(slices.Repeat([]int{1}, len(s.shape)-dense.Rank()), dense.Shape())
	strides := value.Strides(sizes)
	places := make([]int, s.values.Len())
	for i := range places {
		if _, ok := place(s.row(i), s.shape); !ok {
			return nil, ops.Invalidf("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape")
		}
		for d, n := range s.row(i) {
			if sizes[d] != 1 {
				places[i] += n * strides[d]
			}
		}
	}
	others := dense.Pick([]int{len(places)}, places)
	how := strings.TrimPrefix(c.Op, "SparseDenseCwise")
	if how == "Div" && (slices.Contains(others.I(), 0) || slices.Contains(others.F(), 0)) {
		return nil, ops.Invalidf("SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero ")
	}
	v, err := combined(c, s.values, others, how)
	return []ops.Value{v}, err
}

func withDenseError(c *ops.Call, s sparse, dense ops.Value) error {
	in := c.In
	err := firstOf([]check{
		{in[0].Rank() != 2, "Input sp_indices should be a matrix but received shape: %s", []any{text(in[0])}},
		{in[1].Rank() != 1 || in[2].Rank() != 1, "Inputs sp_values and sp_shape should be vectors but received shapes: %s and %s", []any{text(in[1]), text(in[2])}},
	})
	if err != nil {
		return err
	}
	rows, columns := in[0].Shape()[0], in[0].Shape()[1]
	err = firstOf([]check{
		{in[1].Len() != rows, "The first dimension of values and indices should match. (%d vs. %d)", []any{in[1].Len(), rows}},
		{columns != len(s.shape), "Number of dimensions must match second dimension of indices. Got %d dimensions, indices shape: %s", []any{len(s.shape), text(in[0])}},
		{len(s.shape) == 0, "The shape argument requires at least one element.", nil},
	})
	if err != nil {
		return err
	}
	if err := negativeError(s.shape); err != nil {
		return err
	}
	lead := len(s.shape) - dense.Rank()
	misfit := lead < 0
	for d := 0; !misfit && d < dense.Rank(); d++ {
		size := dense.Shape()[d]
		misfit = size != 1 && size != s.shape[lead+d]
	}
	if misfit {
		return ops.Invalidf("SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: %s vs. %s", value.ShapeText(s.shape), value.ShapeText(dense.Shape()))
	}
	return nil
}
