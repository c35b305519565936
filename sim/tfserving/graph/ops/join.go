package ops

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// joinOps holds the operations that join several tensors into one.
var joinOps = map[string]Kernel{"Concat": Of(scalar(0), concatV1), "ConcatV2": concatV2, "Pack": pack, "ConcatOffset": Of(scalar(0), concatOffset)}

func concatV1(c *Call, axis int) ([]Value, error) {
	return c.concat(c.In[1:], axis)
}

func concatV2(c *Call) ([]Value, error) {
	last := len(c.In) - 1
	if shape := c.In[last].Shape(); c.In[last].Len() != 1 {
		return nil, Invalidf("axis tensor should be a scalar integer, but got shape %s", value.ShapeText(shape))
	}
	axis, err := c.Int(last)
	if err != nil {
		return nil, err
	}
	return c.concat(c.In[:last], axis)
}

func (c *Call) concat(values []Value, asked int) ([]Value, error) {
	rank := values[0].Rank()
	if rank == 0 {
		return nil, Invalidf("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
	}
	axis, ok := AxisOf(asked, rank)
	if !ok {
		return nil, Invalidf("ConcatOp : Expected concatenating dimensions in the range [%d, %d), but got %d", -rank, rank, asked)
	}
	shape := slices.Clone(values[0].Shape())
	shape[axis] = 0
	for i, v := range values {
		if v.Rank() == 0 {
			return nil, Invalidf("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
		}
		if v.Rank() != rank {
			return nil, Invalidf("ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
				value.ShapeText(values[0].Shape()), i, value.ShapeText(v.Shape()))
		}
		for d, size := range v.Shape() {
			if d != axis && size != shape[d] {
				return nil, Invalidf("ConcatOp : Dimension %d in both shapes must be equal: shape[0] = %s vs. shape[%d] = %s",
					d, value.ShapeText(values[0].Shape()), i, value.ShapeText(v.Shape()))
			}
		}
		shape[axis] += v.Shape()[axis]
	}
	return c.interleave(values, shape, axis)
}

// interleave concatenates tensors along the dimension axis of the result, which has the given
// shape.
func (c *Call) interleave(values []Value, shape []int, axis int) ([]Value, error) {
	n, err := c.Room(values[0].DType(), shape)
	if err != nil {
		return nil, err
	}
	outer, _ := value.Count(shape[:axis])
	places := make([]int, 0, n)
	for o := range outer {
		start := 0
		for _, v := range values {
			each := v.Len() / outer
			for k := range each {
				places = append(places, start+o*each+k)
			}
			start += v.Len()
		}
	}
	return One(value.Join(values...).Pick(shape, places))
}

func pack(c *Call) ([]Value, error) {
	rank := c.In[0].Rank()
	axis, ok := AxisOf(c.Number("axis"), rank+1)
	if !ok {
		return nil, Invalidf("axis = %d not in [%d, %d)", c.Number("axis"), -rank-1, rank+1)
	}
	for i, v := range c.In {
		if !slices.Equal(v.Shape(), c.In[0].Shape()) {
			return nil, Invalidf("Shapes of all inputs must match: values[0].shape = %s != values[%d].shape = %s",
				value.ShapeText(c.In[0].Shape()), i, value.ShapeText(v.Shape()))
		}
	}
	return c.interleave(c.In, slices.Insert(slices.Clone(c.In[0].Shape()), axis, len(c.In)), axis)
}

func concatOffset(c *Call, axis int) ([]Value, error) {
	out, offset := make([]Value, len(c.In)-1), int64(0)
	for i, v := range c.In[1:] {
		list := make([]int64, v.Len())
		list[axis] = offset
		offset += v.I()[axis]
		out[i] = value.Ints(v.DType(), v.Shape(), list)
	}
	return out, nil
}
