package sparsemath

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// concat joins sparse tensors along a dimension (core/kernels/sparse_concat_op.cc).
func concat(c *ops.Call) ([]ops.Value, error) {
	n := len(c.In) / 3
	parts := make([]sparse, n)
	for i := range parts {
		var err error
		if parts[i], err = read(c, i, n+i, 2*n+i); err != nil {
			return nil, err
		}
	}
	axis, err := concatAxis(c, parts)
	if err != nil {
		return nil, err
	}
	var values []ops.Value
	var rows [][]int
	shape := slices.Clone(parts[0].shape)
	shape[axis] = 0
	for _, p := range parts {
		values = append(values, p.values)
		for i := range p.values.Len() {
			row := slices.Clone(p.row(i))
			row[axis] += shape[axis]
			rows = append(rows, row)
		}
		shape[axis] += p.shape[axis]
	}
	if _, err := c.Room(value.Int64, []int{len(rows), len(shape)}); err != nil {
		return nil, err
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(rows[a], rows[b]) })
	slices.SortStableFunc(rows, slices.Compare)
	return outputs(value.Join(values...), order, rows, shape), nil
}

// concatAxis checks the inputs of a SparseConcat, and returns its dimension.
func concatAxis(c *ops.Call, parts []sparse) (int, error) {
	n := len(parts)
	for _, kind := range []struct {
		first, rank int
		text        string
	}{{0, 2, "Input indices should be a matrix but received shape %s at position %d"}, {n, 1, "Input values should be a vector but received shape %s at position %d"},
		{2 * n, 1, "Input shapes should be a vector but received shape %s at position %d"}} {
		for i := range parts {
			if v := c.In[kind.first+i]; v.Rank() != kind.rank {
				return 0, ops.Invalidf(kind.text, text(v), i)
			}
		}
	}
	rank, asked := len(parts[0].shape), c.Number("concat_dim")
	axis, ok := ops.AxisOf(asked, rank)
	if !ok {
		return 0, ops.Invalidf("Concat dimension must be in range [%d, %d), got %d", -rank, rank, asked)
	}
	for i, p := range parts {
		if len(p.shape) != rank {
			return 0, ops.Invalidf("Ranks of all input tensors must match: expected %d but got %d at position %d", rank, len(p.shape), i)
		}
		for d, size := range parts[0].shape {
			if d != axis && p.shape[d] != size {
				return 0, ops.Invalidf("Input shapes must match: expected %d for dimension %d but got %d at position %d", size, d, p.shape[d], i)
			}
		}
	}
	for i := range parts {
		if err := madeError(c, i, n+i, 2*n+i); err != nil {
			return 0, err
		}
	}
	return axis, nil
}

// split cuts a sparse tensor into parts along a dimension, the first of which are longer by one if
// they cannot be equal (core/kernels/sparse_split_op.cc).
func split(c *ops.Call) ([]ops.Value, error) {
	err := firstOf([]check{
		{c.In[0].Rank() != 0, "Input axis should be a scalar but received shape %s", []any{text(c.In[0])}},
		{c.In[1].Rank() != 2, "Input indices should be a matrix but received shape %s", []any{text(c.In[1])}},
		{c.In[2].Rank() != 1, "Input values should be a vector but received shape %s", []any{text(c.In[1])}}, // the shape is that of the indices
		{c.In[3].Rank() != 1, "Input shape should be a vector but received shape %s", []any{text(c.In[3])}},
	})
	if err != nil {
		return nil, err
	}
	s, err := read(c, 1, 2, 3)
	if err != nil {
		return nil, err
	}
	asked, err := c.Int(0)
	if err != nil {
		return nil, err
	}
	rank, n := len(s.shape), c.Number("num_split")
	axis, ok := ops.AxisOf(asked, rank)
	if !ok {
		return nil, ops.Invalidf("Input axis should be in range [%d, %d), got %d", -rank, rank, asked)
	}
	if size := s.shape[axis]; n < 1 || n > size {
		return nil, ops.Invalidf("Input num_split should be between 1 and the splitting dimension size (%d), got %d", size, n)
	}
	if err := validError(c, 1, 2, 3); err != nil {
		return nil, err
	}
	ends := make([]int, n+1) // part i has the indices from ends[i] on
	for i := range n {
		ends[i+1] = ends[i] + s.shape[axis]/n
		if i < s.shape[axis]%n {
			ends[i+1]++
		}
	}
	var lists [3][]ops.Value
	for i := range n {
		begin, shape := make([]int, rank), slices.Clone(s.shape)
		begin[axis], shape[axis] = ends[i], ends[i+1]-ends[i]
		for k, v := range s.cut(begin, shape) {
			lists[k] = append(lists[k], v)
		}
	}
	return slices.Concat(lists[0], lists[1], lists[2]), nil
}

// cut returns the sparse tensor of the values inside of a block.
func (s sparse) cut(begin, shape []int) []ops.Value {
	var places []int
	var rows [][]int
	for i := range s.values.Len() {
		row := slices.Clone(s.row(i))
		for d := range row {
			row[d] -= begin[d]
		}
		if _, ok := place(row, shape); ok {
			places, rows = append(places, i), append(rows, row)
		}
	}
	return outputs(s.values, places, rows, shape)
}

// slice returns a block of a sparse tensor (core/kernels/sparse_slice_op.cc).
func slice(c *ops.Call) ([]ops.Value, error) {
	if err := validError(c, 0, 1, 2); err != nil {
		return nil, err
	}
	s, err := read(c, 0, 1, 2)
	if err != nil {
		return nil, err
	}
	if err := negativeError(s.shape); err != nil {
		return nil, err
	}
	rank := len(s.shape)
	for i, name := range []string{"start", "size"} {
		if v := c.In[3+i]; v.Rank() != 1 {
			return nil, ops.Invalidf("Input %s should be a vector but received shape %s", name, text(v))
		}
	}
	for i, name := range []string{"start", "size"} {
		if v := c.In[3+i]; v.Len() != rank {
			return nil, ops.Invalidf("Expected %s to be a vector of length %d but got length %d", name, rank, v.Len())
		}
	}
	begin, err := c.Ints(3)
	if err != nil {
		return nil, err
	}
	asked, err := c.Ints(4)
	if err != nil {
		return nil, err
	}
	shape := make([]int, rank)
	for d, size := range s.shape {
		shape[d] = max(min(asked[d], size-begin[d]), 0)
	}
	return s.cut(begin, shape), nil
}
