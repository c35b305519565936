package ops

import (
	"slices"
	"sort"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// sparseOps holds the operations on sparse tensors. A sparse tensor consists of the values, a row
// of indices for each value, and the dense shape.
var sparseOps = map[string]Kernel{
	"SparseToDense": Of2(ints(1), ints(0), sparseToDense), "SparseReorder": Of((*Call).sparseInput, sparseReorder),
	"SparseReshape":           Of2(ints(0), ints(1), sparseReshape),
	"SparseTensorDenseMatMul": Of((*Call).sparseInput, sparseMatmul), "SparseFillEmptyRows": Of((*Call).sparseInput, sparseFillEmptyRows),
	"RaggedFillEmptyRows": Of(ints(0), raggedFillEmptyRows),
}

// sparse is a sparse tensor read from an operation's inputs.
type sparse struct {
	indices []int
	values  Value
	shape   []int
}

// sparseInput reads a sparse tensor from the first three inputs.
func (c *Call) sparseInput() (sparse, error) {
	at, err := c.Ints(0)
	if err != nil {
		return sparse{}, err
	}
	sizes, err := c.Ints(2)
	if err != nil {
		return sparse{}, err
	}
	return sparse{at, c.In[1], sizes}, c.sparseError()
}

// misfit is the result of one check of an operation's inputs. due is true if the check failed; text
// and args are its error.
type misfit struct {
	due  bool
	text string
	args []any
}

// sparseError returns the error for parts of a sparse tensor that do not fit each other. Each
// operation has its own checks and texts (core/kernels/sparse_*_op.cc, core/util/sparse).
func (c *Call) sparseError() error {
	at, values, sizes := c.In[0].Shape(), c.In[1].Shape(), c.In[2].Shape()
	text := value.ShapeText
	rows, columns, dims := c.In[0].Len(), 0, c.In[2].Len()
	if len(at) == 2 {
		rows, columns = at[0], at[1]
	}
	rowsDiffer, columnsDiffer := rows != c.In[1].Len(), columns != dims
	negative := slices.IndexFunc(c.In[2].I(), func(size int64) bool { return size < 0 })
	var checks []misfit
	switch c.Op {
	case "SparseFillEmptyRows":
		checks = []misfit{
			{len(sizes) != 1, "dense_shape must be a vector, saw: %s", []any{text(sizes)}},
			{len(at) != 2, "indices must be a matrix, saw: %s", []any{text(at)}},
			{len(values) != 1, "values must be a vector, saw: %s", []any{text(values)}},
			{rowsDiffer, "The length of `values` (%d) must match the first dimension of `indices` (%d).", []any{c.In[1].Len(), rows}},
			{columnsDiffer, "The length of `dense_shape` (%d) must match the second dimension of `indices` (%d).", []any{dims, columns}},
			{c.In[3].Rank() != 0, "default_value must be a scalar, saw: %s", []any{text(c.In[3].Shape())}},
			{dims == 0, "Dense shape cannot be empty.", nil},
		}
	case "SparseTensorDenseMatMul":
		checks = []misfit{
			{c.In[3].Rank() != 2, "Tensor 'b' is not a matrix", nil}, {len(sizes) != 1, "Tensor 'a_shape' is not a vector", nil},
			{dims != 2, "Tensor 'a_shape' must have 2 elements", nil}, {len(values) != 1, "Tensor 'a_values' is not a vector", nil},
			{len(at) != 2, "Tensor 'a_indices' is not a matrix", nil},
			{rowsDiffer, "Number of rows of a_indices does not match number of entries in a_values", nil},
			{columnsDiffer, "Number of columns of a_indices does not match number of entries in a_shape", nil},
		}
	default:
		checks = []misfit{
			{len(at) != 2, "Sparse indices must be rank 2 but is rank %d", []any{len(at)}},
			{len(values) != 1, "Sparse values must be rank 1 but is rank %d", []any{len(values)}},
			{len(sizes) != 1, "Sparse shape must be rank 1 but is rank %d", []any{len(sizes)}},
			{rowsDiffer, "Number of elements in indices (%d) and values (%d) do not match", []any{rows, c.In[1].Len()}},
			{columnsDiffer, "Index rank (%d) and shape rank (%d) do not match", []any{columns, dims}},
		}
	}
	if negative >= 0 && c.Op != "SparseReorder" {
		checks = append(checks, misfit{true, "Expected shape dimensions to be non-negative, got %d", []any{c.In[2].I()[negative]}})
	}
	for _, check := range checks {
		if check.due {
			return Invalidf(check.text, check.args...)
		}
	}
	return nil
}

// row returns the indices of value i.
func (s sparse) row(i int) []int { return s.indices[i*len(s.shape) : (i+1)*len(s.shape)] }

// order returns the positions of the values, sorted by their indices.
func (s sparse) order() []int {
	order := make([]int, s.values.Len())
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return slices.Compare(s.row(order[a]), s.row(order[b])) < 0 })
	return order
}

// rowsOf returns a tensor with the indices of the values at the given positions.
func (s sparse) rowsOf(places []int) Value {
	list := make([]int64, 0, len(places)*len(s.shape))
	for _, i := range places {
		for _, n := range s.row(i) {
			list = append(list, int64(n))
		}
	}
	return value.Ints(value.Int64, []int{len(places), len(s.shape)}, list)
}

// denseError returns the error for inputs of SparseToDense that do not fit each other.
func (c *Call) denseError(shape []int) error {
	at, values := c.In[0].Shape(), c.In[2]
	rows, columns := c.In[0].Len(), 1
	if len(at) == 2 {
		rows, columns = at[0], at[1]
	}
	switch {
	case len(at) > 2:
		return Invalidf("sparse_indices should be a scalar, vector, or matrix, got shape %s", value.ShapeText(at))
	case c.In[1].Rank() != 1:
		return Invalidf("output_shape must be rank 1, got shape %s", value.ShapeText(c.In[1].Shape()))
	case len(shape) != columns:
		return Invalidf("output_shape has incorrect number of elements: %d should be: %d", len(shape), columns)
	case values.Rank() > 1 || values.Rank() == 1 && values.Len() != rows:
		return Invalidf("sparse_values has incorrect shape %s, should be [] or [%d]", value.ShapeText(values.Shape()), rows)
	case c.In[3].Rank() != 0:
		return Invalidf("default_value should be a scalar.")
	}
	return sizesError(shape)
}

func sparseToDense(c *Call, shape, at []int) ([]Value, error) {
	if err := c.denseError(shape); err != nil {
		return nil, err
	}
	n, err := c.Room(c.In[2].DType(), shape)
	if err != nil {
		return nil, err
	}
	rank := len(shape)
	rows := len(at) / max(rank, 1)
	places, strides := slices.Repeat([]int{-1}, n), value.Strides(shape)
	for i := range rows {
		if c.Flag("validate_indices") {
			if err := Misplaced(at, i, shape); err != nil {
				return nil, err
			}
		}
		place := 0
		for d, x := range at[i*rank : (i+1)*rank] {
			if x < 0 || x >= shape[d] {
				return nil, Invalidf("Indices are not valid (out of bounds).  Shape: %s", value.ShapeText(shape))
			}
			place += x * strides[d]
		}
		places[place] = i
		if c.In[2].Rank() == 0 {
			places[place] = 0
		}
	}
	return One(c.In[2].PickOr(shape, places, c.In[3]))
}

// Misplaced returns the error for row i of the indices of a sparse tensor if it is out of bounds, or
// does not come after the row before it (core/util/sparse/sparse_tensor.cc).
func Misplaced(indices []int, i int, shape []int) error {
	rank := len(shape)
	row := indices[i*rank : (i+1)*rank]
	for d, x := range row {
		if x < 0 || x >= shape[d] {
			return Invalidf("indices[%d] = [%s] is out of bounds: need 0 <= index < [%s]", i, JoinInts(row, ","), JoinInts(shape, ","))
		}
	}
	if i == 0 {
		return nil
	}
	switch slices.Compare(indices[(i-1)*rank:i*rank], row) {
	case 0:
		return Invalidf("indices[%d] = [%s] is repeated", i, JoinInts(row, ","))
	case 1:
		return Invalidf("indices[%d] = [%s] is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n", i, JoinInts(row, ","))
	}
	return nil
}

func sparseReorder(c *Call, s sparse) ([]Value, error) {
	order := s.order()
	return []Value{s.rowsOf(order), s.values.Pick(s.values.Shape(), order)}, nil
}

// sparseReshape converts the indices of the values to indices in another dense shape. Both shapes
// have the same number of elements.
func sparseReshape(c *Call, at, from []int) ([]Value, error) {
	to, err := c.sparseSizes(at, from)
	if err != nil {
		return nil, err
	}
	in, out := value.Strides(from), value.Strides(to)
	list := []int64{}
	for i := 0; len(from) > 0 && i+len(from) <= len(at); i += len(from) {
		place := 0
		for d, x := range at[i : i+len(from)] {
			place += x * in[d]
		}
		for _, step := range out {
			list = append(list, int64(place/step))
			place %= step
		}
	}
	return []Value{value.Ints(value.Int64, []int{c.In[0].Shape()[0], len(to)}, list), value.Sizes(value.Int64, to)}, nil
}

// sparseSizes returns the new shape of a sparse tensor that is being reshaped. The argument from is
// its old shape (core/kernels/reshape_util.cc).
func (c *Call) sparseSizes(at, from []int) ([]int, error) {
	indices := c.In[0].Shape()
	switch {
	case len(indices) != 2:
		return nil, Invalidf("Input must be a matrix.")
	case c.In[1].Rank() != 1:
		return nil, Invalidf("Input shape must be a vector.")
	case c.In[2].Rank() != 1:
		return nil, Invalidf("Target shape should be a vector but received shape %s", value.ShapeText(c.In[2].Shape()))
	case indices[1] != len(from):
		return nil, Invalidf("Input tensor rank must match input shape length.")
	}
	to, err := c.Ints(2)
	if err != nil {
		return nil, err
	}
	for _, size := range from {
		if size < 0 {
			return nil, Invalidf("Expected shape dimensions to be non-negative, got %d", size)
		}
	}
	to = slices.Clone(to)
	all, ok := value.Count(from)
	open, product := -1, 1
	for d, size := range to {
		switch {
		case size == -1 && open >= 0:
			return nil, Invalidf("only one output dimension may be -1, not both %d and %d", open, d)
		case size == -1:
			open = d
		case size < 0:
			return nil, Invalidf("size %d must be non-negative, not %d", d, size)
		default:
			product *= size
		}
	}
	if open >= 0 {
		if product <= 0 {
			return nil, Invalidf("reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero")
		}
		if to[open] = all / product; all%product != 0 {
			return nil, Invalidf("Input to reshape is a SparseTensor with %d dense values, but the requested shape requires a multiple of %d. input_shape=%s output_shape=%s",
				all, product, value.ShapeText(from), value.ShapeText(to))
		}
	}
	if n, okToo := value.Count(to); !ok || !okToo || n != all {
		return nil, Invalidf("Input to reshape is a tensor with %d dense values, but the requested shape has %d. input_shape=%s output_shape=%s",
			all, n, value.ShapeText(from), value.ShapeText(to))
	}
	return to, nil
}

func sparseMatmul(c *Call, s sparse) ([]Value, error) {
	b := c.In[3]
	if s.values.F() == nil || c.Flag("adjoint_b") {
		return nil, c.Unsupported("adjoint_b, or the dtype")
	}
	outer, inner := 0, 1 // dimension of the sparse matrix that becomes rows of the result, and the one that is summed over
	if c.Flag("adjoint_a") {
		outer, inner = 1, 0
	}
	if s.shape[inner] != b.Shape()[0] {
		return nil, Invalidf("Cannot multiply A and B because inner dimension does not match: %d vs. %d.  Did you forget a transpose?  Dimensions of A: [%d, %d).  Dimensions of B: %s",
			s.shape[inner], b.Shape()[0], s.shape[0], s.shape[1], value.ShapeText(b.Shape()))
	}
	width := b.Shape()[1]
	shape := []int{s.shape[outer], width}
	n, err := c.Room(b.DType(), shape)
	if err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i, x := range s.values.F() {
		row, k := s.row(i)[outer], s.row(i)[inner]
		if k < 0 || k >= s.shape[inner] {
			return nil, Invalidf("k (%d) from index[%d,%d] out of bounds (>=%d)", k, i, inner, s.shape[inner])
		}
		if row < 0 || row >= s.shape[outer] {
			return nil, Invalidf("m (%d) from index[%d,%d] out of bounds (>=%d)", row, i, outer, s.shape[outer])
		}
		for j := range width {
			out[row*width+j] += x * b.F()[k*width+j]
		}
	}
	return One(value.Floats(b.DType(), shape, out))
}

// sparseFillEmptyRows adds a default value at the start of each row that has no values.
func sparseFillEmptyRows(c *Call, s sparse) ([]Value, error) {
	rows := s.shape[0]
	if _, err := c.Room(value.Int64, []int{rows, len(s.shape)}); err != nil {
		return nil, err
	}
	byRow := make([][]int, rows)
	for i := range s.values.Len() {
		row := s.row(i)[0]
		if row < 0 || row >= rows {
			return nil, Invalidf("indices(%d, 0) is invalid: %d >= %d", i, row, rows)
		}
		byRow[row] = append(byRow[row], i)
	}
	indices, places, empty := []int64{}, []int{}, make([]bool, rows)
	back := make([]int64, s.values.Len())
	for row, list := range byRow {
		if empty[row] = len(list) == 0; empty[row] {
			indices = append(append(indices, int64(row)), make([]int64, len(s.shape)-1)...)
			places = append(places, -1)
		}
		for _, i := range list {
			back[i] = int64(len(places))
			for _, n := range s.row(i) {
				indices = append(indices, int64(n))
			}
			places = append(places, i)
		}
	}
	return []Value{
		value.Ints(value.Int64, []int{len(places), len(s.shape)}, indices),
		s.values.PickOr([]int{len(places)}, places, c.In[3]),
		value.Bools([]int{rows}, empty), value.Ints(value.Int64, []int{len(back)}, back),
	}, nil
}

// raggedFillEmptyRows does for a ragged tensor, whose values are given with their rows, what
// sparseFillEmptyRows does for a sparse one.
func raggedFillEmptyRows(c *Call, rows []int) ([]Value, error) {
	ids, values, count, fallback := c.In[0], c.In[1], c.In[2], c.In[3]
	switch {
	case ids.Rank() != 1:
		return nil, Invalidf("value_rowids must be a vector, saw: %s", value.ShapeText(ids.Shape()))
	case values.Rank() != 1:
		return nil, Invalidf("values must be a vector, saw: %s", value.ShapeText(values.Shape()))
	case count.Rank() != 0:
		return nil, Invalidf("nrows must be a scalar, saw: %s", value.ShapeText(count.Shape()))
	case fallback.Rank() != 0:
		return nil, Invalidf("default_value must be a scalar, saw: %s", value.ShapeText(fallback.Shape()))
	case values.Len() != len(rows):
		return nil, Invalidf("The length of `values` (%d) must match the first dimension of `value_rowids` (%d).", values.Len(), len(rows))
	}
	n, err := c.Int(2)
	if err != nil {
		return nil, err
	}
	if n == 0 && len(rows) > 0 {
		return nil, Invalidf("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = %d", len(rows))
	}
	out, err := sparseFillEmptyRows(c, sparse{rows, values, []int{n}})
	if err == nil && n > 0 { // without rows the kernel leaves the shape of a sparse tensor's
		out[0] = out[0].Reshape([]int{out[0].Len()})
	}
	return out, err
}
