package sparsemath

import (
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// reduced describes a reduction: the dimensions that stay, and the shape of the result, with size 1
// for dimensions that are kept although they are reduced.
type reduced struct {
	kept, shape []int
}

// reduce sums values over dimensions, or finds the largest, as a dense or a sparse tensor. An index
// outside of the dense shape is an error only if the position computed from it lies outside of the
// result (core/kernels/sparse_reduce_op.cc).
func reduce(c *ops.Call) ([]ops.Value, error) {
	s, err := read(c, 0, 1, 2)
	if err != nil {
		return nil, err
	}
	r, err := reductionOf(c, s)
	if err != nil {
		return nil, err
	}
	n, err := c.Room(s.values.DType(), r.shape)
	if err != nil {
		return nil, err
	}
	sparsely := strings.HasSuffix(c.Op, "Sparse")
	steps := value.Strides(lists.Map(r.kept, func(d int) int { return s.shape[d] }))
	places := make([]int, s.values.Len())
	for i := range places {
		for k, d := range r.kept {
			places[i] += s.row(i)[d] * steps[k]
		}
		if places[i] < 0 || places[i] >= n {
			if sparsely {
				return nil, c.Unsupported("an index outside of the shape")
			}
			return nil, ops.Statusf(rpcerrors.Internal, "Obtained a write index of %d which is outside of bounds of [0, %d)", places[i], n)
		}
	}
	dense, err := foldAt(c, s.values, r.shape, places)
	if err != nil || !sparsely {
		return []ops.Value{dense}, err
	}
	slices.Sort(places)
	places = slices.Compact(places)
	strides := value.Strides(r.shape)
	rows := lists.Map(places, func(at int) []int {
		row := make([]int, len(r.shape))
		for d, size := range r.shape {
			row[d] = at / strides[d] % size
		}
		return row
	})
	return outputs(dense, places, rows, r.shape), nil
}

func reductionOf(c *ops.Call, s sparse) (reduced, error) {
	err := firstOf([]check{
		{c.In[2].Rank() != 1, "Expected input_shape to be a vector; got shape: %s", []any{text(c.In[2])}},
		{c.In[3].Rank() > 1, "Expected reduction_axes to be a scalar or a vector; got shape: %s", []any{text(c.In[3])}},
	})
	if err != nil {
		return reduced{}, err
	}
	if err := madeError(c, 0, 1, 2); err != nil {
		return reduced{}, err
	}
	if err := negativeError(s.shape); err != nil {
		return reduced{}, err
	}
	axes, err := c.Ints(3)
	if err != nil {
		return reduced{}, err
	}
	rank := len(s.shape)
	gone := make([]bool, rank)
	for _, asked := range axes {
		axis, ok := ops.AxisOf(asked, rank)
		if !ok {
			return reduced{}, ops.Invalidf("Invalid reduction dimension %d, for input with %d dimensions.", asked, rank)
		}
		gone[axis] = true
	}
	r := reduced{kept: []int{}, shape: []int{}}
	for d, size := range s.shape {
		switch {
		case !gone[d]:
			r.shape, r.kept = append(r.shape, size), append(r.kept, d)
		case c.Flag("keep_dims"):
			r.shape = append(r.shape, 1)
		}
	}
	return r, nil
}

// foldAt folds each value into the element at its place. An element without values is 0.
func foldAt(c *ops.Call, v ops.Value, shape, places []int) (ops.Value, error) {
	largest := strings.HasPrefix(c.Op, "SparseReduceMax")
	n, _ := value.Count(shape)
	seen := make([]bool, n)
	switch {
	case v.F() != nil:
		return value.Floats(v.DType(), shape, fold(make([]float64, n), v.F(), places, seen, largest)), nil
	case v.I() != nil && v.DType() != value.UInt64:
		return value.Ints(v.DType(), shape, fold(make([]int64, n), v.I(), places, seen, largest)), nil
	}
	return ops.Value{}, c.Unsupported("%s", tensor.DTypeName(v.DType()))
}

func fold[T int64 | float64](out, list []T, places []int, seen []bool, largest bool) []T {
	for i, at := range places {
		if largest && seen[at] {
			out[at] = max(out[at], list[i])
		} else {
			out[at] += list[i]
		}
		seen[at] = true
	}
	return out
}

// softmax normalizes the values of each row, which is all indices but the last
// (core/kernels/sparse_softmax_op.cc).
func softmax(c *ops.Call) ([]ops.Value, error) {
	s, err := read(c, 0, 1, 2)
	if err != nil {
		return nil, err
	}
	err = firstOf([]check{
		{c.In[0].Rank() != 2, "Input sp_indices should be a matrix but received shape: %s", []any{text(c.In[0])}},
		{c.In[1].Rank() != 1 || c.In[2].Rank() != 1, "Inputs sp_values and sp_shape should be vectors but received shapes: %s and %s", []any{text(c.In[1]), text(c.In[2])}},
		{len(s.shape) < 2, "Input should have rank >= 2, but received shape: %s", []any{ops.JoinInts(s.shape, " ")}},
	})
	if err != nil {
		return nil, err
	}
	if err := madeError(c, 0, 1, 2); err != nil {
		return nil, err
	}
	if s.values.F() == nil {
		return nil, c.Unsupported("%s", tensor.DTypeName(s.values.DType()))
	}
	out := make([]float64, s.values.Len())
	for from := 0; from < len(out); {
		to := from + 1
		for to < len(out) && slices.Equal(s.row(from)[:len(s.shape)-1], s.row(to)[:len(s.shape)-1]) {
			to++
		}
		row, sum := s.values.F()[from:to], 0.0
		highest := slices.Max(row)
		for i, x := range row {
			out[from+i] = math.Exp(x - highest)
			sum += out[from+i]
		}
		for i := range row {
			out[from+i] /= sum
		}
		from = to
	}
	return ops.One(value.Floats(s.values.DType(), c.In[1].Shape(), out))
}
