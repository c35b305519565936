package ops

import (
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// gatherOps holds the operations that read or write elements at indices given by an input.
var gatherOps = map[string]Kernel{
	"Gather": gather, "GatherV2": gather, "GatherNd": Of(ints(1), gatherNd),
	"ScatterNd": Of(ints(2), scatterNd), "TensorScatterUpdate": tensorScatter, "TensorScatterAdd": tensorScatter,
	"TensorScatterSub": tensorScatter, "TensorScatterMax": tensorScatter, "TensorScatterMin": tensorScatter,
	"DynamicPartition": Of(ints(1), dynamicPartition), "DynamicStitch": dynamicStitch, "ParallelDynamicStitch": dynamicStitch,
}

func gather(c *Call) ([]Value, error) {
	if len(c.In) < 3 {
		return c.gatherOn(c.In[0], 0, c.Number("batch_dims"))
	}
	axis, err := c.Scalar(2, "axis must be scalar")
	if err != nil {
		return nil, err
	}
	return c.gatherOn(c.In[0], axis, c.Number("batch_dims"))
}

// gatherOn gathers slices of params along axis, at the indices in input 1.
func (c *Call) gatherOn(params Value, axis, batch int) ([]Value, error) {
	indices, err := c.Ints(1)
	if err != nil {
		return nil, err
	}
	if params.Rank() == 0 {
		return nil, Invalidf("params must be at least 1 dimensional")
	}
	at, ok := AxisOf(axis, params.Rank())
	if !ok {
		return nil, Invalidf("Shape must be at least rank %d but is rank %d", max(-axis, axis+1), params.Rank())
	}
	batch, err = c.batchDims(params, at, batch)
	if err != nil {
		return nil, err
	}
	own, limit := params.Shape(), params.Shape()[at]
	batches, _ := value.Count(own[:batch])
	outer, _ := value.Count(own[batch:at])
	inner, _ := value.Count(own[at+1:])
	for i, n := range indices {
		if (n < 0 || n >= limit) && inner > 0 && outer > 0 {
			return nil, Invalidf("indices%s = %d is not in [0, %d)", placeText(i, c.In[1].Shape()), n, limit)
		}
	}
	shape := slices.Concat(own[:at], c.In[1].Shape()[batch:], own[at+1:])
	if _, err := c.Room(params.DType(), shape); err != nil {
		return nil, err
	}
	each := 0
	if batches > 0 {
		each = len(indices) / batches
	}
	places := make([]int, 0, batches*outer*each*inner)
	for b := range batches {
		for o := range outer {
			for _, n := range indices[b*each : (b+1)*each] {
				start := ((b*outer+o)*limit + n) * inner
				for i := range inner {
					places = append(places, start+i)
				}
			}
		}
	}
	return One(params.Pick(shape, places))
}

// batchDims checks how many leading dimensions params and the indices in input 1 share
// (core/kernels/gather_op.cc). A negative number counts from the end of the indices' dimensions.
func (c *Call) batchDims(params Value, axis, batch int) (int, error) {
	rank := c.In[1].Rank()
	if batch == 0 {
		return 0, nil
	}
	if batch < -rank || batch > rank {
		return 0, Invalidf("Expected batch_dims in the range [%d, %d], but got %d", -rank, rank, batch)
	}
	if batch < 0 {
		batch += rank
	}
	if batch >= params.Rank() {
		return 0, Invalidf("batch_dims (%d) must be less than rank(params) (%d).", batch, params.Rank())
	}
	if axis < batch {
		return 0, Invalidf("batch_dims (%d) must be less than or equal to axis (%d).", batch, axis)
	}
	for d, size := range params.Shape()[:batch] {
		if other := c.In[1].Shape()[d]; other != size {
			return 0, Invalidf("params.shape[%d]: %d should be equal to indices.shape[%d]: %d", d, size, d, other)
		}
	}
	return batch, nil
}

// placeText formats the index of element i in a tensor, such as [1,2]; "" for a scalar.
func placeText(i int, shape []int) string {
	if len(shape) == 0 {
		return ""
	}
	at := make([]string, len(shape))
	for d, step := range value.Strides(shape) {
		at[d] = strconv.Itoa(i / step % shape[d])
	}
	return "[" + strings.Join(at, ",") + "]"
}

// JoinInts returns the numbers with a separator between them.
func JoinInts(list []int, separator string) string {
	return strings.Join(lists.Map(list, strconv.Itoa), separator)
}

// slicesAt returns, for the slice that each row of indices selects, the position of its first
// element. It also returns the size of a slice. bad is the first row that is out of range, or -1.
// The rows from bad on have no entry in starts.
func slicesAt(indices []int, depth int, shape []int) (starts []int, size, bad int) {
	size, _ = value.Count(shape[depth:])
	strides := value.Strides(shape)
	for i := 0; depth > 0 && i+depth <= len(indices); i += depth {
		start := 0
		for d, at := range indices[i : i+depth] {
			if at < 0 || at >= shape[d] {
				return starts, size, i / depth
			}
			start += at * strides[d]
		}
		starts = append(starts, start)
	}
	return starts, size, -1
}

// depthOf returns how many dimensions each index tuple covers, and the shape of indices without its
// last dimension.
func depthOf(indices Value) (depth int, rows []int) {
	shape := indices.Shape()
	return shape[len(shape)-1], shape[:len(shape)-1]
}

func gatherNd(c *Call, indices []int) ([]Value, error) {
	params := c.In[0]
	if params.Rank() == 0 {
		return nil, Invalidf("params must be at least a vector")
	}
	if c.In[1].Rank() == 0 {
		return nil, Invalidf("indices must be at least a vector")
	}
	depth, rows := depthOf(c.In[1])
	if depth > params.Rank() {
		return nil, Invalidf("index innermost dimension length must be <= params rank; saw: %d vs. %d", depth, params.Rank())
	}
	if n, _ := value.Count(rows); n > 0 && params.Len() == 0 {
		return nil, Invalidf("Requested more than 0 entries, but params is empty.  Params shape: %s", value.ShapeText(params.Shape()))
	}
	starts, size, bad := slicesAt(indices, depth, params.Shape())
	if bad >= 0 {
		return nil, Invalidf("indices%s = [%s] does not index into param shape %s, node name: %s",
			placeText(bad, rows), JoinInts(indices[bad*depth:(bad+1)*depth], ", "), value.ShapeText(params.Shape()), c.Env.Path())
	}
	shape := slices.Concat(rows, params.Shape()[depth:])
	n, err := c.Room(params.DType(), shape)
	if err != nil {
		return nil, err
	}
	if depth == 0 {
		return c.spread(params, shape)
	}
	places := make([]int, 0, n)
	for _, start := range starts {
		for i := range size {
			places = append(places, start+i)
		}
	}
	return One(params.Pick(shape, places))
}

func scatterNd(c *Call, shape []int) ([]Value, error) {
	indices, updates := c.In[0], c.In[1]
	if err := scatterRanks(indices, updates); err != nil {
		return nil, err
	}
	if c.In[2].Rank() != 1 {
		return nil, Invalidf("Shape must be a vector")
	}
	if err := sizesError(shape); err != nil {
		return nil, err
	}
	if !scatters(len(shape), indices, updates) {
		return nil, Invalidf("Indices and updates specified for empty output shape")
	}
	depth, rows := depthOf(indices)
	own := updates.Shape()
	if len(own) < len(rows) || !slices.Equal(own[:len(rows)], rows) {
		return nil, Invalidf("Dimensions [0,%d) of indices[shape=%s] must match dimensions [0,%d) of updates[shape=%s]",
			len(rows), value.ShapeText(indices.Shape()), len(rows), value.ShapeText(own))
	}
	if depth > len(shape) || !slices.Equal(own[len(rows):], shape[depth:]) {
		return nil, Invalidf("Dimensions [%d,%d) of input[shape=%s] must match dimensions [%d,%d) of updates[shape=%s]",
			depth, len(shape), value.ShapeText(shape), len(rows), len(own), value.ShapeText(own))
	}
	if n, _ := value.Count(shape); !scatters(n, indices, updates) {
		return nil, Invalidf("Indices and updates specified for empty output.  indices shape: %s", value.ShapeText(indices.Shape()))
	}
	if _, err := c.Room(c.In[1].DType(), shape); err != nil {
		return nil, err
	}
	zeros, ok := value.Zeros(c.In[1].DType(), shape)
	if !ok {
		return nil, c.Unsupported("a tensor without zeros")
	}
	return c.scatter(zeros, c.In[0], c.In[1], "Add")
}

// scatterRanks returns the error for indices or updates that are scalars.
func scatterRanks(indices, updates Value) error {
	if indices.Rank() == 0 {
		return Invalidf("Indices shape must have rank at least one. Found:[]")
	}
	if updates.Rank() == 0 {
		return Invalidf("Updates shape must have rank at least one. Found:[]")
	}
	return nil
}

// scatters reports whether a scatter is valid: there is nothing to write, or there is something to
// write and n, the size of the output, is not 0 (core/kernels/scatter_nd_op.cc,
// ValidEmptyOutputShape).
func scatters(n int, indices, updates Value) bool {
	if indices.Len() == 0 && updates.Len() == 0 {
		return true
	}
	return n > 0 && indices.Len() > 0 && updates.Len() > 0
}

// sizesError returns the error for a shape with a negative size.
func sizesError(shape []int) error {
	for _, size := range shape {
		if size < 0 {
			return Invalidf("Dimension %d must be >= 0", size)
		}
	}
	return nil
}

func tensorScatter(c *Call) ([]Value, error) {
	into, indices, updates := c.In[0], c.In[1], c.In[2]
	if err := scatterRanks(indices, updates); err != nil {
		return nil, err
	}
	if !scatters(into.Len(), indices, updates) {
		return nil, Invalidf("Indices and updates specified for empty output shape")
	}
	depth, rows := depthOf(indices)
	own := updates.Shape()
	if len(own) < len(rows) || !slices.Equal(own[:len(rows)], rows) {
		return nil, Invalidf("Outer dimensions of indices and update must match. Indices shape: %s, updates shape:%s",
			value.ShapeText(indices.Shape()), value.ShapeText(own))
	}
	if len(own)-len(rows) != into.Rank()-depth {
		return nil, Invalidf("Inner dimensions of output shape must match inner dimensions of updates shape. Output: %s updates: %s",
			value.ShapeText(into.Shape()), value.ShapeText(own))
	}
	if !slices.Equal(own[len(rows):], into.Shape()[depth:]) {
		return nil, Invalidf("The inner %d dimensions of output.shape=%s must match the inner %d dimensions of updates.shape=%s",
			into.Rank()-depth, value.ShapeText(into.Shape()), len(own)-len(rows), value.ShapeText(own))
	}
	if into.Rank() == 0 {
		return nil, Invalidf("Output must be at least 1-D, got shape: []")
	}
	return c.scatter(c.In[0], c.In[1], c.In[2], strings.TrimPrefix(c.Op, "TensorScatter"))
}

// scatter returns a copy of a tensor into which the slices of updates are written at the given
// indices, as write does. The shapes have been checked.
func (c *Call) scatter(into, indices, updates Value, how string) ([]Value, error) {
	depth, rows := depthOf(indices)
	list := wholeInts(indices.I())
	starts, size, bad := slicesAt(list, depth, into.Shape())
	if bad >= 0 {
		return nil, notInto(list, depth, bad, rows, into)
	}
	v, err := c.write(into, updates, starts, size, how)
	return []Value{v}, err
}

// notInto returns the error for the row bad of indices, which is out of range.
func notInto(indices []int, depth, bad int, rows []int, into Value) error {
	return Invalidf("indices%s = [%s] does not index into shape %s",
		placeText(bad, rows), JoinInts(indices[bad*depth:(bad+1)*depth], ", "), value.ShapeText(into.Shape()))
}

// write returns a copy of a tensor into which slices of updates are written. The slices have the
// given size; slice i goes to the position starts[i]. If how is the name of a combination, each
// update is combined with the element that is there.
func (c *Call) write(into, updates Value, starts []int, size int, how string) (Value, error) {
	if _, err := c.Room(into.DType(), into.Shape()); err != nil {
		return Value{}, err
	}
	combines := how != "Update"
	switch {
	case combines && into.F() != nil:
		return value.Floats(into.DType(), into.Shape(), combineAt(into.F(), updates.F(), starts, size, Combination[float64](how))), nil
	case combines && into.I() != nil:
		return value.Ints(into.DType(), into.Shape(), combineAt(into.I(), updates.I(), starts, size, Combination[int64](how))), nil
	case combines && len(starts) > 0:
		return Value{}, c.Unsupported("%s", tensor.DTypeName(into.DType()))
	}
	places := make([]int, into.Len())
	for i := range places {
		places[i] = i
	}
	for i, start := range starts {
		for k := range size {
			places[start+k] = into.Len() + i*size + k
		}
	}
	return value.Join(into, updates).Pick(into.Shape(), places), nil
}

// Combination returns the function that combines an element with an update, for how being Add, Sub,
// Mul, Div, Max or Min.
func Combination[T float64 | int64](how string) func(a, b T) T {
	switch how {
	case "Sub":
		return func(a, b T) T { return a - b }
	case "Mul":
		return func(a, b T) T { return a * b }
	case "Div":
		return func(a, b T) T { return a / b }
	case "Max":
		return func(a, b T) T {
			if a < b {
				return b
			}
			return a // also if b is NaN, as in Eigen's cwiseMax
		}
	case "Min":
		return func(a, b T) T {
			if b < a {
				return b
			}
			return a
		}
	}
	return func(a, b T) T { return a + b }
}

func combineAt[T float64 | int64](into, updates []T, starts []int, size int, f func(a, b T) T) []T {
	out := slices.Clone(into)
	for i, start := range starts {
		for k := range size {
			out[start+k] = f(out[start+k], updates[i*size+k])
		}
	}
	return out
}

func dynamicPartition(c *Call, partitions []int) ([]Value, error) {
	v, rank := c.In[0], c.In[1].Rank()
	if v.Rank() < rank || !slices.Equal(v.Shape()[:rank], c.In[1].Shape()) {
		return nil, Invalidf("data.shape must start with partitions.shape, got data.shape = %s, partitions.shape = %s",
			value.ShapeText(v.Shape()), value.ShapeText(c.In[1].Shape()))
	}
	rows := make([][]int, c.Number("num_partitions"))
	for i, p := range partitions {
		if p < 0 || p >= len(rows) {
			return nil, Invalidf("partitions%s = %d is not in [0, %d)", placeText(i, c.In[1].Shape()), p, len(rows))
		}
		rows[p] = append(rows[p], i)
	}
	out := make([]Value, len(rows))
	for p, list := range rows {
		out[p] = rowsAt(v, v.Shape()[rank:], list)
	}
	return out, nil
}

// stitchedShape returns the shape of a slice of the data tensors, which is their shape without the
// dimensions that the indices cover. n is the number of data tensors.
func (c *Call) stitchedShape(n int) ([]int, error) {
	shape := func(i int) []int { return c.In[i].Shape() }
	var rest []int
	for i := range n {
		indices, data := shape(i), shape(n+i)
		if len(data) < len(indices) || !slices.Equal(data[:len(indices)], indices) {
			return nil, Invalidf("data[%d].shape = %s does not start with indices[%d].shape = %s", i, value.ShapeText(data), i, value.ShapeText(indices))
		}
		if own := data[len(indices):]; i == 0 {
			rest = own
		} else if !slices.Equal(own, rest) {
			return nil, Invalidf("Need data[0].shape[%d:] = data[%d].shape[%d:], got data[0].shape = %s, data[%d].shape = %s, indices[0].shape = %s, indices[%d].shape = %s",
				len(shape(0)), i, len(indices), value.ShapeText(shape(n)), i, value.ShapeText(data), value.ShapeText(shape(0)), i, value.ShapeText(indices))
		}
	}
	return rest, nil
}

func dynamicStitch(c *Call) ([]Value, error) {
	n := len(c.In) / 2
	rows, all := 0, value.Join(c.In[n:]...)
	rest, err := c.stitchedShape(n)
	if err != nil {
		return nil, err
	}
	size, _ := value.Count(rest)
	for _, indices := range c.In[:n] {
		for i, at := range indices.I() {
			if at < 0 || at > MaxElements {
				return nil, Invalidf("indices[%d] is out of range", i)
			}
			rows = max(rows, int(at)+1)
		}
	}
	shape := append([]int{rows}, rest...)
	count, err := c.Room(all.DType(), shape)
	if err != nil {
		return nil, err
	}
	places := slices.Repeat([]int{-1}, count)
	from := 0
	for _, indices := range c.In[:n] {
		for _, at := range indices.I() {
			for k := range size {
				places[int(at)*size+k] = from
				from++
			}
		}
	}
	return One(all.Pick(shape, places))
}
