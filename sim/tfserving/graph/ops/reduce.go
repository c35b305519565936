package ops

import (
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// fold describes a reduction: its start value, and a function for each kind of number that adds an
// element to the result. If averages is true, float results are divided by the number of elements.
type fold struct {
	float    func(sum, x float64) float64
	int      func(sum, x int64) int64
	bool     func(sum, x bool) bool
	complex  func(sum, x complex128) complex128
	start    func(dtype DType) (float64, int64, bool)
	averages bool
}

func startAt(n int) func(DType) (float64, int64, bool) {
	return func(DType) (float64, int64, bool) { return float64(n), int64(n), n != 0 }
}

func lowest(dtype DType) (float64, int64, bool) {
	if value.IsInt(dtype) {
		low, _ := value.IntRange(dtype)
		return 0, low, false
	}
	return math.Inf(-1), 0, false
}

func highest(dtype DType) (float64, int64, bool) {
	if value.IsInt(dtype) {
		_, high := value.IntRange(dtype)
		return 0, high, false
	}
	return math.Inf(1), 0, false
}

var folds = map[string]fold{
	"Sum":  {float: addFloats, int: addInts, complex: complexBinary["Add"], start: startAt(0)},
	"Mean": {float: addFloats, int: addInts, complex: complexBinary["Add"], start: startAt(0), averages: true},
	"Prod": {float: func(p, x float64) float64 { return p * x }, int: func(p, x int64) int64 { return p * x }, start: startAt(1)},
	"Max":  {float: largest, int: func(m, x int64) int64 { return max(m, x) }, start: lowest},
	"Min":  {float: smallest, int: func(m, x int64) int64 { return min(m, x) }, start: highest},
	"All":  {bool: func(all, x bool) bool { return all && x }, start: startAt(1)},
	"Any":  {bool: func(is, x bool) bool { return is || x }, start: startAt(0)},
}

func reductions() map[string]Kernel {
	ops := map[string]Kernel{"EuclideanNorm": Of((*Call).reductionOfInput, euclideanNorm), "ReduceJoin": Of(ints(1), reduceJoin),
		"Cumsum": Of(strictScalar(1, "ScanOp: axis must be a scalar, not "), cumulate), "Cumprod": Of(strictScalar(1, "ScanOp: axis must be a scalar, not "), cumulate),
		"CumulativeLogsumexp": Of(strictScalar(1, "ScanOp: axis must be a scalar, not "), cumulate), "L2Loss": l2Loss}
	for name := range folds { //lint:ordered each name has an entry of its own
		ops[name] = reduce
	}
	return ops
}

// reduced describes the result of a reduction before it is computed. shape is the shape of the
// result, with size 1 for reduced dimensions that are kept. n is the number of elements of the
// result. to[i] is the index of the result element to which input element i belongs.
type reduced struct {
	shape []int
	n     int
	to    []int
}

func (c *Call) reduction(v Value, axes []int) (reduced, error) {
	rank := v.Rank()
	out := make([]bool, rank)
	for _, asked := range axes {
		axis, ok := AxisOf(asked, rank)
		if !ok {
			return reduced{}, Invalidf("Invalid reduction dimension (%d for input with %d dimension(s)", asked, rank)
		}
		if out[axis] {
			return reduced{}, Invalidf("Invalid reduction arguments: Axes contains duplicate dimension: %d", axis)
		}
		out[axis] = true
	}
	r := reduced{shape: []int{}, n: 1}
	steps := make([]int, rank)
	for d := rank - 1; d >= 0; d-- {
		size := v.Shape()[d]
		switch {
		case !out[d]:
			steps[d] = r.n
			r.n *= size
			r.shape = append(r.shape, size)
		case c.Flag("keep_dims"):
			r.shape = append(r.shape, 1)
		}
	}
	slices.Reverse(r.shape)
	if _, err := c.Room(v.DType(), r.shape); err != nil {
		return reduced{}, err
	}
	if err := c.Work(v.Len(), v.DType(), v.Shape()); err != nil {
		return reduced{}, err
	}
	r.to = value.Walk(v.Shape(), steps, 0)
	return r, nil
}

func (c *Call) reductionOfInput() (reduced, error) {
	axes, err := c.Ints(1)
	if err != nil {
		return reduced{}, err
	}
	return c.reduction(c.In[0], axes)
}

func reduce(c *Call) ([]Value, error) {
	r, err := c.reductionOfInput()
	if err != nil {
		return nil, err
	}
	v, f := c.In[0], folds[c.Op]
	float, int, bool := f.start(v.DType())
	each := 1
	if r.n > 0 {
		each = v.Len() / r.n
	}
	switch {
	case v.F() != nil && f.float != nil:
		list := foldAll(v.F(), r, float, f.float)
		if f.averages {
			for i := range list {
				list[i] /= float64(each)
			}
		}
		return One(value.Floats(v.DType(), r.shape, list))
	case v.I() != nil && f.int != nil && v.DType() != value.UInt64:
		list := foldAll(v.I(), r, int, f.int)
		if f.averages && each > 0 {
			for i := range list {
				list[i] /= int64(each)
			}
		}
		return One(value.Ints(v.DType(), r.shape, list))
	case v.B() != nil && f.bool != nil:
		return One(value.Bools(r.shape, foldAll(v.B(), r, bool, f.bool)))
	case v.C() != nil && f.complex != nil && !f.averages:
		return One(value.Complexes(v.DType(), r.shape, foldAll(v.C(), r, 0, f.complex)))
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
}

func foldAll[T any](list []T, r reduced, start T, f func(T, T) T) []T {
	out := make([]T, r.n)
	for i := range out {
		out[i] = start
	}
	for i, x := range list {
		out[r.to[i]] = f(out[r.to[i]], x)
	}
	return out
}

func euclideanNorm(c *Call, r reduced) ([]Value, error) {
	list := foldAll(c.In[0].F(), r, 0, func(sum, x float64) float64 { return sum + x*x })
	return One(value.Floats(c.In[0].DType(), r.shape, lists.Map(list, math.Sqrt)))
}

func l2Loss(c *Call) ([]Value, error) {
	sum := 0.0
	for _, x := range c.In[0].F() {
		sum += x * x
	}
	return One(value.Floats(c.In[0].DType(), nil, []float64{sum / 2}))
}

// reduceJoin joins strings. If there are several axes, the strings are joined in an order in which
// the first axis varies fastest (core/kernels/reduce_join_op.cc).
func reduceJoin(c *Call, axes []int) ([]Value, error) {
	v, rank := c.In[0], c.In[0].Rank()
	if len(axes) == 0 && rank > 0 {
		return One(v)
	}
	var order []int
	for _, asked := range axes {
		axis, ok := AxisOf(asked, rank)
		if !ok {
			return nil, Statusf(rpcerrors.OutOfRange, "Invalid reduction dimension %d for input with %d dimension(s)", asked, rank)
		}
		if slices.Contains(order, axis) {
			return nil, Invalidf("Duplicate reduction dimension %d", asked)
		}
		order = append(order, axis)
	}
	r, err := c.reduction(v, axes)
	if err != nil {
		return nil, err
	}
	for axis := range rank {
		if !slices.Contains(order, axis) {
			order = append(order, axis)
		}
	}
	slices.Reverse(order)
	sizes, steps, strides := make([]int, rank), make([]int, rank), value.Strides(v.Shape())
	for i, axis := range order {
		sizes[i], steps[i] = v.Shape()[axis], strides[axis]
	}
	parts := make([][]string, r.n)
	for _, i := range value.Walk(sizes, steps, 0) {
		parts[r.to[i]] = append(parts[r.to[i]], v.S()[i])
	}
	separator := c.Text("separator")
	return c.strings(r.shape, lists.Map(parts, func(list []string) string { return strings.Join(list, separator) }))
}

// cumulate returns the running sums or products along a dimension.
func cumulate(c *Call, asked int) ([]Value, error) {
	v := c.In[0]
	axis, ok := AxisOf(asked, v.Rank())
	if !ok {
		return nil, Invalidf("ScanOp: Expected scan axis in the range [%d, %d), but got %d", -v.Rank(), v.Rank(), axis)
	}
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	s := scan{size: v.Shape()[axis], step: value.Strides(v.Shape())[axis], exclusive: c.Flag("exclusive"), reverse: c.Flag("reverse")}
	switch by := scanned[c.Op]; {
	case v.F() != nil:
		return One(value.Floats(v.DType(), v.Shape(), scanAll(v.F(), s, by.start, by.float)))
	case v.I() != nil && by.int != nil:
		return One(value.Ints(v.DType(), v.Shape(), scanAll(v.I(), s, int64(by.start), by.int)))
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
}

// scanned says for each cumulative operation with what it starts, and how it adds an element.
var scanned = map[string]struct {
	start float64
	float func(sum, x float64) float64
	int   func(sum, x int64) int64
}{
	"Cumsum": {0, floatBinary["Add"], intBinary["Add"]}, "Cumprod": {1, floatBinary["Mul"], intBinary["Mul"]},
	"CumulativeLogsumexp": {math.Inf(-1), logSum, nil},
}

// logSum returns the logarithm of exp(a) + exp(b).
func logSum(a, b float64) float64 {
	high, low := max(a, b), min(a, b)
	if math.IsInf(high, 0) {
		return high
	}
	return high + math.Log1p(math.Exp(low-high))
}

type scan struct {
	size, step         int
	exclusive, reverse bool
}

func scanAll[T any](list []T, s scan, start T, f func(T, T) T) []T {
	out := make([]T, len(list))
	for first := range list {
		if first/s.step%s.size != 0 {
			continue
		}
		sum := start
		for k := range s.size {
			at := first + k*s.step
			if s.reverse {
				at = first + (s.size-1-k)*s.step
			}
			if s.exclusive {
				out[at] = sum
			}
			sum = f(sum, list[at])
			if !s.exclusive {
				out[at] = sum
			}
		}
	}
	return out
}
