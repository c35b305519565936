package sparsemath

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// sparse is a sparse tensor: a row of indices for each value, and the dense shape.
type sparse struct {
	indices []int
	values  ops.Value
	shape   []int
}

func text(v ops.Value) string { return value.ShapeText(v.Shape()) }

// read reads a sparse tensor from its inputs.
func read(c *ops.Call, indices, values, shape int) (sparse, error) {
	at, err := c.Ints(indices)
	if err != nil {
		return sparse{}, err
	}
	sizes, err := c.Ints(shape)
	return sparse{at, c.In[values], sizes}, err
}

// readTwo reads two sparse tensors from the first six inputs.
func readTwo(c *ops.Call) (a, b sparse, err error) {
	if a, err = read(c, 0, 1, 2); err == nil {
		b, err = read(c, 3, 4, 5)
	}
	return a, b, err
}

// row returns the indices of value i.
func (s sparse) row(i int) []int { return s.indices[i*len(s.shape) : (i+1)*len(s.shape)] }

// outputs returns the sparse tensor of some values, given by their positions, whose indices are in
// rows.
func outputs(values ops.Value, places []int, rows [][]int, shape []int) []ops.Value {
	list := make([]int64, 0, len(rows)*len(shape))
	for _, row := range rows {
		for _, n := range row {
			list = append(list, int64(n))
		}
	}
	return []ops.Value{
		value.Ints(value.Int64, []int{len(rows), len(shape)}, list), values.Pick([]int{len(places)}, places), value.Sizes(value.Int64, shape),
	}
}

// check is one check of the inputs: the error is text with args if it is due.
type check struct {
	due  bool
	text string
	args []any
}

func firstOf(checks []check) error {
	for _, one := range checks {
		if one.due {
			return ops.Invalidf(one.text, one.args...)
		}
	}
	return nil
}

// rankError returns the error for indices that are no matrix, and values or a shape that are no vector.
func rankError(c *ops.Call, indices, values, shape int) error {
	return firstOf([]check{
		{c.In[indices].Rank() != 2, "Sparse indices must be rank 2 but is rank %d", []any{c.In[indices].Rank()}},
		{c.In[values].Rank() != 1, "Sparse values must be rank 1 but is rank %d", []any{c.In[values].Rank()}},
		{c.In[shape].Rank() != 1, "Sparse shape must be rank 1 but is rank %d", []any{c.In[shape].Rank()}},
	})
}

// validError is the error of sparse_utils::ValidateSparseTensor.
func validError(c *ops.Call, indices, values, shape int) error {
	if err := rankError(c, indices, values, shape); err != nil {
		return err
	}
	rows, columns := c.In[indices].Shape()[0], c.In[indices].Shape()[1]
	return firstOf([]check{
		{rows != c.In[values].Len(), "Number of elements in indices (%d) and values (%d) do not match", []any{rows, c.In[values].Len()}},
		{columns != c.In[shape].Len(), "Index rank (%d) and shape rank (%d) do not match", []any{columns, c.In[shape].Len()}},
	})
}

// madeError is the error of SparseTensor::Create.
func madeError(c *ops.Call, indices, values, shape int) error {
	at := c.In[indices]
	rows, columns := 1, 1
	if at.Rank() > 0 {
		rows = at.Shape()[0]
	}
	if at.Rank() > 1 {
		columns = at.Shape()[1]
	}
	return firstOf([]check{
		{c.In[values].Rank() != 1, "vals must be a vec, but got: %s", []any{text(c.In[values])}},
		{rows != c.In[values].Len(), "indices and values rows (indexing dimension) must match. (indices = %d, values = %d)", []any{rows, c.In[values].Len()}},
		{at.Rank() != 2, "indices must be a matrix, but got: %s", []any{text(at)}},
		{columns != c.In[shape].Len(), "Order length must be SparseTensor rank.", nil},
	})
}

func negativeError(shape []int) error {
	if i := slices.IndexFunc(shape, func(n int) bool { return n < 0 }); i >= 0 {
		return ops.Invalidf("Expected shape dimensions to be non-negative, got %d", shape[i])
	}
	return nil
}

// place returns the position of a row of indices in the dense tensor; false if it lies outside.
func place(row, shape []int) (int, bool) {
	at := 0
	for d, n := range row {
		if n < 0 || n >= shape[d] {
			return 0, false
		}
		at = at*shape[d] + n
	}
	return at, true
}

// combined combines two lists of numbers element by element, as how says ([ops.Combination]).
func combined(c *ops.Call, a, b ops.Value, how string) (ops.Value, error) {
	return combinedBy(c, a, b, ops.Combination[float64](how), ops.Combination[int64](how))
}

// combinedBy applies one of two functions to two lists of numbers, by the dtype of a.
func combinedBy(c *ops.Call, a, b ops.Value, floats func(a, b float64) float64, ints func(a, b int64) int64) (ops.Value, error) {
	switch {
	case a.F() != nil:
		return value.Floats(a.DType(), a.Shape(), each(a.F(), b.F(), floats)), nil
	case a.I() != nil && a.DType() != value.UInt64:
		return value.Ints(a.DType(), a.Shape(), each(a.I(), b.I(), ints)), nil
	}
	return ops.Value{}, c.Unsupported("%s", tensor.DTypeName(a.DType()))
}

func each[T any](a, b []T, f func(a, b T) T) []T {
	list := make([]T, len(a))
	for i, x := range a {
		list[i] = f(x, b[i])
	}
	return list
}
