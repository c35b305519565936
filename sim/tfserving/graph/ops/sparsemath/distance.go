package sparsemath

import (
	"math"
	"slices"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// editDistance counts how many insertions, deletions and changes make one list of values of another;
// each list is one row of the last dimension (core/kernels/edit_distance_op.cc).
func editDistance(c *ops.Call) ([]ops.Value, error) {
	if err := distanceError(c); err != nil {
		return nil, err
	}
	a, b, err := readTwo(c)
	if err != nil {
		return nil, err
	}
	shape := make([]int, len(a.shape)-1)
	for d := range shape {
		shape[d] = max(a.shape[d], b.shape[d])
	}
	n, err := c.Room(value.Float32, shape)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, ops.Invalidf("Got output shape %s which has 0 elements", value.ShapeText(shape))
	}
	out := make([]float64, n)
	strides := value.Strides(shape)
	for i, j := 0, 0; i < a.values.Len() || j < b.values.Len(); {
		row := a.group(b, i, j)
		nextA, nextB := a.end(row, i), b.end(row, j)
		at := 0
		for d, index := range row {
			at += index * strides[d]
		}
		if at < 0 || at >= n {
			return nil, ops.Statusf(rpcerrors.Internal, "Got an inner product %d which would require writing to outside of the buffer for the output tensor (max elements %d)", at, n)
		}
		if err := c.Work((nextA-i+1)*(nextB-j+1), value.Float32, shape); err != nil {
			return nil, err
		}
		out[at] = distance(a.values.Rows(i, nextA), b.values.Rows(j, nextB), c.Flag("normalize"))
		i, j = nextA, nextB
	}
	return ops.One(value.Floats(value.Float32, shape, out))
}

// group returns the indices but the last of the next row that either has, from value i of the one and
// value j of the other on.
func (s sparse) group(other sparse, i, j int) []int {
	outer := len(s.shape) - 1
	switch {
	case i == s.values.Len():
		return other.row(j)[:outer]
	case j == other.values.Len() || slices.Compare(s.row(i)[:outer], other.row(j)[:outer]) <= 0:
		return s.row(i)[:outer]
	}
	return other.row(j)[:outer]
}

// end returns the first value from i on that is not in a row.
func (s sparse) end(row []int, i int) int {
	for i < s.values.Len() && slices.Equal(s.row(i)[:len(row)], row) {
		i++
	}
	return i
}

func distance(a, b ops.Value, normalize bool) float64 {
	n := float64(edits(a, b))
	switch {
	case !normalize || n == 0:
		return n
	case b.Len() == 0:
		return math.Inf(1)
	}
	return n / float64(b.Len())
}

func edits(a, b ops.Value) int {
	switch {
	case a.S() != nil:
		return editsOf(a.S(), b.S())
	case a.I() != nil:
		return editsOf(a.I(), b.I())
	case a.F() != nil:
		return editsOf(a.F(), b.F())
	}
	return editsOf(a.B(), b.B())
}

func editsOf[T comparable](a, b []T) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		corner := row[0]
		row[0] = i + 1
		for j, y := range b {
			change := corner
			if x != y {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, corner+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// distanceError is the error of ValidateShapes.
func distanceError(c *ops.Call) error {
	in := c.In
	names := []string{"hypothesis", "truth"}
	for part, want := range []struct {
		rank int
		text string
	}{{2, "%s_indices should be a matrix, but got shape: %s"}, {1, "%s_values should be a vector, but got shape: %s"}, {1, "%s_shape should be a vector, but got shape: %s"}} {
		for i, name := range names {
			if v := in[3*i+part]; v.Rank() != want.rank {
				return ops.Invalidf(want.text, name, text(v))
			}
		}
	}
	for i, name := range names {
		indices, values, shape := in[3*i], in[3*i+1], in[3*i+2]
		err := firstOf([]check{
			{values.Len() != indices.Shape()[0], "Expected %s_values.NumElements == #rows(%s_indices), their shapes are: %s and %s", []any{name, name, text(values), text(indices)}},
			{i == 1 && shape.Len() < 2, "Input SparseTensors must have rank at least 2, but truth_shape rank is: %d", []any{shape.Len()}},
			{shape.Len() != indices.Shape()[1], "Expected %s_shape.NumElements == #cols(%s_indices), their shapes are: %s and %s", []any{name, name, text(shape), text(indices)}},
		})
		if err != nil {
			return err
		}
	}
	return firstOf([]check{{in[2].Len() != in[5].Len(), "Expected truth and hypothesis to have matching ranks, but saw shapes: %s and %s", []any{text(in[5]), text(in[2])}}})
}
