package ops

import (
	"math"
	"slices"
	"sort"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// fillOps holds the operations that fill new tensors with constants or sequences.
var fillOps = map[string]Kernel{
	"Fill": Of(ints(0), fill), "ZerosLike": likeZeros, "OnesLike": likeOnes, "Range": rangeOf, "LinSpace": linSpace,
	"OneHot": Of2(ints(0), strictScalar(1, "depth must be a scalar, but got: "), oneHot),
	"Empty":  Of(ints(0), empty), "MatrixBandPart": bandPart, "LowerBound": bound,
	"UpperBound": bound, "Bucketize": bucketize,
}

func fill(c *Call, shape []int) ([]Value, error) {
	if c.In[0].Rank() > 1 {
		return nil, Invalidf("dims must represent a vector, got shape %s", value.ShapeText(c.In[0].Shape()))
	}
	if c.In[1].Len() != 1 || c.In[1].Rank() > 1 {
		return nil, Invalidf("value must represent a scalar, got shape %s", value.ShapeText(c.In[1].Shape()))
	}
	for _, size := range shape {
		if size < 0 {
			return nil, Invalidf("Dimension %d must be >= 0", size)
		}
	}
	if _, ok := value.Count(shape); !ok && !slices.Contains(shape, 0) {
		return nil, Invalidf("Shape %s would have more than 2**63 - 1 elements", value.ShapeText(shape))
	}
	return c.spread(c.In[1], shape)
}

func (c *Call) zeros(dtype DType, shape []int) ([]Value, error) {
	if _, err := c.Room(dtype, shape); err != nil {
		return nil, err
	}
	v, ok := value.Zeros(dtype, shape)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(dtype))
	}
	return One(v)
}

func likeZeros(c *Call) ([]Value, error) { return c.zeros(c.In[0].DType(), c.In[0].Shape()) }

func likeOnes(c *Call) ([]Value, error) {
	unit, ok := value.Floats(value.Float32, nil, []float64{1}).Cast(c.In[0].DType())
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(c.In[0].DType()))
	}
	return c.spread(unit, c.In[0].Shape())
}

func empty(c *Call, shape []int) ([]Value, error) {
	return c.zeros(c.TypeOf("dtype"), shape)
}

func rangeOf(c *Call) ([]Value, error) {
	dtype := c.In[0].DType()
	var numbers [3]float64
	for i, name := range []string{"start", "limit", "delta"} {
		v, ok := c.In[i].Cast(value.Float64)
		if !ok || v.Rank() > 1 || v.Len() != 1 {
			return nil, Invalidf("%s must be a scalar, not shape %s", name, value.ShapeText(c.In[i].Shape()))
		}
		numbers[i] = v.F()[0]
	}
	start, limit, delta := numbers[0], numbers[1], numbers[2]
	switch {
	case delta == 0:
		return nil, Invalidf("Requires delta != 0: 0")
	case delta > 0 && !(start <= limit):
		return nil, Invalidf("Requires start <= limit when delta > 0: %v/%v", numberText(dtype, start), numberText(dtype, limit))
	case delta < 0 && !(start >= limit):
		return nil, Invalidf("Requires start >= limit when delta < 0: %v/%v", numberText(dtype, start), numberText(dtype, limit))
	}
	size, err := c.rangeSize(start, limit, delta)
	if err != nil {
		return nil, err
	}
	n, err := c.Room(dtype, []int{size})
	if err != nil {
		return nil, err
	}
	if value.IsInt(dtype) {
		list := make([]int64, n)
		for i := range list {
			list[i] = c.In[0].I()[0] + int64(i)*c.In[2].I()[0]
		}
		return One(value.Ints(dtype, []int{n}, list))
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = start + float64(i)*delta
	}
	return One(value.Floats(dtype, []int{n}, list))
}

// rangeSize returns how many numbers a Range has. Floats are computed in their dtype
// (core/kernels/sequence_ops.cc).
func (c *Call) rangeSize(start, limit, delta float64) (int, error) {
	if value.IsInt(c.In[0].DType()) {
		distance, step := magnitude(c.In[1].I()[0]-c.In[0].I()[0]), magnitude(c.In[2].I()[0])
		size := distance / step
		if distance%step != 0 {
			size++
		}
		return int(size), nil
	}
	distance := value.Floats(c.In[0].DType(), nil, []float64{limit - start}).F()[0]
	size := math.Ceil(value.Floats(c.In[0].DType(), nil, []float64{distance / delta}).F()[0])
	if !(size <= math.MaxInt64) {
		return 0, Invalidf("Requires ((limit - start) / delta) <= 9223372036854775807")
	}
	return int(size), nil
}

func magnitude(x int64) uint64 { return uint64(max(x, -x)) }

func linSpace(c *Call) ([]Value, error) {
	for i, name := range []string{"start", "stop", "num"} {
		if c.In[i].Rank() != 0 {
			return nil, Invalidf("%s must be a scalar, not shape %s", name, value.ShapeText(c.In[i].Shape()))
		}
	}
	num, err := c.Int(2)
	if err != nil {
		return nil, err
	}
	if num < 1 {
		return nil, Invalidf("Requires num > 0: %d", num)
	}
	dtype := c.In[0].DType()
	if _, err := c.Room(dtype, []int{num}); err != nil {
		return nil, err
	}
	start, stop := c.In[0].F()[0], c.In[1].F()[0]
	list := make([]float64, num)
	for i := range list {
		if list[i] = start; num > 1 {
			list[i] = start + (stop-start)*float64(i)/float64(num-1)
		}
	}
	return One(value.Floats(dtype, []int{num}, list))
}

func oneHot(c *Call, indices []int, depth int) ([]Value, error) {
	for i, name := range []string{"on_value", "off_value"} {
		if v := c.In[2+i]; v.Rank() != 0 {
			return nil, Invalidf("%s must be a scalar, but got: %s", name, value.ShapeText(v.Shape()))
		}
	}
	if depth < 0 {
		return nil, Invalidf("depth must be non-negative, got: %d", depth)
	}
	own := c.In[0].Shape()
	axis := c.Number("axis")
	if axis == -1 {
		axis = len(own)
	}
	if axis < 0 || axis > len(own) {
		return nil, Invalidf("Expected axis to be -1 or between [0, %d).  But received: %d", len(own)+1, axis)
	}
	shape := slices.Insert(slices.Clone(own), axis, depth)
	n, err := c.Room(c.In[2].DType(), shape)
	if err != nil {
		return nil, err
	}
	inner, _ := value.Count(own[axis:])
	places := slices.Repeat([]int{1}, n)
	for i, at := range indices {
		if at >= 0 && at < depth {
			places[(i/inner*depth+at)*inner+i%inner] = 0
		}
	}
	return One(value.Join(c.In[2], c.In[3]).Pick(shape, places))
}

// bandPart keeps a band around the diagonal of each innermost matrix and sets the rest to 0.
func bandPart(c *Call) ([]Value, error) {
	v := c.In[0]
	lower, err := c.Scalar(1, "num_lower must be scalar, got shape ")
	if err != nil {
		return nil, err
	}
	upper, err := c.Scalar(2, "num_upper must be scalar, got shape ")
	if err != nil {
		return nil, err
	}
	if v.Rank() < 2 {
		return nil, Invalidf("input must be at least 2-dim, received shape: %s", value.ShapeText(v.Shape()))
	}
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	rows, columns := v.Shape()[v.Rank()-2], v.Shape()[v.Rank()-1]
	if lower > rows {
		return nil, Invalidf("num_lower must be negative or less or equal to number of rows (%d) got: %d", rows, lower)
	}
	if upper > columns {
		return nil, Invalidf("num_upper must be negative or less or equal to number of columns (%d) got: %d", columns, upper)
	}
	places := make([]int, v.Len())
	for i := range places {
		row, column := i/columns%rows, i%columns
		if places[i] = i; lower >= 0 && row-column > lower || upper >= 0 && column-row > upper {
			places[i] = -1
		}
	}
	return One(v.Pick(v.Shape(), places))
}

// bucketize returns for each number how many boundaries are less than or equal to it.
func bucketize(c *Call) ([]Value, error) {
	boundaries := c.Attrs["boundaries"].GetList().GetF()
	v, ok := c.In[0].Cast(value.Float64)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(c.In[0].DType()))
	}
	return One(value.Ints(value.Int32, v.Shape(), lists.Map(v.F(), func(x float64) int64 {
		return int64(sort.Search(len(boundaries), func(i int) bool { return float64(boundaries[i]) > x }))
	})))
}

// bound returns for each value the position at which it would be inserted into the sorted row of
// the same batch.
func bound(c *Call) ([]Value, error) {
	for i, name := range []string{"sorted_inputs", "values"} {
		if rank := c.In[i].Rank(); rank != 2 {
			return nil, Invalidf("Shape must be rank 2 but is rank %d for `%s` argument", rank, name)
		}
	}
	if c.In[0].Shape()[0] != c.In[1].Shape()[0] {
		return nil, Invalidf("Leading dim_size of both tensors must match.")
	}
	sorted, ok := c.In[0].Cast(value.Float64)
	values, okToo := c.In[1].Cast(value.Float64)
	if !ok || !okToo {
		return nil, c.Unsupported("%s", tensor.DTypeName(c.In[0].DType()))
	}
	width, each := sorted.Shape()[1], values.Shape()[1]
	list := make([]int64, values.Len())
	for i, x := range values.F() {
		row := sorted.F()[i/each*width:][:width]
		list[i] = int64(sort.Search(width, func(k int) bool {
			if c.Op == "LowerBound" {
				return !(row[k] < x)
			}
			return x < row[k]
		}))
	}
	return One(value.Ints(c.outType(), values.Shape(), list))
}
