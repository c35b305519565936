package ops

import (
	"slices"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// sliceOps holds the operations that cut out a part of a tensor, or pad it.
var sliceOps = map[string]Kernel{
	"Slice": Of2(ints(1), ints(2), slice), "StridedSlice": stridedSlice, "Split": Of(scalar(0), split),
	"SplitV": Of2(ints(1), scalar(2), splitV), "Unpack": unpack,
	"ReverseV2": Of(ints(1), reverse), "Reverse": reverseFlags, "ReverseSequence": Of(ints(1), reverseSequence), "SpaceToBatchND": Of2(ints(1), ints(2), spaceToBatch),
	"BatchToSpaceND": Of2(ints(1), ints(2), batchToSpace), "Pad": pad, "PadV2": pad, "MirrorPad": mirrorPad, "Tile": Of(ints(1), tile), "Roll": Of2(ints(1), ints(2), roll),
}

// window returns a window of v. For each dimension, begin holds the window's first index in v,
// shape its size, and step the distance in v between neighbours.
func (c *Call) window(v Value, begin, shape, step []int) (Value, error) {
	if _, err := c.Room(v.DType(), shape); err != nil {
		return Value{}, err
	}
	start, steps := 0, make([]int, v.Rank())
	for d, stride := range value.Strides(v.Shape()) {
		start += begin[d] * stride
		steps[d] = stride * step[d]
	}
	return v.Pick(shape, value.Walk(shape, steps, start)), nil
}

func ones(n int) []int { return slices.Repeat([]int{1}, n) }

func slice(c *Call, begin, size []int) ([]Value, error) {
	v := c.In[0]
	if len(begin) != v.Rank() || len(size) != v.Rank() || c.In[1].Rank() != 1 || c.In[2].Rank() != 1 {
		return nil, Invalidf("Expected begin and size arguments to be 1-D tensors of size %d, but got shapes %s and %s instead.",
			v.Rank(), value.ShapeText(c.In[1].Shape()), value.ShapeText(c.In[2].Shape()))
	}
	size = slices.Clone(size)
	for d, all := range v.Shape() {
		if size[d] == -1 {
			size[d] = all - begin[d]
		}
		if begin[d] < 0 || begin[d] > all {
			return nil, Invalidf("Expected begin[%d] in [0, %d], but got %d", d, all, begin[d])
		}
		if size[d] < 0 || begin[d]+size[d] > all {
			return nil, Invalidf("Expected size[%d] in [0, %d], but got %d", d, all-begin[d], size[d])
		}
	}
	part, err := c.window(v, begin, size, ones(v.Rank()))
	return []Value{part}, err
}

// AxisOf returns the index of a dimension. A negative axis counts from the end. It returns false if
// the axis is out of range.
func AxisOf(axis, rank int) (int, bool) {
	if axis < 0 {
		axis += rank
	}
	return axis, axis >= 0 && axis < rank
}

// parts cuts v into parts along one dimension, whose index is axis. sizes holds the sizes of the
// parts in that dimension.
func (c *Call) parts(v Value, axis int, sizes []int) ([]Value, error) {
	begin, shape := make([]int, v.Rank()), slices.Clone(v.Shape())
	out := make([]Value, len(sizes))
	for i, size := range sizes {
		shape[axis] = size
		part, err := c.window(v, begin, slices.Clone(shape), ones(v.Rank()))
		if err != nil {
			return nil, err
		}
		out[i] = part
		begin[axis] += size
	}
	return out, nil
}

func split(c *Call, asked int) ([]Value, error) {
	v, ways := c.In[1], c.Number("num_split")
	axis, ok := AxisOf(asked, v.Rank())
	if !ok {
		return nil, Invalidf("-input rank(-%d) <= split_dim < input rank (%d), but got %d", v.Rank(), v.Rank(), asked)
	}
	size := v.Shape()[axis]
	if ways < 1 || size%ways != 0 {
		return nil, Invalidf("Number of ways to split should evenly divide the split dimension, but got split_dim %d (size = %d) and num_split %d",
			axis, size, ways)
	}
	return c.parts(v, axis, slices.Repeat([]int{size / ways}, ways))
}

func splitV(c *Call, sizes []int, asked int) ([]Value, error) {
	v := c.In[0]
	if c.In[1].Rank() != 1 || len(sizes) != c.Number("num_split") {
		return nil, Invalidf("size of the split_tensor must be 1-D and have the same elements as outputs got %d -D and %d elements", c.In[1].Rank(), len(sizes))
	}
	axis, ok := AxisOf(asked, v.Rank())
	if !ok {
		return nil, Invalidf("-input rank(-%d) <= split_dim < input rank (%d), but got %d", v.Rank(), v.Rank(), asked)
	}
	sum, open := 0, -1
	sizes = slices.Clone(sizes)
	for i, size := range sizes {
		if size == -1 {
			if open >= 0 {
				return nil, Invalidf("There can only be one -1 in the input.")
			}
			open = i
			continue
		}
		sum += size
	}
	if all := v.Shape()[axis]; open < 0 && sum != all || sum > all {
		return nil, Invalidf("Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of the input along split_dim if not fully specified.  Got: %d", sum)
	}
	if open >= 0 {
		sizes[open] = v.Shape()[axis] - sum
	}
	for i, size := range sizes {
		if size < 0 {
			return nil, Invalidf("Split size at index %d must be >= 0. Got: %d", i, size)
		}
	}
	return c.parts(v, axis, sizes)
}

func unpack(c *Call) ([]Value, error) {
	v, num := c.In[0], c.Number("num")
	axis, ok := AxisOf(c.Number("axis"), v.Rank())
	if !ok {
		return nil, Invalidf("axis = %d not in [%d, %d)", c.Number("axis"), -v.Rank(), v.Rank())
	}
	if v.Shape()[axis] != num {
		return nil, Invalidf("Input shape axis %d must equal %d, got shape %s", axis, num, value.ShapeText(v.Shape()))
	}
	list, err := c.parts(v, axis, ones(num))
	for i := range list {
		list[i] = list[i].Reshape(slices.Delete(slices.Clone(list[i].Shape()), axis, axis+1))
	}
	return list, err
}

func reverse(c *Call, axes []int) ([]Value, error) {
	v := c.In[0]
	if v.Rank() == 0 {
		return One(v)
	}
	if c.In[1].Rank() != 1 {
		return nil, Invalidf("'dims' must be 1-dimension, not %d", c.In[1].Rank())
	}
	begin, step := make([]int, v.Rank()), ones(v.Rank())
	for i, asked := range axes {
		axis, ok := AxisOf(asked, v.Rank())
		if !ok {
			return nil, Invalidf("'axis'[%d] = %d is out of valid range [0, %d", i, asked, v.Rank()-1)
		}
		if step[axis] < 0 {
			return nil, Invalidf("axis %d specified more than once.", axis)
		}
		begin[axis], step[axis] = v.Shape()[axis]-1, -1
	}
	if v.Rank() > 8 {
		return nil, Statusf(rpcerrors.Unimplemented, "reverse is not implemented for tensors of rank > 8.")
	}
	part, err := c.window(v, begin, v.Shape(), step)
	return []Value{part}, err
}

// reverseFlags reverses the dimensions for which an input is true.
func reverseFlags(c *Call) ([]Value, error) {
	v, flags := c.In[0], c.In[1]
	switch {
	case v.Rank() == 0:
		return One(v)
	case flags.Rank() != 1:
		return nil, Invalidf("'dims' must be 1-dimension, not %d", flags.Rank())
	case flags.Len() != v.Rank():
		return nil, Invalidf("'dims' must have the same number of values as 'input' has dimensions. 'input' has %d'dims' has %d values", v.Rank(), flags.Len())
	case v.Shape()[0] == 0:
		return nil, Invalidf("Invalid input first dimension. Found 0.")
	}
	var axes []int64
	for d, is := range flags.B() {
		if is {
			axes = append(axes, int64(d))
		}
	}
	return reverse(&Call{Node: c.Node, In: []Value{v, value.Ints(value.Int32, []int{len(axes)}, axes)}, Env: c.Env}, wholeInts(axes))
}

// around returns where each element of a padded tensor comes from: its index in v, or -1 for
// padding. shape is the shape of the padded tensor. from maps an index along dimension d of the
// padded tensor to an index along dimension d of v, or to -1.
func (c *Call) around(v Value, shape []int, from func(d, at int) int) ([]int, error) {
	if _, err := c.Room(v.DType(), shape); err != nil {
		return nil, err
	}
	places := value.Walk(shape, make([]int, len(shape)), 0) // all 0
	inner, strides := value.Strides(v.Shape()), value.Strides(shape)
	for i := range places {
		for d := range shape {
			at := from(d, i/strides[d]%shape[d])
			if at < 0 {
				places[i] = -1
				break
			}
			places[i] += at * inner[d]
		}
	}
	return places, nil
}

func (c *Call) paddings() (paddings []int, shape []int, err error) {
	v := c.In[0]
	paddings, err = c.Ints(1)
	if err != nil {
		return nil, nil, err
	}
	if c.In[1].Rank() != 2 || c.In[1].Shape()[1] != 2 {
		return nil, nil, Invalidf("paddings must be a matrix with 2 columns: %s", value.ShapeText(c.In[1].Shape()))
	}
	between, word := " ", "Paddings"
	if c.Op == "MirrorPad" {
		between, word = ", ", "paddings"
	}
	if len(paddings) != 2*v.Rank() {
		return nil, nil, Invalidf("The first dimension of paddings must be the rank of inputs%s%s%s", value.ShapeText(c.In[1].Shape()), between, value.ShapeText(v.Shape()))
	}
	shape = slices.Clone(v.Shape())
	for d := range shape {
		if paddings[2*d] < 0 || paddings[2*d+1] < 0 {
			return nil, nil, Invalidf("%s must be non-negative: %d %d", word, paddings[2*d], paddings[2*d+1])
		}
		shape[d] += paddings[2*d] + paddings[2*d+1]
	}
	return paddings, shape, nil
}

func pad(c *Call) ([]Value, error) {
	paddings, shape, err := c.paddings()
	if err != nil {
		return nil, err
	}
	places, err := c.around(c.In[0], shape, func(d, at int) int {
		if at -= paddings[2*d]; at < c.In[0].Shape()[d] {
			return at
		}
		return -1
	})
	if err != nil {
		return nil, err
	}
	if len(c.In) > 2 {
		if c.In[2].Rank() != 0 {
			return nil, Invalidf("constant_values must be a scalar. Found: %s", value.ShapeText(c.In[2].Shape()))
		}
		return One(c.In[0].PickOr(shape, places, c.In[2]))
	}
	return One(c.In[0].Pick(shape, places))
}

func mirrorPad(c *Call) ([]Value, error) {
	paddings, shape, err := c.paddings()
	if err != nil {
		return nil, err
	}
	edge := 0 // number of elements at the edge that are not mirrored: 0 or 1
	if c.Text("mode") == "REFLECT" {
		edge = 1
	}
	for d, size := range c.In[0].Shape() {
		if edge == 1 && max(paddings[2*d], paddings[2*d+1]) >= size {
			return nil, Invalidf("paddings must be less than the dimension size: %d, %d not less than %d", paddings[2*d], paddings[2*d+1], size)
		}
		if max(paddings[2*d], paddings[2*d+1]) > size {
			return nil, Invalidf("paddings must be no greater than the dimension size: %d, %d greater than %d", paddings[2*d], paddings[2*d+1], size)
		}
	}
	places, err := c.around(c.In[0], shape, func(d, at int) int {
		size := c.In[0].Shape()[d]
		switch at -= paddings[2*d]; {
		case at < 0:
			return edge - 1 - at
		case at >= size:
			return 2*size - 1 - edge - at
		}
		return at
	})
	if err != nil {
		return nil, err
	}
	return One(c.In[0].Pick(shape, places))
}

func tile(c *Call, multiples []int) ([]Value, error) {
	v := c.In[0]
	if c.In[1].Rank() != 1 {
		return nil, Invalidf("Expected multiples to be 1-D, but got shape %s", value.ShapeText(c.In[1].Shape()))
	}
	if len(multiples) != v.Rank() {
		return nil, Invalidf("Expected multiples argument to be a vector of length %d but got length %d", v.Rank(), len(multiples))
	}
	shape := slices.Clone(v.Shape())
	for d, times := range multiples {
		if times < 0 {
			return nil, Invalidf("Expected multiples[%d] >= 0, but got %d", d, times)
		}
		if shape[d] != 0 && times > MaxElements {
			return nil, OutOfMemory(v.DType(), []int{times})
		}
		shape[d] *= times
	}
	places, err := c.around(v, shape, func(d, at int) int { return at % v.Shape()[d] })
	if err != nil {
		return nil, err
	}
	return One(v.Pick(shape, places))
}

func roll(c *Call, shifts, axes []int) ([]Value, error) {
	v := c.In[0]
	switch {
	case v.Rank() == 0:
		return nil, Invalidf("input must be 1-D or higher")
	case c.In[1].Rank() > 1:
		return nil, Invalidf("shift must be a scalar or a 1-D vector. Found: %s", value.ShapeText(c.In[1].Shape()))
	case c.In[2].Rank() > 1:
		return nil, Invalidf("axis must be a scalar or a 1-D vector. Found: %s", value.ShapeText(c.In[2].Shape()))
	case !slices.Equal(c.In[1].Shape(), c.In[2].Shape()):
		return nil, Invalidf("shift and axis must have the same size")
	}
	by := make([]int, v.Rank())
	for i, asked := range axes {
		axis, ok := AxisOf(asked, v.Rank())
		if !ok {
			return nil, Invalidf("axis %d is out of range", axis)
		}
		by[axis] += shifts[i]
	}
	places, err := c.around(v, v.Shape(), func(d, at int) int {
		size := v.Shape()[d]
		return ((at-by[d])%size + size) % size
	})
	if err != nil {
		return nil, err
	}
	return One(v.Pick(v.Shape(), places))
}

// reverseSequence reverses the beginning of each row along a dimension. lengths holds, for each
// row, how many elements are reversed.
func reverseSequence(c *Call, lengths []int) ([]Value, error) {
	v, batch, along := c.In[0], c.Number("batch_dim"), c.Number("seq_dim")
	switch {
	case c.In[1].Rank() != 1:
		return nil, Invalidf("seq_lengths must be 1-dim, not %d", c.In[1].Rank())
	case batch == along:
		return nil, Invalidf("batch_dim == seq_dim == %d", along)
	case along >= v.Rank():
		return nil, Invalidf("seq_dim must be < input rank ( %d vs. %d)", along, v.Rank())
	case batch >= v.Rank():
		return nil, Invalidf("batch_dim must be < input rank ( %d vs. %d)", batch, v.Rank())
	case len(lengths) != v.Shape()[batch]:
		return nil, Invalidf("Length of seq_lengths != input.dims(%d), (%d vs. %d)", batch, len(lengths), v.Shape()[batch])
	}
	for i, n := range lengths {
		switch {
		case n < 0:
			return nil, Invalidf("seq_lens(%d) < 0", i)
		case n > v.Shape()[along]:
			return nil, Invalidf("seq_lens(%d) > input.dims(%d)", i, along)
		}
	}
	if v.Rank() > 5 {
		return nil, Invalidf("ReverseSequenceOp : Unhandled input dimensions: %d", v.Rank())
	}
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	places, strides := make([]int, v.Len()), value.Strides(v.Shape())
	for i := range places {
		row, at := i/strides[batch]%v.Shape()[batch], i/strides[along]%v.Shape()[along]
		if places[i] = i; at < lengths[row] {
			places[i] += (lengths[row] - 1 - 2*at) * strides[along]
		}
	}
	return One(v.Pick(v.Shape(), places))
}

// blockError checks the inputs of SpaceToBatchND or BatchToSpaceND and returns the error for the
// first fault. name is what the operation calls its last input.
func (c *Call) blockError(blocks []int, name string) error {
	v, edges := c.In[0], c.In[2].Shape()
	if c.In[1].Rank() != 1 {
		return Invalidf("block_shape rank should be 1 instead of %d", c.In[1].Rank())
	}
	if v.Rank() < 1+len(blocks) {
		return Invalidf("input rank should be >= %d instead of %d", 1+len(blocks), v.Rank())
	}
	if !slices.Equal(edges, []int{len(blocks), 2}) {
		return Invalidf("%s should have shape [%d, 2] instead of %s", name, len(blocks), value.ShapeText(edges))
	}
	if all := 1; c.Op == "BatchToSpaceND" {
		for _, block := range blocks {
			all *= block
		}
		if all <= 0 {
			return Invalidf("Product of block sizes must be positive, got %d", all)
		}
	}
	for d, block := range blocks {
		if block < 1 {
			return Invalidf("All values in block_shape must be positive, got value, %d at index %d.", block, d)
		}
	}
	return nil
}

// blocks returns the product of the sizes of a block, after checking the inputs of an operation. name
// is the name of its third input.
func (c *Call) blocks(blocks []int, name string) (product int, err error) {
	if err := c.blockError(blocks, name); err != nil {
		return 0, err
	}
	product, ok := value.Count(blocks)
	if !ok || product > MaxElements {
		return 0, c.Unsupported("blocks of %v", blocks)
	}
	return product, nil
}

// spaceToBatch pads the dimensions after the first and cuts them into blocks. The position of an
// element within its block then becomes part of the first dimension
// (core/kernels/spacetobatch_op.cc).
func spaceToBatch(c *Call, blocks, paddings []int) ([]Value, error) {
	all, err := c.blocks(blocks, "paddings")
	if err != nil {
		return nil, err
	}
	v := c.In[0]
	shape := slices.Clone(v.Shape())
	shape[0] *= all
	for d, block := range blocks {
		before, after := paddings[2*d], paddings[2*d+1]
		if before < 0 || after < 0 {
			return nil, Invalidf("Paddings must be non-negative")
		}
		if shape[d+1] += before + after; shape[d+1]%block != 0 {
			return nil, Invalidf("padded_shape[%d]=%d is not divisible by block_shape[%d]=%d", d, shape[d+1], d, block)
		}
		shape[d+1] /= block
	}
	return c.blockwise(shape, func(at []int) int {
		in := v.Shape()
		place, offset := at[0]%in[0], at[0]/in[0]
		inside := 1
		for d := range in[1:] {
			x := at[d+1]
			if d < len(blocks) {
				inside *= blocks[d]
				x = x*blocks[d] + offset/(all/inside)%blocks[d] - paddings[2*d]
			}
			if x < 0 || x >= in[d+1] {
				return -1
			}
			place = place*in[d+1] + x
		}
		return place
	})
}

// batchToSpace is the inverse of spaceToBatch. It crops its result, whereas spaceToBatch pads its
// input.
func batchToSpace(c *Call, blocks, crops []int) ([]Value, error) {
	all, err := c.blocks(blocks, "crops")
	if err != nil {
		return nil, err
	}
	v := c.In[0]
	shape := slices.Clone(v.Shape())
	if shape[0]%all != 0 {
		return nil, Invalidf("Input batch dimension (%d) is not divisible by product of block sizes (%d)", shape[0], all)
	}
	shape[0] /= all
	for d, block := range blocks {
		before, after := crops[2*d], crops[2*d+1]
		if before < 0 || after < 0 {
			return nil, Invalidf("Crops must be non-negative")
		}
		if shape[d+1] = shape[d+1]*block - before - after; shape[d+1] < 0 {
			return nil, Invalidf("cropped_shape[%d]=%d must be non-negative", d, shape[d+1])
		}
	}
	return c.blockwise(shape, func(at []int) int {
		offset := 0
		for d, block := range blocks {
			offset = offset*block + (at[d+1]+crops[2*d])%block
		}
		place := offset*shape[0] + at[0]
		for d, size := range v.Shape()[1:] {
			x := at[d+1]
			if d < len(blocks) {
				x = (x + crops[2*d]) / blocks[d]
			}
			place = place*size + x
		}
		return place
	})
}

// blockwise makes a tensor of the given shape from elements of the first input. The function from
// returns, for an index of the result, the position of the element in the input, or -1 for a zero.
func (c *Call) blockwise(shape []int, from func(at []int) int) ([]Value, error) {
	n, err := c.Room(c.In[0].DType(), shape)
	if err != nil {
		return nil, err
	}
	places, at, strides := make([]int, n), make([]int, len(shape)), value.Strides(shape)
	for i := range places {
		for d, stride := range strides {
			at[d] = i / stride % shape[d]
		}
		places[i] = from(at)
	}
	return One(c.In[0].Pick(shape, places))
}
