package ops

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// spec is one begin:end:stride entry of a strided slice, applied to dimension dim.
type spec struct {
	begin, end, stride int
	openBegin, openEnd bool
	shrink             bool
	dim                int
}

// stridedSlice returns x[begin:end:stride], including Python's ellipsis, newaxis and single indices
// (core/util/strided_slice_op.cc).
func stridedSlice(c *Call) ([]Value, error) {
	var lists [3][]int
	for i := range lists {
		list, err := c.Ints(i + 1)
		if err != nil {
			return nil, err
		}
		lists[i] = list
	}
	if c.In[1].Rank() != 1 || c.In[2].Rank() != 1 || c.In[3].Rank() != 1 ||
		len(lists[0]) != len(lists[1]) || len(lists[1]) != len(lists[2]) || len(lists[0]) > 32 {
		return nil, Invalidf("Expected begin, end, and strides to be 1D equal size tensors, but got shapes %s, %s, and %s instead.",
			value.ShapeText(c.In[1].Shape()), value.ShapeText(c.In[2].Shape()), value.ShapeText(c.In[3].Shape()))
	}
	if c.In[0].Rank() == 0 && len(lists[0]) > 0 && c.Number("new_axis_mask") == 0 {
		return nil, Invalidf("Attempting to slice scalar input.")
	}
	specs, shape, err := c.sliceSpecs(lists)
	if err != nil {
		return nil, err
	}
	v := c.In[0]
	begin, window, step := make([]int, v.Rank()), slices.Clone(v.Shape()), ones(v.Rank())
	for _, s := range specs {
		first, n, err := s.on(v.Shape()[s.dim])
		if err != nil {
			return nil, err
		}
		begin[s.dim], window[s.dim], step[s.dim] = first, n, s.stride
	}
	part, err := c.window(v, begin, window, step)
	if err != nil {
		return nil, err
	}
	final := make([]int, len(shape))
	for i, d := range shape {
		if final[i] = 1; d >= 0 {
			final[i] = window[d]
		}
	}
	return One(part.Reshape(final))
}

// sliceSpecs assigns the slice entries to dimensions of the input. shape lists the input dimension
// of each dimension of the result, with -1 for a new dimension.
func (c *Call) sliceSpecs(lists [3][]int) (specs []spec, shape []int, err error) {
	rank, n := c.In[0].Rank(), len(lists[0])
	mask := func(name string, i int) bool { return c.Number(name)>>i&1 == 1 }
	ellipsis, after := -1, 0
	for i := range n {
		if mask("ellipsis_mask", i) {
			ellipsis, after = i, 0
			continue
		}
		if !mask("new_axis_mask", i) {
			after++
		}
	}
	if ellipsis < 0 {
		after = 0
	}
	dim := 0
	for i := range n {
		switch {
		case i == ellipsis:
			for ; dim < rank-after; dim++ {
				shape = append(shape, dim)
			}
		case mask("new_axis_mask", i):
			shape = append(shape, -1)
		case dim >= rank:
			return nil, nil, Invalidf("Index out of range using input dim %d; input has only %d dims", dim, rank)
		default:
			s := spec{begin: lists[0][i], end: lists[1][i], stride: lists[2][i], dim: dim,
				openBegin: mask("begin_mask", i), openEnd: mask("end_mask", i), shrink: mask("shrink_axis_mask", i)}
			if s.stride == 0 {
				return nil, nil, Invalidf("strides[%d] must be non-zero", i)
			}
			if s.shrink && s.stride < 0 {
				return nil, nil, Invalidf("only stride 1 allowed on non-range indexing.")
			}
			specs = append(specs, s)
			if !s.shrink {
				shape = append(shape, dim)
			}
			dim++
		}
	}
	for ; dim < rank; dim++ {
		shape = append(shape, dim)
	}
	return specs, shape, nil
}

// on returns the first position and the number of positions that the entry selects in a dimension
// of the given size.
func (s spec) on(size int) (first, n int, err error) {
	if s.shrink {
		at, ok := AxisOf(s.begin, size)
		if !ok {
			return 0, 0, Invalidf("slice index %d of dimension %d out of bounds.", at, s.dim)
		}
		return at, 1, nil
	}
	low, high := 0, size // begin and end are limited to this range
	if s.stride < 0 {
		low, high = -1, size-1
	}
	clamp := func(at int, open bool, otherwise int) int {
		if open {
			return otherwise
		}
		if at < 0 {
			at += size
		}
		return min(max(at, low), high)
	}
	from, to := clamp(s.begin, s.openBegin, low), clamp(s.end, s.openEnd, high)
	if s.stride < 0 {
		from, to = clamp(s.begin, s.openBegin, high), clamp(s.end, s.openEnd, low)
	}
	if (to-from < 0) == (s.stride < 0) && to != from {
		n = (to - from) / s.stride
		if (to-from)%s.stride != 0 {
			n++
		}
	}
	return max(from, 0), n, nil
}
