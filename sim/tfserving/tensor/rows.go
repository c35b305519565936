package tensor

import (
	"slices"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

// Concat joins tensors of one dtype along the first dimension. The other dimensions must be equal.
func Concat(parts []Tensor) Tensor {
	if len(parts) == 1 {
		return parts[0]
	}
	joined := Tensor{dtype: parts[0].dtype, shape: slices.Clone(parts[0].shape)}
	joined.shape[0] = 0
	for _, t := range parts {
		joined.shape[0] += t.shape[0]
		joined.count += t.count
		joined.raw = append(joined.raw, t.raw...)
		joined.strings = append(joined.strings, t.strings...)
	}
	return joined
}

// Rows returns the rows [from, to) along the first dimension. They share memory with t.
func (t Tensor) Rows(from, to int64) Tensor {
	if from == 0 && to == t.shape[0] {
		return t
	}
	rows := Tensor{dtype: t.dtype, shape: slices.Clone(t.shape)}
	rows.shape[0] = to - from
	if t.count == 0 {
		return rows
	}
	each := t.count / int(t.shape[0])
	rows.count = each * int(to-from)
	first, last := each*int(from), each*int(to)
	if t.dtype == framework.DataType_DT_STRING {
		rows.strings = t.strings[first:last:last]
		return rows
	}
	size := Size(t.dtype)
	rows.raw = t.raw[first*size : last*size : last*size]
	return rows
}

// Padded returns the tensor with all dimensions except the first extended to the given sizes. New
// elements come after the old ones and equal the tensor's first element. The tensor must not be
// empty, and sizes must have an entry for each dimension.
func (t Tensor) Padded(sizes []int64) Tensor {
	grown := Tensor{dtype: t.dtype, shape: slices.Clone(sizes)}
	grown.shape[0] = t.shape[0]
	if slices.Equal(grown.shape, t.shape) {
		return t
	}
	grown.fill(t, 0, 0)
	return grown
}

// fill appends a part of the tensor from to t. The part begins with element at, and spans the
// dimension dim and all after it. fill pads each of these dimensions to its size in t.
func (t *Tensor) fill(from Tensor, dim, at int) {
	if dim == len(from.shape) {
		t.add(from, at)
		return
	}
	inner := 1
	for _, size := range from.shape[dim+1:] {
		inner *= int(size)
	}
	for i := range from.shape[dim] {
		t.fill(from, dim+1, at+int(i)*inner)
	}
	missing := int(t.shape[dim] - from.shape[dim])
	for _, size := range t.shape[dim+1:] {
		missing *= int(size)
	}
	for range missing {
		t.add(from, 0)
	}
}

// add appends element i of the tensor from.
func (t *Tensor) add(from Tensor, i int) {
	t.count++
	if from.dtype == framework.DataType_DT_STRING {
		t.strings = append(t.strings, from.strings[i])
		return
	}
	t.raw = append(t.raw, from.at(i)...)
}
