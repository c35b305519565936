package ops

import (
	"maps"
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// countOps holds the operations that count how often each number occurs in the rows of ragged and
// sparse tensors, and those that return such counts as a sparse tensor.
var countOps = map[string]Kernel{
	"RaggedBincount": raggedBincount, "SparseBincount": Of(ints(1), sparseBincount),
	"DenseCountSparseOutput": denseCount, "SparseCountSparseOutput": sparseCount, "RaggedCountSparseOutput": raggedCount,
}

// binSize reads the number of bins.
func (c *Call) binSize(input int) (int, error) {
	if rank := c.In[input].Rank(); rank != 0 {
		return 0, Invalidf("Shape must be rank 0 but is rank %d", rank)
	}
	size, err := c.Int(input)
	if err == nil && size < 0 {
		return 0, Invalidf("size (%d) must be non-negative", size)
	}
	return size, err
}

// added returns what the number at index i adds to its count: the weight at index i, or 1 if there
// are no weights.
func added(weights []float64, i int) float64 {
	if len(weights) == 0 {
		return 1
	}
	return weights[i]
}

// weights returns a numeric input as a list of floats.
func (c *Call) weights(input int) ([]float64, error) {
	wide, ok := c.In[input].Cast(value.Float64)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(c.In[input].DType()))
	}
	return wide.F(), nil
}

// bins counts how often each number occurs in each row. rowOf holds the row of each number. Numbers
// beyond the last bin do not count.
func (c *Call) bins(shape []int, numbers []int64, weights Value, rowOf []int) ([]Value, error) {
	size := shape[len(shape)-1]
	n, err := c.Room(weights.DType(), shape)
	if err != nil {
		return nil, err
	}
	wide, ok := weights.Cast(value.Float64)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(weights.DType()))
	}
	out := make([]float64, n)
	for i, number := range numbers {
		switch {
		case number >= int64(size):
		case c.Flag("binary_output"):
			out[rowOf[i]*size+int(number)] = 1
		default:
			out[rowOf[i]*size+int(number)] += added(wide.F(), i)
		}
	}
	v, _ := value.Floats(value.Float64, shape, out).Cast(weights.DType())
	return One(v)
}

// rowsOfSplits returns the row of each of n values. It goes through splits once and only forward,
// which matters if splits is not in order.
func rowsOfSplits(splits []int64, n int) []int {
	rows, row := make([]int, n), 0
	for i := range rows {
		for int64(i) >= splits[row] {
			row++
		}
		rows[i] = row - 1
	}
	return rows
}

func splitEndsError(splits []int64, n int) error {
	switch last := len(splits) - 1; {
	case splits[0] != 0:
		return Invalidf("Splits must start with 0, not with %d", splits[0])
	case splits[last] != int64(n):
		return Invalidf("Splits must end with the number of values, got %d instead of %d", splits[last], n)
	}
	return nil
}

func raggedBincount(c *Call) ([]Value, error) {
	splits, numbers := c.In[0].I(), c.In[1].I()
	size, err := c.binSize(2)
	if err != nil {
		return nil, err
	}
	if len(splits) == 0 {
		return nil, c.Unsupported("no splits, of which the kernel reads the first")
	}
	if err := splitEndsError(splits, len(numbers)); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(numbers, func(n int64) bool { return n < 0 }) {
		return nil, Invalidf("Input must be non-negative")
	}
	return c.bins([]int{len(splits) - 1, size}, numbers, c.In[3], rowsOfSplits(splits, len(numbers)))
}

func sparseBincount(c *Call, numbers []int) ([]Value, error) {
	size, err := c.binSize(3)
	if err != nil {
		return nil, err
	}
	at, shape, values := c.In[0], c.In[2].I(), c.In[1].I()
	if err := insideSparse(at, shape); err != nil {
		return nil, err
	}
	negative := slices.ContainsFunc(numbers, func(n int) bool { return n < 0 })
	switch {
	case len(shape) == 1 && negative:
		return nil, Invalidf("Input arr must be non-negative!")
	case negative || len(shape) == 0:
		return nil, c.Unsupported("a negative number, which counts in other memory")
	case c.In[4].Len() > 0 && c.In[4].Len() != len(values):
		return nil, c.Unsupported("fewer weights than values, which reads other memory")
	case len(shape) == 1:
		return c.bins([]int{size}, values, c.In[4], make([]int, len(values)))
	}
	rows := make([]int, len(values))
	for i := range rows {
		rows[i] = int(at.I()[i*len(shape)])
	}
	return c.bins([]int{int(shape[0]), size}, values, c.In[4], rows)
}

// insideSparse returns the error for indices that are not inside of a shape.
func insideSparse(at Value, shape []int64) error {
	for i := 0; len(shape) > 0 && i+len(shape) <= at.Len(); i += len(shape) {
		row := at.I()[i : i+len(shape)]
		for d, x := range row {
			if x < 0 || x >= shape[d] {
				return Invalidf("Sparse index tuple indices[%d, :] = [%s] is out of bounds", i/len(shape), JoinInts(wholeInts(row), ", "))
			}
		}
	}
	return nil
}

// countsOf counts how often each number occurs in each row, and returns the counts as a sparse
// tensor. If vector is true, that tensor has no dimension for the rows (core/kernels/count_ops.cc).
func (c *Call) countsOf(numbers []int64, weights []float64, rowOf []int, rows int, vector bool) ([]Value, error) {
	if slices.ContainsFunc(numbers, func(n int64) bool { return n < 0 }) {
		return nil, Invalidf("Input values must all be non-negative")
	}
	if _, err := c.Room(value.Int64, []int{rows}); err != nil {
		return nil, err
	}
	counts, highest := make([]map[int64]float64, rows), int64(0)
	for i := range counts {
		counts[i] = map[int64]float64{}
	}
	most := int64(c.Number("maxlength"))
	for i, n := range numbers {
		if most > 0 && n >= most {
			continue
		}
		highest = max(highest, n)
		if c.Flag("binary_output") {
			counts[rowOf[i]][n] = 1
		} else {
			counts[rowOf[i]][n] += added(weights, i)
		}
	}
	indices, list := []int64{}, []float64{}
	for row := range counts {
		for _, n := range slices.Sorted(maps.Keys(counts[row])) {
			if !vector {
				indices = append(indices, int64(row))
			}
			indices, list = append(indices, n), append(list, counts[row][n])
		}
	}
	width := int(max(highest+1, int64(c.Number("minlength"))))
	if most > 0 {
		width = int(most)
	}
	shape := []int{rows, width}
	if vector {
		shape = []int{width}
	}
	v, _ := value.Floats(value.Float64, []int{len(list)}, list).Cast(c.TypeOf("output_type"))
	return []Value{value.Ints(value.Int64, []int{len(list), len(shape)}, indices), v, value.Sizes(value.Int64, shape)}, nil
}

func denseCount(c *Call) ([]Value, error) {
	data, w := c.In[0], c.In[1]
	text := value.ShapeText
	switch rank := data.Rank(); {
	case rank != 1 && rank != 2:
		return nil, Invalidf("Input must be a 1 or 2-dimensional tensor. Got: %s", text(data.Shape()))
	case w.Len() > 0 && !slices.Equal(w.Shape(), data.Shape()):
		return nil, Invalidf("Weights and data must have the same shape. Weight shape: %s; data shape: %s", text(w.Shape()), text(data.Shape()))
	}
	rows := 1
	if data.Rank() == 2 {
		if rows = data.Shape()[0]; rows == 0 {
			return nil, Invalidf("Invalid input: Shapes dimension cannot be 0.")
		}
	}
	weights, err := c.weights(1)
	if err != nil {
		return nil, err
	}
	rowOf := make([]int, data.Len())
	for i := range rowOf {
		rowOf[i] = i / (data.Len() / rows)
	}
	return c.countsOf(data.I(), weights, rowOf, rows, data.Rank() == 1)
}

// sparseCountError checks the inputs of SparseCountSparseOutput and returns the error for the first
// fault.
func (c *Call) sparseCountError() error {
	at, values, shape, w := c.In[0], c.In[1], c.In[2], c.In[3]
	text := value.ShapeText
	switch {
	case at.Rank() != 2:
		return Invalidf("Input indices must be a 2-dimensional tensor. Got: %s", text(at.Shape()))
	case values.Rank() != 1:
		return Invalidf("Input values must be a vector. Got: %s", text(values.Shape()))
	case shape.Rank() != 1:
		return Invalidf("Input shape must be a vector. Got: %s", text(shape.Shape()))
	case values.Len() != at.Shape()[0]:
		return Invalidf("Number of values must match first dimension of indices.Got %d values, indices shape: %s", values.Len(), text(at.Shape()))
	case shape.Len() != at.Shape()[1]:
		return Invalidf("Number of dimensions must match second dimension of indices.Got %d dimensions, indices shape: %s", shape.Len(), text(at.Shape()))
	case shape.Len() == 0:
		return Invalidf("The shape argument requires at least one element.")
	}
	for i := range values.Len() {
		for d, size := range shape.I() {
			if x := at.I()[i*shape.Len()+d]; x < 0 || x >= size {
				return Invalidf("Invalid index value at %d: dimension %d has value %d which is not in [0, %d) (as given by dense shape %s",
					i, d, x, size, debugText(shape))
			}
		}
	}
	if w.Len() > 0 && !slices.Equal(w.Shape(), values.Shape()) {
		return Invalidf("Weights and values must have the same shape. Weight shape: %s; values shape: %s", text(w.Shape()), text(values.Shape()))
	}
	if rows := shape.I()[0]; shape.Len() > 1 && rows <= 0 {
		return Invalidf("Cannot allocate %d batches, is the dense shape too wide?", rows)
	}
	return nil
}

func sparseCount(c *Call) ([]Value, error) {
	if err := c.sparseCountError(); err != nil {
		return nil, err
	}
	weights, err := c.weights(3)
	if err != nil {
		return nil, err
	}
	rank, rows, rowOf := c.In[2].Len(), 1, make([]int, c.In[1].Len())
	if rank > 1 {
		rows = int(c.In[2].I()[0])
		for i := range rowOf {
			rowOf[i] = int(c.In[0].I()[i*rank])
		}
	}
	return c.countsOf(c.In[1].I(), weights, rowOf, rows, rank == 1)
}

func raggedCount(c *Call) ([]Value, error) {
	splits, values, w := c.In[0].I(), c.In[1], c.In[2]
	if w.Len() > 0 && !slices.Equal(w.Shape(), values.Shape()) {
		return nil, Invalidf("Weights and values must have the same shape. Weight shape: %s; values shape: %s", value.ShapeText(w.Shape()), value.ShapeText(values.Shape()))
	}
	if len(splits) < 2 {
		return nil, Invalidf("Must provide at least 2 elements for the splits argument")
	}
	if err := splitEndsError(splits, values.Len()); err != nil {
		return nil, err
	}
	weights, err := c.weights(2)
	if err != nil {
		return nil, err
	}
	return c.countsOf(values.I(), weights, rowsOfSplits(splits, values.Len()), len(splits)-1, false)
}
