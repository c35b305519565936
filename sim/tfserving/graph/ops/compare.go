package ops

import (
	"cmp"
	"math"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// comparison says for which outcomes an operation is true: less, equal or greater. A comparison
// with NaN is false for every operation except NotEqual.
type comparison struct{ less, equal, greater bool }

var comparisons = map[string]comparison{
	"Equal": {equal: true}, "NotEqual": {less: true, greater: true},
	"Less": {less: true}, "LessEqual": {less: true, equal: true},
	"Greater": {greater: true}, "GreaterEqual": {greater: true, equal: true},
}

func compareOps() map[string]Kernel {
	ops := map[string]Kernel{
		"LogicalAnd": logical(func(a, b bool) bool { return a && b }),
		"LogicalOr":  logical(func(a, b bool) bool { return a || b }),
		"Select":     selectV1, "SelectV2": selectV2, "Where": where, "ApproximateEqual": approximateEqual,
	}
	for name := range comparisons { //lint:ordered each name has an entry of its own
		ops[name] = compare
	}
	return ops
}

func compare(c *Call) ([]Value, error) {
	want := comparisons[c.Op]
	shape, err := c.comparedShape()
	if err != nil || shape == nil {
		return []Value{value.Bools(nil, []bool{want.less})}, err
	}
	a, b := c.In[0], c.In[1]
	var list []bool
	switch {
	case a.F() != nil:
		list = compareAll(c, a.F(), b.F(), shape, want)
	case a.I() != nil && a.DType() == value.UInt64:
		unsigned := func(x int64) uint64 { return uint64(x) }
		list = compareAll(c, lists.Map(a.I(), unsigned), lists.Map(b.I(), unsigned), shape, want)
	case a.I() != nil:
		list = compareAll(c, a.I(), b.I(), shape, want)
	case a.S() != nil:
		list = compareAll(c, a.S(), b.S(), shape, want)
	case a.B() != nil:
		list = zip(a.B(), b.B(), c.In, shape, func(x, y bool) bool { return (x == y) == want.equal })
	case a.C() != nil:
		list = zip(a.C(), b.C(), c.In, shape, func(x, y complex128) bool { return (x == y) == want.equal })
	default:
		return nil, c.Unsupported("%s", tensor.DTypeName(a.DType()))
	}
	return One(value.Bools(shape, list))
}

// comparedShape returns the shape of a comparison's result. If the shapes do not match and
// incompatible_shape_error is false, it returns nil, and the result is a single boolean.
func (c *Call) comparedShape() ([]int, error) {
	lenient := c.Attrs["incompatible_shape_error"] != nil && !c.Flag("incompatible_shape_error")
	if _, ok := value.Broadcast(c.In[0].Shape(), c.In[1].Shape()); !ok && lenient {
		return nil, nil
	}
	shape, err := c.broadcast(value.Bool)
	if shape == nil {
		shape = []int{}
	}
	return shape, err
}

func compareAll[T cmp.Ordered](c *Call, a, b []T, shape []int, want comparison) []bool {
	return zip(a, b, c.In, shape, func(x, y T) bool {
		switch {
		case x < y:
			return want.less
		case x > y:
			return want.greater
		case x == y:
			return want.equal
		}
		return want.less && want.greater // NaN
	})
}

func approximateEqual(c *Call) ([]Value, error) {
	tolerance := c.Float("tolerance")
	if a, b := c.In[0].Shape(), c.In[1].Shape(); !slices.Equal(a, b) {
		return nil, Invalidf("x and y must be of the same shape. x shape: %s. y shape: %s", value.ShapeText(a), value.ShapeText(b))
	}
	shape, err := c.broadcast(value.Bool)
	if err != nil {
		return nil, err
	}
	return One(value.Bools(shape, zip(c.In[0].F(), c.In[1].F(), c.In, shape, func(a, b float64) bool {
		return math.Abs(a-b) < tolerance
	})))
}

func logical(f func(a, b bool) bool) Kernel {
	return func(c *Call) ([]Value, error) {
		shape, err := c.broadcast(value.Bool)
		if err != nil {
			return nil, err
		}
		return One(value.Bools(shape, zip(c.In[0].B(), c.In[1].B(), c.In, shape, f)))
	}
}

// selectV1 implements Select. A vector as condition chooses whole rows, and inputs are not
// broadcast (core/kernels/cwise_op_select.cc).
func selectV1(c *Call) ([]Value, error) {
	condition, then, otherwise := c.In[0], c.In[1], c.In[2]
	same := slices.Equal(then.Shape(), otherwise.Shape())
	switch {
	case condition.Rank() == 0 && !same:
		return nil, Invalidf("'then' and 'else' must have the same size.  but received: %s vs. %s", value.ShapeText(then.Shape()), value.ShapeText(otherwise.Shape()))
	case condition.Rank() == 0:
		return selectV2(c)
	case condition.Rank() == 1 && then.Rank() != 1:
		return c.selectRows(same)
	}
	if err := c.SameShapes(); err != nil {
		return nil, err
	}
	return selectV2(c)
}

// selectRows implements Select of whole rows by a vector. same says whether the two inputs that it
// selects from have equal shapes.
func (c *Call) selectRows(same bool) ([]Value, error) {
	condition, then, otherwise := c.In[0], c.In[1], c.In[2]
	switch {
	case then.Rank() == 0:
		return nil, Invalidf("'then' must be at least a vector, but saw shape: []")
	case then.Shape()[0] != condition.Len():
		return nil, Invalidf("Number of batches of 'then' must match size of 'cond', but saw: %d vs. %d", then.Shape()[0], condition.Len())
	case !same:
		return nil, Invalidf("'then' and 'else' must have the same size.  but received: %s vs. %s", value.ShapeText(then.Shape()), value.ShapeText(otherwise.Shape()))
	}
	wide := append([]int{condition.Len()}, ones(then.Rank()-1)...)
	return selectV2(&Call{Node: c.Node, In: []Value{condition.Reshape(wide), then, otherwise}, Env: c.Env})
}

// SameShapes returns the error for inputs of different shapes (core/framework/op_kernel.cc,
// ValidateInputsAreSameShape).
func (c *Call) SameShapes() error {
	for i, v := range c.In {
		if !slices.Equal(v.Shape(), c.In[0].Shape()) {
			return Invalidf("Inputs to operation %s of type %s must have the same size and shape.  Input 0: %s != input %d: %s",
				c.Env.Path(), c.Op, value.ShapeText(c.In[0].Shape()), i, value.ShapeText(v.Shape()))
		}
	}
	return nil
}

func selectV2(c *Call) ([]Value, error) {
	condition, then, otherwise := c.In[0], c.In[1], c.In[2]
	shape, ok := value.Broadcast(then.Shape(), otherwise.Shape())
	if ok {
		shape, ok = value.Broadcast(condition.Shape(), shape)
	}
	if !ok {
		return nil, Invalidf("condition %s, then %s, and else %s must be broadcastable",
			value.ShapeText(condition.Shape()), value.ShapeText(then.Shape()), value.ShapeText(otherwise.Shape()))
	}
	n, err := c.Room(then.DType(), shape)
	if err != nil {
		return nil, err
	}
	chosen := value.BroadcastIndex(condition.Shape(), shape)
	left, right := value.BroadcastIndex(then.Shape(), shape), value.BroadcastIndex(otherwise.Shape(), shape)
	places := make([]int, n)
	for i := range places {
		if places[i] = then.Len() + right.At(i); condition.B()[chosen.At(i)] {
			places[i] = left.At(i)
		}
	}
	return One(value.Join(then, otherwise).Pick(shape, places))
}

// where lists the indices of the nonzero elements.
func where(c *Call) ([]Value, error) {
	v := c.In[0]
	if v.Rank() < 1 || v.Rank() > 8 {
		return nil, Invalidf("WhereOp : Unhandled input dimensions: %d", v.Rank())
	}
	hot, ok := v.Cast(value.Bool)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
	}
	var list []int64
	rows, strides := 0, value.Strides(v.Shape())
	for i, is := range hot.B() {
		if !is {
			continue
		}
		rows++
		for d, step := range strides {
			list = append(list, int64(i/step%v.Shape()[d]))
		}
	}
	shape := []int{rows, v.Rank()}
	if _, err := c.Room(value.Int64, shape); err != nil {
		return nil, err
	}
	return One(value.Ints(value.Int64, shape, append([]int64{}, list...)))
}
