package ops

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// shapeOps holds the operations that return, set or permute shapes.
var shapeOps = map[string]Kernel{
	"Shape": shapeOf, "ShapeN": shapeOf, "Size": sizeOf, "Rank": rankOf,
	"Reshape": Of(ints(1), reshape), "ExpandDims": expandDims, "Squeeze": squeeze,
	"Transpose": Of(ints(1), transpose), "ConjugateTranspose": Of(ints(1), transpose), "InvertPermutation": Of(ints(0), invertPermutation),
	"BroadcastTo": Of(ints(1), broadcastTo), "BroadcastArgs": Of2(ints(0), ints(1), broadcastArgs),
	"UnravelIndex": Of2(ints(0), ints(1), unravel), "DataFormatDimMap": Of(ints(0), mapDims), "DataFormatVecPermute": permuteFormat,
}

func shapeOf(c *Call) ([]Value, error) {
	return lists.Map(c.In, func(v Value) Value { return value.Sizes(c.outType(), v.Shape()) }), nil
}

// outType returns the dtype of the sizes that the operation returns; DT_INT32 by default.
func (n *Node) outType() DType {
	if dtype := n.TypeOf("out_type"); dtype != 0 {
		return dtype
	}
	return value.Int32
}

func sizeOf(c *Call) ([]Value, error) {
	return One(value.Ints(c.outType(), nil, []int64{int64(c.In[0].Len())}))
}

func rankOf(c *Call) ([]Value, error) { return One(value.Scalar32(c.In[0].Rank())) }

func reshape(c *Call, sizes []int) ([]Value, error) {
	if c.In[1].Rank() > 1 {
		return nil, Invalidf("sizes input must be 1-D, not %s", value.ShapeText(c.In[1].Shape()))
	}
	open, product, hasZero := -1, 1, false // product is the product of the sizes above 0
	shape := slices.Clone(sizes)
	for d, size := range shape {
		switch {
		case size == -1 && open >= 0:
			return nil, Invalidf("Only one input size may be -1, not both %d and %d", open, d)
		case size == -1:
			open = d
		case size < 0:
			return nil, Invalidf("Size %d must be non-negative, not %d", d, size)
		case size == 0:
			hasZero = true
		default:
			product *= size
		}
	}
	n := c.In[0].Len()
	if open >= 0 {
		counted := n
		if hasZero { // product leaves out sizes of 0, so counted does too
			counted, _ = value.Count(slices.DeleteFunc(slices.Clone(c.In[0].Shape()), func(size int) bool { return size == 0 }))
		}
		shape[open] = counted / product
		if counted%product != 0 && (n > 0 || !hasZero) {
			return nil, Invalidf("Input to reshape is a tensor with %d values, but the requested shape requires a multiple of %d", n, product)
		}
	}
	got, ok := value.Count(slices.DeleteFunc(slices.Clone(shape), func(size int) bool { return size == 0 }))
	if !ok {
		return nil, Invalidf("Shape [%s] has too many elements", JoinInts(shape, ", "))
	}
	if slices.Contains(shape, 0) {
		got = 0
	}
	if got != n {
		return nil, Invalidf("Input to reshape is a tensor with %d values, but the requested shape has %d", n, got)
	}
	return One(c.In[0].Reshape(shape))
}

func expandDims(c *Call) ([]Value, error) {
	if c.In[1].Len() != 1 {
		return nil, Invalidf("'dim' must be a tensor with a single value")
	}
	axis, err := c.Int(1)
	if err != nil {
		return nil, err
	}
	rank := c.In[0].Rank()
	if axis < -rank-1 || axis > rank {
		return nil, Invalidf("Tried to expand dim index %d for tensor with %d dimensions.", axis, rank)
	}
	if axis < 0 {
		axis += rank + 1
	}
	return One(c.In[0].Reshape(slices.Insert(slices.Clone(c.In[0].Shape()), axis, 1)))
}

func squeeze(c *Call) ([]Value, error) {
	rank := c.In[0].Rank()
	asked := map[int]bool{}
	axes := c.Numbers("squeeze_dims")
	slices.Reverse(axes) // C++ walks its set of axes in this order
	for _, axis := range axes {
		if axis < -rank || axis >= rank {
			return nil, Invalidf("Tried to squeeze dim index %d for tensor with %d dimensions.", axis, rank)
		}
		asked[(axis+rank)%rank] = true
	}
	shape := []int{}
	for d, size := range c.In[0].Shape() {
		switch {
		case asked[d] && size != 1:
			return nil, Invalidf("Can not squeeze dim[%d], expected a dimension of 1, got %d", d, size)
		case size == 1 && (asked[d] || len(asked) == 0):
		default:
			shape = append(shape, size)
		}
	}
	return One(c.In[0].Reshape(shape))
}

func transpose(c *Call, order []int) ([]Value, error) {
	v := c.In[0]
	if c.In[1].Rank() != 1 {
		return nil, Invalidf("perm must be rank 1, got shape %s", value.ShapeText(c.In[1].Shape()))
	}
	if len(order) != v.Rank() {
		return nil, Invalidf("transpose expects a vector of size %d. But input(1) is a vector of size %d", v.Rank(), len(order))
	}
	strides := value.Strides(v.Shape())
	shape, steps, seen := make([]int, v.Rank()), make([]int, v.Rank()), make([]bool, v.Rank())
	for i, d := range order {
		if d < 0 {
			d += v.Rank()
		}
		if d < 0 || d >= v.Rank() {
			return nil, Invalidf("%d is out of range [0 .. %d)", d, v.Rank())
		}
		shape[i], steps[i], seen[d] = v.Shape()[d], strides[d], true
	}
	if missing := slices.Index(seen, false); missing >= 0 {
		return nil, Invalidf("%d is missing from {%s}.", missing, JoinInts(order, ","))
	}
	if _, err := c.Room(v.DType(), shape); err != nil {
		return nil, err
	}
	return One(v.Pick(shape, value.Walk(shape, steps, 0)))
}

func invertPermutation(c *Call, order []int) ([]Value, error) {
	if c.In[0].Rank() != 1 {
		return nil, Invalidf("invert_permutation expects a 1D vector.")
	}
	inverse := make([]int64, len(order))
	seen := make([]bool, len(order))
	for i, d := range order {
		switch {
		case d < 0 || d >= len(order):
			return nil, Invalidf("%d is not between 0 and %d", d, len(order))
		case seen[d]:
			return nil, Invalidf("%d is duplicated in the input.", d)
		}
		inverse[d], seen[d] = int64(i), true
	}
	return One(value.Ints(c.In[0].DType(), c.In[0].Shape(), inverse))
}

func broadcastTo(c *Call, shape []int) ([]Value, error) {
	v := c.In[0]
	if c.In[1].Rank() != 1 {
		return nil, Invalidf("shape must be a vector of {int32,int64}, got shape %s", value.ShapeText(c.In[1].Shape()))
	}
	if v.Rank() > len(shape) {
		return nil, Invalidf("Rank of input (%d) must be no greater than rank of output shape (%d).", v.Rank(), len(shape))
	}
	if err := sizesError(shape); err != nil {
		return nil, err
	}
	result, ok := value.Broadcast(v.Shape(), shape)
	if !ok || !slices.Equal(result, shape) {
		return nil, Invalidf("Incompatible shapes: %s vs. %s", value.ShapeText(v.Shape()), value.ShapeText(shape))
	}
	return c.spread(v, shape)
}

// spread broadcasts a tensor to a shape.
func (c *Call) spread(v Value, shape []int) ([]Value, error) {
	n, err := c.Room(v.DType(), shape)
	if err != nil {
		return nil, err
	}
	index := value.BroadcastIndex(v.Shape(), shape)
	places := make([]int, n)
	for i := range places {
		places[i] = index.At(i)
	}
	return One(v.Pick(shape, places))
}

func broadcastArgs(c *Call, a, b []int) ([]Value, error) {
	for i, v := range c.In {
		if v.Rank() != 1 {
			return nil, Invalidf("In[%d] must be a vector.%s", i, value.ShapeText(v.Shape()))
		}
	}
	shape, ok := value.Broadcast(a, b)
	if !ok {
		return nil, Invalidf("Incompatible shapes: [%s] vs. [%s]", JoinInts(a, ","), JoinInts(b, ","))
	}
	return One(value.Sizes(c.In[0].DType(), shape))
}

// unravel returns the index in each dimension of elements that are given by their positions. A negative
// position is not looked at (core/kernels/unravel_index_op.cc).
func unravel(c *Call, list, dims []int) ([]Value, error) {
	indices := c.In[0]
	switch {
	case indices.Rank() > 1:
		return nil, Invalidf("The indices can only be scalar or vector, got \"%s\"", value.ShapeText(indices.Shape()))
	case c.In[1].Rank() != 1:
		return nil, Invalidf("The indices can only be 1-D, got \"%s\"", value.ShapeText(c.In[1].Shape()))
	case indices.Len() == 0:
		return nil, Invalidf("received empty tensor indices: %s", debugText(indices))
	}
	for d, size := range dims {
		switch {
		case size < 0:
			return nil, Invalidf("Input dims cannot be negative. Got dim = %d at index %d", size, d)
		case size == 0:
			return nil, Invalidf("Input dims cannot contain a dim of zero, but dims contains zero at index %d", d)
		}
	}
	total, ok := value.Count(dims)
	if !ok {
		return nil, c.Unsupported("sizes whose product overflows")
	}
	if slices.Max(list) >= total {
		return nil, Invalidf("index is out of bound as with dims")
	}
	shape := append([]int{len(dims)}, indices.Shape()...)
	if _, err := c.Room(indices.DType(), shape); err != nil {
		return nil, err
	}
	var out []int64
	for d, step := range value.Strides(dims) {
		for _, at := range list {
			out = append(out, int64(at/step%dims[d]))
		}
	}
	return One(value.Ints(indices.DType(), shape, out))
}

// formats returns the attributes that name the dimensions of the input and of the output.
func (c *Call) formats() (from, to string, err error) {
	from, to = c.Text("src_format"), c.Text("dst_format")
	if len(from) != 4 || len(to) != 4 || strings.Trim(from, to) != "" {
		err = c.Unsupported("%s to %s", from, to)
	}
	return from, to, err
}

// mapDims returns where dimensions of one format are in another (core/kernels/data_format_ops.cc).
func mapDims(c *Call, list []int) ([]Value, error) {
	from, to, err := c.formats()
	if err != nil {
		return nil, err
	}
	out := lists.Map(list, func(d int) int64 { return int64(strings.IndexByte(to, from[(d%4+4)%4])) })
	return One(value.Ints(c.In[0].DType(), c.In[0].Shape(), out))
}

// permuteFormat puts the rows for dimensions of one format, or for the two of space only, in the order of
// another.
func permuteFormat(c *Call) ([]Value, error) {
	v := c.In[0]
	shape := v.Shape()
	text := value.ShapeText(shape)
	switch {
	case len(shape) != 1 && len(shape) != 2:
		return nil, Invalidf("input must be a vector or 2D tensor, but got shape %s", text)
	case len(shape) == 1 && shape[0] != 2 && shape[0] != 4:
		return nil, Invalidf("1D input must be of size 2 or 4, but got shape %s", text)
	case len(shape) == 2 && shape[0] != 2 && shape[0] != 4:
		return nil, Invalidf("First dimension of 2D input must be of size 2 or 4, but got shape %s", text)
	case len(shape) == 2 && shape[1] != 2:
		return nil, Invalidf("Second dimension of 2D input must be of size 2, but got shape %s", text)
	}
	from, to, err := c.formats()
	if err != nil {
		return nil, err
	}
	if shape[0] == 2 {
		inSpace := func(r rune) rune {
			if strings.ContainsRune("HW", r) {
				return r
			}
			return -1
		}
		from, to = strings.Map(inSpace, from), strings.Map(inSpace, to)
	}
	if len(from) != shape[0] {
		return nil, c.Unsupported("%s", from)
	}
	each := v.Len() / shape[0]
	places := make([]int, v.Len())
	for i := range places {
		places[i] = strings.IndexByte(from, to[i/each])*each + i%each
	}
	return One(v.Pick(shape, places))
}
