package ops

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// listOps holds the operations on lists of tensors, in which loops collect their results.
var listOps = map[string]Kernel{
	"EmptyTensorList": newList, "TensorListReserve": newList, "TensorListFromTensor": listFromTensor,
	"TensorListStack": Of((*Call).list, listStack), "TensorListGather": Of((*Call).list, listStack),
	"TensorListGetItem": Of2((*Call).list, scalar(1), listGet), "TensorListSetItem": Of2((*Call).list, scalar(1), listSet),
	"TensorListPushBack": Of((*Call).list, listPush), "TensorListPopBack": Of((*Call).list, listPop), "TensorListLength": Of((*Call).list, listLength),
	"TensorListConcatV2": Of((*Call).list, listConcat), "TensorListSplit": Of(ints(2), listSplit),
	"TensorListScatterIntoExistingList": Of2((*Call).list, ints(2), listScatter),
	"TensorListConcat":                  Of((*Call).list, listConcat), "TensorListConcatLists": Of((*Call).list, listJoin), "TensorListElementShape": Of((*Call).list, listShape),
	"TensorListResize":  Of((*Call).list, listResize),
	"TensorListScatter": Of(ints(1), listOfRows), "TensorListScatterV2": Of(ints(1), listOfRows),
}

// tensorList is an immutable list of tensors. An item whose dtype is 0 was never set.
type tensorList struct {
	dtype DType
	shape []int // shape is the shape of the items, with -1 for open sizes; nil if the rank is open
	items []Value
}

func listValue(l tensorList) Value { return value.Handles(value.Variant, nil, []any{l}) }

func (c *Call) list() (tensorList, error) {
	if held := c.In[0].H(); len(held) == 1 {
		if l, ok := held[0].(tensorList); ok {
			return l, nil
		}
	}
	return tensorList{}, c.Unsupported("a variant of another kind")
}

// itemShape reads the shape of a list's items from an input. A scalar -1 means an unknown rank, for
// which it returns nil.
func (c *Call) itemShape(input int) ([]int, error) {
	sizes, err := c.Ints(input)
	if err != nil || c.In[input].Rank() == 0 {
		return nil, err
	}
	return slices.Clone(sizes), nil
}

func newList(c *Call) ([]Value, error) {
	shape, err := c.itemShape(0)
	if err != nil {
		return nil, err
	}
	l := tensorList{dtype: c.TypeOf("element_dtype"), shape: shape}
	if c.Op == "TensorListReserve" {
		n, err := c.Int(1)
		if err != nil {
			return nil, err
		}
		if n < 0 {
			return nil, Invalidf("The num_elements to reserve must be a non negative number, but got %d", n)
		}
		if _, err := c.Room(value.Variant, []int{n}); err != nil {
			return nil, err
		}
		l.items = make([]Value, n)
	}
	return One(listValue(l))
}

func listFromTensor(c *Call) ([]Value, error) {
	shape, err := c.itemShape(1)
	if err != nil {
		return nil, err
	}
	v := c.In[0]
	if v.Rank() < 1 {
		return nil, Invalidf("Tensor must be at least a vector, but saw shape: %s", value.ShapeText(v.Shape()))
	}
	item := v.Shape()[1:]
	if shape != nil && !fits(item, shape) {
		return nil, Invalidf("Specified a list with shape %s from a tensor with shape %s", value.ShapeText(shape), value.ShapeText(item))
	}
	l := tensorList{dtype: v.DType(), shape: shape}
	for i := range v.Shape()[0] {
		l.items = append(l.items, v.Rows(i, i+1).Reshape(v.Shape()[1:]))
	}
	return One(listValue(l))
}

// fits reports whether a shape is as another says, in which -1 is any size.
func fits(shape, wanted []int) bool {
	return slices.EqualFunc(shape, wanted, func(size, want int) bool { return want < 0 || size == want })
}

// item returns the item of the list at the given index. For an item that was never set it returns
// zeros.
func (c *Call) item(l tensorList, at int, shape []int) (Value, error) {
	if at < 0 || at >= len(l.items) {
		return Value{}, Invalidf("Trying to access element %d in a list with %d elements.", at, len(l.items))
	}
	if l.items[at].DType() != 0 {
		return l.items[at], nil
	}
	for _, known := range l.items {
		if known.DType() != 0 {
			shape = known.Shape()
		}
	}
	if _, err := c.Room(l.dtype, shape); err != nil {
		return Value{}, Invalidf("Trying to read an uninitialized tensor but element_shape is not fully defined: %s", value.ShapeText(shape))
	}
	v, ok := value.Zeros(l.dtype, shape)
	if !ok {
		return Value{}, c.Unsupported("%s", tensor.DTypeName(l.dtype))
	}
	return v, nil
}

func listGet(c *Call, l tensorList, at int) ([]Value, error) {
	shape, err := c.itemShape(2)
	if err != nil {
		return nil, err
	}
	v, err := c.item(l, at, shape)
	return []Value{v}, err
}

func listSet(c *Call, l tensorList, at int) ([]Value, error) {
	if at < 0 || at >= len(l.items) && !c.Flag("resize_if_index_out_of_bounds") {
		return nil, Invalidf("Trying to modify element %d in a list with %d elements.", at, len(l.items))
	}
	if _, err := c.Room(value.Variant, []int{max(len(l.items), at+1)}); err != nil {
		return nil, err
	}
	l.items = slices.Clone(l.items)
	for at >= len(l.items) {
		l.items = append(l.items, Value{})
	}
	l.items[at] = c.In[2]
	return One(listValue(l))
}

func listPush(c *Call, l tensorList) ([]Value, error) {
	if _, err := c.Room(value.Variant, []int{len(l.items) + 1}); err != nil {
		return nil, err
	}
	l.items = append(slices.Clone(l.items), c.In[1])
	return One(listValue(l))
}

func listPop(c *Call, l tensorList) ([]Value, error) {
	if len(l.items) == 0 {
		return nil, Invalidf("Trying to pop from an empty list.")
	}
	last := len(l.items) - 1
	v, err := c.item(l, last, l.shape)
	l.items = l.items[:last:last]
	return []Value{listValue(l), v}, err
}

func listLength(c *Call, l tensorList) ([]Value, error) {
	return One(value.Scalar32(len(l.items)))
}

// listStack stacks all items of a list into one tensor. TensorListGather stacks only the items that
// an input names.
func listStack(c *Call, l tensorList) ([]Value, error) {
	var at []int
	var err error
	shapeInput := 1
	if c.Op == "TensorListGather" {
		if at, err = c.Ints(1); err != nil {
			return nil, err
		}
		for _, i := range at {
			if i < 0 || i >= len(l.items) {
				return nil, Invalidf("Index %d out o range; list only has %d elements.", i, len(l.items))
			}
		}
		shapeInput = 2
	} else {
		for i := range l.items {
			at = append(at, i)
		}
	}
	shape, err := c.itemShape(shapeInput)
	if err != nil {
		return nil, err
	}
	if slices.Contains(shape, -1) && l.shape != nil {
		shape = l.shape
	}
	empty := value.Handles(l.dtype, []int{0}, nil)
	if l.dtype != value.Variant {
		var ok bool
		if empty, ok = value.Zeros(l.dtype, []int{0}); !ok {
			return nil, c.Unsupported("%s", tensor.DTypeName(l.dtype))
		}
	}
	items := []Value{empty}
	unset := func(i int) bool { return l.items[i].DType() == 0 }
	open := shape == nil && c.In[shapeInput].Rank() == 0
	if len(at) > 0 && (open || slices.Contains(shape, -1)) && !slices.ContainsFunc(at, func(i int) bool { return !unset(i) }) {
		return nil, Invalidf("Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: %s", openText(shape))
	}
	for _, i := range at {
		v, err := c.item(l, i, shape)
		if err != nil {
			return nil, err
		}
		switch {
		case len(items) > 1 && open && len(shape) != v.Rank():
			return nil, Invalidf("PartialTensorShape: Incompatible ranks during merge: %d vs. %d", len(shape), v.Rank())
		case len(items) > 1 && !slices.Equal(v.Shape(), shape):
			return nil, Invalidf("Tried to stack list that has elements of different shapes: %s vs. %s", value.ShapeText(shape), value.ShapeText(v.Shape()))
		case len(items) == 1 && len(shape) == v.Rank() && !fits(v.Shape(), shape):
			return nil, Invalidf("PartialTensorShape: Incompatible shapes during merge: %s vs. %s", value.ShapeText(shape), value.ShapeText(v.Shape()))
		}
		shape = v.Shape()
		items = append(items, v)
	}
	if open && len(at) == 0 {
		return nil, Invalidf("Tried to stack elements of an empty list with non-fully-defined element_shape: <unknown>")
	}
	full := append([]int{len(at)}, shape...)
	if _, err := c.Room(l.dtype, full); err != nil {
		return nil, Invalidf("Tried to stack elements of an empty list with non-fully-defined element_shape: %s", value.ShapeText(shape))
	}
	return One(value.Join(items...).Reshape(full))
}

// listConcat joins the items along their first dimension. It also returns the size of each item in
// that dimension.
func listConcat(c *Call, l tensorList) ([]Value, error) {
	rest, err := c.restOfItems(l)
	if err != nil {
		return nil, err
	}
	rows, lengths := 0, []int{}
	for i, item := range l.items {
		switch shape := item.Shape(); {
		case item.DType() == 0:
			return nil, c.Unsupported("items that were not set")
		case len(shape) == 0:
			return nil, Invalidf("Concat saw a scalar shape at index %d but requires at least vectors.", i)
		case rest != nil && len(rest) != len(shape)-1:
			return nil, Invalidf("PartialTensorShape: Incompatible ranks during merge: %d vs. %d", len(rest), len(shape)-1)
		case rest != nil && !fits(shape[1:], rest):
			return nil, Invalidf("PartialTensorShape: Incompatible shapes during merge: %s vs. %s", value.ShapeText(rest), value.ShapeText(shape[1:]))
		default:
			rest, rows, lengths = shape[1:], rows+shape[0], append(lengths, shape[0])
		}
	}
	shape := append([]int{rows}, rest...)
	if _, err := c.Room(l.dtype, shape); err != nil {
		return nil, err
	}
	empty, ok := value.Zeros(l.dtype, []int{0})
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(l.dtype))
	}
	return []Value{value.Join(append([]Value{empty}, l.items...)...).Reshape(shape), value.Sizes(value.Int64, lengths)}, nil
}

// restOfItems returns what is known of the sizes of items behind their first; nil if nothing is. The
// error is that of an empty list that does not say enough.
func (c *Call) restOfItems(l tensorList) ([]int, error) {
	shape := l.shape
	if c.Op == "TensorListConcat" {
		if own, ok := c.Shape("element_shape"); ok {
			shape = own
		}
	} else if own, err := c.itemShape(1); err != nil || own != nil {
		if err != nil {
			return nil, err
		}
		shape = own
	}
	if len(l.items) == 0 && (len(shape) == 0 || slices.Contains(shape[1:], -1)) {
		return nil, Invalidf("All except the first dimension must be fully defined when concating an empty tensor list. element_shape: %s", openText(shape))
	}
	if len(shape) == 0 {
		return nil, nil
	}
	return shape[1:], nil
}

// openText formats a shape of which the rank may be open.
func openText(shape []int) string {
	if shape == nil {
		return "<unknown>"
	}
	return value.ShapeText(shape)
}

// listJoin returns a list of the items of two.
func listJoin(c *Call, l tensorList) ([]Value, error) {
	other, err := (&Call{Node: c.Node, In: c.In[1:], Env: c.Env}).list()
	if err != nil {
		return nil, err
	}
	if other.dtype != l.dtype || l.dtype != c.TypeOf("element_dtype") {
		return nil, c.Unsupported("lists of several dtypes")
	}
	if _, err := c.Room(value.Variant, []int{len(l.items) + len(other.items)}); err != nil {
		return nil, err
	}
	l.items = slices.Concat(l.items, other.items)
	return One(listValue(l))
}

// listShape returns the shape of the items, -1 if their rank is open.
func listShape(c *Call, l tensorList) ([]Value, error) {
	dtype := c.TypeOf("shape_type")
	if l.shape == nil {
		return One(value.Ints(dtype, nil, []int64{-1}))
	}
	return One(value.Sizes(dtype, l.shape))
}

func listResize(c *Call, l tensorList) ([]Value, error) {
	if c.In[1].Rank() > 0 {
		return nil, Invalidf("size must be a scalar")
	}
	n, err := c.Int(1)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, Invalidf("TensorListSlice expects size to be non-negative. Got: %d", n)
	}
	if _, err := c.Room(value.Variant, []int{n}); err != nil {
		return nil, err
	}
	items := make([]Value, n)
	copy(items, l.items)
	l.items = items
	return One(listValue(l))
}

// listOfRows makes a list in which the rows of a tensor are at the given indices.
func listOfRows(c *Call, at []int) ([]Value, error) {
	v := c.In[0]
	if v.Rank() < 1 {
		return nil, Invalidf("Tensor must be at least a vector, but saw shape: %s", value.ShapeText(v.Shape()))
	}
	shape, err := c.itemShape(2)
	if err != nil {
		return nil, err
	}
	if shape != nil && !fits(v.Shape()[1:], shape) {
		return nil, Invalidf("Specified a list with shape %s from a tensor with shape %s", value.ShapeText(shape), value.ShapeText(v.Shape()[1:]))
	}
	n, err := c.sizeForRows(at)
	if err != nil {
		return nil, err
	}
	if len(at) != v.Shape()[0] {
		return nil, Invalidf("Invalid number of rows in input tensor. Expected: %d Actual: %d", len(at), v.Shape()[0])
	}
	if _, err := c.Room(value.Variant, []int{n}); err != nil {
		return nil, err
	}
	l := tensorList{dtype: v.DType(), shape: shape, items: make([]Value, n)}
	for row, i := range at {
		l.items[i] = v.Rows(row, row+1).Reshape(v.Shape()[1:])
	}
	return One(listValue(l))
}

// sizeForRows returns how many items a list has that rows are put into: what is asked for, or as many as
// the largest index needs.
func (c *Call) sizeForRows(at []int) (int, error) {
	n := -1
	if c.Op == "TensorListScatterV2" {
		var err error
		if n, err = c.Int(3); err != nil {
			return 0, err
		}
	}
	if n < -1 {
		return 0, Invalidf("TensorListScatter expects num_elements >= -1, found: %d", n)
	}
	most := -1
	for _, i := range at {
		if i < 0 {
			return 0, Invalidf("Indices in TensorListScatter must all be non-negative.")
		}
		if n != -1 && i >= n {
			return 0, Invalidf("TensorListScatter: Trying to scatter at index %d in list with size %d", i, n)
		}
		most = max(most, i)
	}
	if n == -1 {
		n = most + 1
	}
	return n, nil
}

// listSplit makes a list of the parts of a tensor, which have the given sizes in its first dimension.
func listSplit(c *Call, lengths []int) ([]Value, error) {
	shape, err := c.itemShape(1)
	if err != nil {
		return nil, err
	}
	v := c.In[0]
	switch {
	case v.Rank() < 1:
		return nil, Invalidf("Tensor must be at least a vector, but saw shape: %s", value.ShapeText(v.Shape()))
	case c.In[2].Rank() != 1:
		return nil, Invalidf("Expected lengths to be a vector, received shape: %s", value.ShapeText(c.In[2].Shape()))
	}
	l, at := tensorList{dtype: v.DType(), shape: shape}, 0
	for _, n := range lengths {
		if n < 0 {
			return nil, Invalidf("Invalid value in lengths: %d", n)
		}
		if at+n > v.Shape()[0] {
			return nil, Invalidf("Attempting to slice [%d, %d] from tensor with length %d", at, at+n, v.Shape()[0])
		}
		l.items, at = append(l.items, v.Rows(at, at+n)), at+n
	}
	if at != v.Shape()[0] {
		return nil, Invalidf("Unused values in tensor. Length of tensor: %d Values used: %d", v.Shape()[0], at)
	}
	return One(listValue(l))
}

// listScatter puts the rows of a tensor into a list at the given indices. The list grows if an
// index is beyond its end.
func listScatter(c *Call, l tensorList, at []int) ([]Value, error) {
	v := c.In[1]
	if v.Rank() < 1 || c.In[2].Rank() != 1 || len(at) > v.Shape()[0] {
		return nil, c.Unsupported("fewer rows than indices")
	}
	for _, i := range at {
		if i < 0 || i > MaxElements {
			return nil, c.Unsupported("an index of %d, which ends the process or the memory", i)
		}
	}
	size := len(l.items)
	for _, i := range at {
		size = max(size, i+1)
	}
	if _, err := c.Room(value.Variant, []int{size}); err != nil {
		return nil, err
	}
	items := make([]Value, size)
	copy(items, l.items)
	for row, i := range at {
		items[i] = v.Rows(row, row+1).Reshape(v.Shape()[1:])
	}
	if slices.ContainsFunc(items[len(l.items):], func(v Value) bool { return v.DType() == 0 }) {
		return nil, c.Unsupported("a gap behind the end, which stacks as other memory")
	}
	l.items = items
	return One(listValue(l))
}
