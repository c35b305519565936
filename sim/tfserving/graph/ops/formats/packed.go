package formats

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// part is one of the three tensors of a sparse tensor that an element of a variant holds.
type part struct{ ops.Value }

// packSparse writes the indices, values and shape of a sparse tensor as three texts or variants
// (core/kernels/serialize_sparse_op.cc).
func packSparse(c *ops.Call) ([]ops.Value, error) {
	if err := sparseRanks(c); err != nil {
		return nil, err
	}
	return packed(c, []int{3}, c.In)
}

// packRows does so for each row of the first dimension.
func packRows(c *ops.Call) ([]ops.Value, error) {
	rows, err := rowsOf(c)
	if err != nil {
		return nil, err
	}
	sizes, err := c.Ints(2)
	if err != nil {
		return nil, err
	}
	if _, err := c.Room(value.Variant, []int{sizes[0], 3}); err != nil {
		return nil, err
	}
	dims := len(sizes) - 1
	shape := value.Sizes(value.Int64, sizes[1:])
	var parts []ops.Value
	at := 0
	for row := range sizes[0] {
		from := at
		for at < len(rows) && rows[at] == row {
			at++
		}
		var indices []int64
		for i := from; i < at; i++ {
			indices = append(indices, c.In[0].I()[i*(dims+1)+1:][:dims]...)
		}
		parts = append(parts, value.Ints(value.Int64, []int{at - from, dims}, indices), c.In[1].Rows(from, at), shape)
	}
	return packed(c, []int{sizes[0], 3}, parts)
}

func sparseRanks(c *ops.Call) error {
	for i, want := range []struct {
		rank int
		text string
	}{{2, "Input indices should be a matrix but received shape %s"}, {1, "Input values should be a vector but received shape %s"}, {1, "Input shape should be a vector but received shape %s"}} {
		if c.In[i].Rank() != want.rank {
			return ops.Invalidf(want.text, value.ShapeText(c.In[i].Shape()))
		}
	}
	return nil
}

// rowsOf returns the row of each value, after it has looked at the sparse tensor as SparseTensor does.
func rowsOf(c *ops.Call) (rows []int, err error) {
	if err := sparseRanks(c); err != nil {
		return nil, err
	}
	n, dims := c.In[0].Shape()[0], c.In[0].Shape()[1]
	sizes := c.In[2].I()
	switch {
	case len(sizes) < 2:
		return nil, ops.Invalidf("Rank of input SparseTensor should be > 1, but saw rank: %d", len(sizes))
	case n != c.In[1].Len():
		return nil, ops.Invalidf("indices and values rows (indexing dimension) must match. (indices = %d, values = %d)", n, c.In[1].Len())
	case dims != len(sizes):
		return nil, ops.Invalidf("Order length must be SparseTensor rank.")
	}
	var before []int64
	for i := range n {
		row := c.In[0].I()[i*dims:][:dims]
		where := ops.JoinInts(wide(row), ",")
		for d, at := range row {
			if at < 0 || at >= sizes[d] {
				return nil, ops.Invalidf("indices[%d] = [%s] is out of bounds: need 0 <= index < [%s]", i, where, ops.JoinInts(wide(sizes), ","))
			}
		}
		switch order := slices.Compare(before, row); {
		case i > 0 && order > 0:
			return nil, ops.Invalidf("indices[%d] = [%s] is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n", i, where)
		case i > 0 && order == 0:
			return nil, ops.Invalidf("indices[%d] = [%s] is repeated", i, where)
		}
		before, rows = row, append(rows, int(row[0]))
	}
	return rows, nil
}

func wide(list []int64) []int {
	out := make([]int, len(list))
	for i, x := range list {
		out[i] = int(x)
	}
	return out
}

func packed(c *ops.Call, shape []int, parts []ops.Value) ([]ops.Value, error) {
	if c.TypeOf("out_type") == value.Variant {
		list := make([]any, len(parts))
		for i, v := range parts {
			list[i] = part{v}
		}
		return ops.One(value.Handles(value.Variant, shape, list))
	}
	texts := make([]string, len(parts))
	for i, v := range parts {
		t, err := v.Tensor()
		if err != nil {
			return nil, c.Unsupported("%v", err)
		}
		text, err := proto.MarshalOptions{Deterministic: true}.Marshal(t.ContentProto())
		if err != nil {
			return nil, err
		}
		if texts[i] = string(text); !c.Env.Take(len(text), 1) {
			return nil, c.Unsupported("a text of %d bytes", len(text))
		}
	}
	return ops.One(value.Strings(shape, texts))
}

// unpackSparse joins sparse tensors that were packed, each as one row behind the dimensions of the input
// (core/kernels/deserialize_sparse_string_op.cc, deserialize_sparse_variant_op.cc).
func unpackSparse(c *ops.Call) ([]ops.Value, error) {
	v := c.In[0]
	shape := v.Shape()
	switch {
	case len(shape) == 0:
		return nil, ops.Invalidf("Serialized sparse should have non-zero rank []")
	case shape[len(shape)-1] != 3:
		return nil, ops.Invalidf("Serialized sparse should have 3 as the last dimension %s", value.ShapeText(shape))
	case v.Len() == 0:
		return nil, ops.Invalidf("Serialized sparse should have at least 1 serialized tensor, but has a zero dimension %s", value.ShapeText(shape))
	}
	outer := shape[:len(shape)-1]
	j := joined{c: c, outer: value.Strides(outer), sizes: slices.Clone(outer), dims: -1}
	for i := range v.Len() / 3 {
		if err := j.add(i, outer); err != nil {
			return nil, err
		}
	}
	values := value.Join(j.values...)
	if !c.Env.Take(values.Bytes()+8*len(j.indices), len(j.indices)) {
		return nil, ops.OutOfMemory(values.DType(), values.Shape())
	}
	return []ops.Value{value.Ints(value.Int64, []int{values.Len(), len(j.sizes)}, j.indices), values, value.Sizes(value.Int64, j.sizes)}, nil
}

// joined is the sparse tensor that others are joined into.
type joined struct {
	c       *ops.Call
	outer   []int // distances of neighbours in the outer dimensions
	dims    int   // of each tensor, -1 before the first
	sizes   []int
	indices []int64
	values  []ops.Value
}

func (j *joined) add(i int, outer []int) error {
	var three [3]ops.Value
	for k := range three {
		var err error
		if three[k], err = j.tensor(3*i + k); err != nil {
			return err
		}
	}
	if err := j.misfit(i, three[0], three[1], three[2]); err != nil {
		return err
	}
	sizes := three[2].I()
	if j.dims = len(sizes); i == 0 {
		j.sizes = append(j.sizes, make([]int, j.dims)...)
	}
	for d, n := range sizes {
		at := len(outer) + d
		j.sizes[at] = max(j.sizes[at], int(n))
	}
	for row := range three[1].Len() {
		for d, size := range outer {
			j.indices = append(j.indices, int64(i/j.outer[d]%size))
		}
		j.indices = append(j.indices, three[0].I()[row*j.dims:][:j.dims]...)
	}
	j.values = append(j.values, three[1])
	return nil
}

func (j *joined) misfit(i int, indices, values, shape ops.Value) error {
	for k, v := range []ops.Value{indices, shape} {
		if v.DType() != value.Int64 {
			return j.c.Unsupported("part %d of another dtype, which ends the runtime's process", 2*k)
		}
	}
	want := j.c.TypeOf("dtype")
	switch {
	case indices.Rank() != 2:
		return ops.Invalidf("Expected serialized_sparse[%d, 0] to represent an index matrix but received shape %s", i, value.ShapeText(indices.Shape()))
	case values.Rank() != 1:
		return ops.Invalidf("Expected serialized_sparse[%d, 1] to represent a values vector but received shape %s", i, value.ShapeText(values.Shape()))
	case shape.Rank() != 1:
		return ops.Invalidf("Expected serialized_sparse[%d, 1] to be a shape vector but its shape is %s", i, value.ShapeText(shape.Shape()))
	case values.DType() != want:
		return ops.Invalidf("Requested SparseTensor of type %s but SparseTensor[%d].values.dtype() == %s", tensor.DTypeName(want), i, tensor.DTypeName(values.DType()))
	case indices.Shape()[0] != values.Len():
		return ops.Invalidf("Expected row counts of SparseTensor[%d].indices and SparseTensor[%d].values to match but they do not: %d vs. %d", i, i, indices.Shape()[0], values.Len())
	case indices.Shape()[1] != shape.Len():
		return ops.Invalidf("Expected column counts of SparseTensor[%d].indices to match size of SparseTensor[%d].shape but they do not: %d vs. %d", i, i, indices.Shape()[1], shape.Len())
	case j.dims >= 0 && shape.Len() != j.dims:
		return ops.Invalidf("Inconsistent shape across SparseTensors: rank prior to SparseTensor[%d] was: %d but rank of SparseTensor[%d] is: %d", i, j.dims, i, shape.Len())
	}
	return nil
}

// tensor returns an element of the input.
func (j *joined) tensor(i int) (ops.Value, error) {
	if held := j.c.In[0].H(); held != nil {
		if p, ok := held[i].(part); ok {
			return p.Value, nil
		}
		return ops.Value{}, j.c.Unsupported("a variant of another kind")
	}
	message := &framework.TensorProto{}
	broken := ops.Invalidf("Could not parse serialized proto")
	if proto.Unmarshal([]byte(j.c.In[0].S()[i]), message) != nil {
		return ops.Value{}, broken
	}
	t, err := tensor.Parse(message)
	if err != nil || t.DType() == 0 {
		return ops.Value{}, broken
	}
	return value.FromTensor(t), nil
}
