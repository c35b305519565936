package arrays

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// create makes an array, and the flow on which the operations that change it depend.
func create(c *ops.Call) ([]ops.Value, error) {
	n, err := c.Scalar(0, "TensorArray size must be scalar, but had shape: ")
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, ops.Invalidf("Size should be >= 0.")
	}
	if _, err := c.Room(value.Variant, []int{n}); err != nil {
		return nil, err
	}
	a := &array{
		name:  fmt.Sprintf("%s_%d", cmp.Or(c.Text("tensor_array_name"), c.Name), c.Env.State().Number()),
		dtype: c.TypeOf("dtype"), grows: c.Flag("dynamic_size"), clears: c.Flag("clear_after_read"), identical: c.Flag("identical_element_shapes"),
		elements: make([]element, n),
	}
	a.shape, a.ranked = c.Shape("element_shape")
	return []ops.Value{value.Handles(value.Resource, nil, []any{a}), flow()}, nil
}

// flow returns the value that stands for the state of an array.
func flow() ops.Value { return value.Floats(value.Float32, nil, []float64{0}) }

// on makes a kernel of a function of the array whose handle is input 0.
func on(f func(*ops.Call, *array) ([]ops.Value, error)) ops.Kernel {
	return func(c *ops.Call) ([]ops.Value, error) {
		if list := c.In[0].H(); len(list) == 1 {
			if a, ok := list[0].(*array); ok {
				return f(c, a)
			}
		}
		return nil, c.Unsupported("a handle of another kind")
	}
}

func write(c *ops.Call, a *array) ([]ops.Value, error) {
	at, err := c.Scalar(1, "TensorArray index must be scalar, but had shape: ")
	if err == nil {
		err = a.write(c, at, c.In[2])
	}
	return []ops.Value{flow()}, err
}

func read(c *ops.Call, a *array) ([]ops.Value, error) {
	at, err := c.Scalar(1, "TensorArray index must be scalar, but had shape: ")
	if err != nil {
		return nil, err
	}
	v, err := a.read(c, at)
	return []ops.Value{v}, err
}

func size(_ *ops.Call, a *array) ([]ops.Value, error) {
	return ops.One(value.Scalar32(len(a.elements)))
}

func closeArray(_ *ops.Call, a *array) ([]ops.Value, error) {
	a.closed, a.elements = true, nil
	return nil, nil
}

// readAll reads several elements. A zero of the array's dtype comes before them, so that there is
// something to join.
func (a *array) readAll(c *ops.Call, at []int) ([]ops.Value, error) {
	none, _ := value.Zeros(a.dtype, []int{0})
	list := []ops.Value{none}
	for _, i := range at {
		v, err := a.read(c, i)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// gather stacks the elements at the indices in input 1.
func gather(c *ops.Call, a *array) ([]ops.Value, error) {
	if c.In[1].Rank() != 1 {
		return nil, ops.Invalidf("Expected indices to be a vector, but received shape: %s", value.ShapeText(c.In[1].Shape()))
	}
	at, err := c.Ints(1)
	if err != nil {
		return nil, err
	}
	shape, ranked := c.Shape("element_shape")
	if len(at) == 0 {
		if !ranked {
			shape, ranked = a.shape, a.ranked
		}
		if _, ok := value.Count(shape); !ok || !ranked {
			open := array{shape: shape, ranked: ranked}
			return nil, ops.Statusf(rpcerrors.Unimplemented, "TensorArray has size zero, but element shape %s is not fully defined. Currently only static shapes are supported when packing zero-size TensorArrays.", open.shapeText())
		}
		v, ok := value.Zeros(a.dtype, append([]int{0}, shape...))
		if !ok {
			return nil, c.Unsupported("no elements")
		}
		return ops.One(v)
	}
	list, err := a.readAll(c, at)
	if err != nil {
		return nil, err
	}
	first := list[1].Shape()
	full := append([]int{len(at)}, first...)
	n, err := c.Room(a.dtype, full)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return ops.One(list[0].Reshape(full))
	}
	for i, v := range list[1:] {
		if !slices.Equal(v.Shape(), first) {
			return nil, ops.Invalidf("TensorArray has inconsistent shapes.  Index 0 has shape: %s but index %d has shape: %s", value.ShapeText(first), i, value.ShapeText(v.Shape()))
		}
	}
	return ops.One(value.Join(list...).Reshape(full))
}

// scatter writes the rows of input 2 at the indices in input 1.
func scatter(c *ops.Call, a *array) ([]ops.Value, error) {
	at, err := c.Ints(1)
	if err != nil {
		return nil, err
	}
	rows := c.In[2]
	switch {
	case c.In[1].Rank() != 1:
		return nil, ops.Invalidf("Expected indices to be a vector, but received shape: %s", value.ShapeText(c.In[1].Shape()))
	case rows.Rank() < 1:
		return nil, ops.Invalidf("Expected value to be at least a vector, but received shape: %s", value.ShapeText(rows.Shape()))
	case len(at) != rows.Shape()[0]:
		return nil, ops.Invalidf("Expected len(indices) == values.shape[0], but saw: %d vs. %d", len(at), rows.Shape()[0])
	}
	if most := slices.Max(append(at, -1)); most >= len(a.elements) && !a.grows {
		return nil, ops.Invalidf("Max scatter index must be < array size (%d vs. %d)", most, len(a.elements))
	}
	for row, i := range at {
		if err := a.write(c, i, rows.Rows(row, row+1).Reshape(rows.Shape()[1:])); err != nil {
			return nil, err
		}
	}
	return ops.One(flow())
}

// concat joins all elements along their first dimension.
func concat(c *ops.Call, a *array) ([]ops.Value, error) {
	shape, ranked := c.Shape("element_shape_except0")
	if len(a.elements) == 0 {
		rest := array{shape: shape, ranked: ranked}
		if !rest.whole() {
			return nil, ops.Statusf(rpcerrors.Unimplemented, "TensorArray has size zero, but element_shape_except0 %s is not fully defined. Currently only static shapes are supported when concatenating zero-size TensorArrays.", rest.shapeText())
		}
		v, _ := value.Zeros(a.dtype, append([]int{0}, shape...))
		return []ops.Value{v, value.Sizes(value.Int64, nil)}, nil
	}
	at := make([]int, len(a.elements))
	for i := range at {
		at[i] = i
	}
	list, err := a.readAll(c, at)
	if err != nil {
		return nil, err
	}
	var lengths []int
	rows := 0
	for i, v := range list[1:] {
		if v.Rank() == 0 {
			return nil, ops.Invalidf("Concat saw a scalar shape at index %d but requires at least vectors.  Did you mean to call pack?", i)
		}
		rest, own := list[1].Shape()[1:], v.Shape()[1:]
		if !slices.Equal(rest, own) {
			return nil, ops.Invalidf("TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: %s but index %d has (excepting dimension 0) shape: %s",
				value.ShapeText(rest), i, value.ShapeText(own))
		}
		lengths = append(lengths, v.Shape()[0])
		rows += v.Shape()[0]
	}
	full := append([]int{rows}, list[1].Shape()[1:]...)
	if _, err := c.Room(a.dtype, full); err != nil {
		return nil, err
	}
	return []ops.Value{value.Join(list...).Reshape(full), value.Sizes(value.Int64, lengths)}, nil
}

// split writes parts of input 1, whose sizes are in input 2.
func split(c *ops.Call, a *array) ([]ops.Value, error) {
	lengths, err := c.Ints(2)
	if err != nil {
		return nil, err
	}
	v := c.In[1]
	switch {
	case c.In[2].Rank() != 1:
		return nil, ops.Invalidf("Expected lengths to be a vector, received shape: %s", value.ShapeText(c.In[2].Shape()))
	case v.Rank() < 1:
		return nil, ops.Invalidf("Expected value to be at least a vector, but received shape: %s", value.ShapeText(v.Shape()))
	}
	total := 0
	for i, n := range lengths {
		if n < 0 {
			return nil, ops.Invalidf("Invalid value in lengths: element %d is %d", i, n)
		}
		total += n
	}
	if total != v.Shape()[0] {
		return nil, ops.Invalidf("Expected sum of lengths to be equal to values.shape[0], but sum of lengths is %d and value's shape is: %s", total, value.ShapeText(v.Shape()))
	}
	if len(lengths) != len(a.elements) && !a.grows {
		return nil, ops.Invalidf("TensorArray's size is not equal to the size of lengths (%d vs. %d), and the TensorArray is not marked as dynamically resizeable", len(a.elements), len(lengths))
	}
	at := 0
	for i, n := range lengths {
		if err := a.write(c, i, v.Rows(at, at+n)); err != nil {
			return nil, err
		}
		at += n
	}
	return ops.One(flow())
}
