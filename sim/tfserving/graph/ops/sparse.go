package ops

import (
	"slices"
	"sort"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// sparseOps holds the operations on sparse tensors. A sparse tensor consists of the values, a row
// of indices for each value, and the dense shape.
var sparseOps = map[string]Kernel{
	"SparseToDense": of2(ints(1), ints(0), sparseToDense), "SparseReorder": of((*Call).sparseInput, sparseReorder),
	"SparseReshape":           of2(ints(0), ints(1), sparseReshape),
	"SparseTensorDenseMatMul": of((*Call).sparseInput, sparseMatmul), "SparseFillEmptyRows": of((*Call).sparseInput, sparseFillEmptyRows),
	"SparseReduceSum": of((*Call).sparseInput, sparseReduce),
}

// sparse is a sparse tensor read from an operation's inputs.
type sparse struct {
	indices []int
	values  Value
	shape   []int
}

// sparseInput reads a sparse tensor from the first three inputs.
func (c *Call) sparseInput() (sparse, error) {
	at, err := c.ints(0)
	if err != nil {
		return sparse{}, err
	}
	sizes, err := c.ints(2)
	if err != nil {
		return sparse{}, err
	}
	s, indices := sparse{at, c.In[1], sizes}, c.In[0].Shape()
	if len(indices) != 2 || indices[1] != len(sizes) || indices[0] != s.values.Len() {
		return sparse{}, invalidf("Input indices should be a matrix but received shape %s", value.ShapeText(indices))
	}
	return s, nil
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

func sparseToDense(c *Call, shape, at []int) ([]Value, error) {
	n, err := c.room(c.In[2].DType(), shape)
	if err != nil {
		return nil, err
	}
	rank := len(shape)
	rows := len(at) / max(rank, 1)
	places, strides := slices.Repeat([]int{-1}, n), value.Strides(shape)
	for i := range rows {
		place, row := 0, at[i*rank:(i+1)*rank]
		for d, x := range row {
			if x < 0 || x >= shape[d] {
				return nil, invalidf("indices[%d] = [%s] is out of bounds: need 0 <= index < [%s]", i, joinInts(row, ","), joinInts(shape, ","))
			}
			place += x * strides[d]
		}
		if c.flag("validate_indices") && i > 0 {
			switch slices.Compare(at[(i-1)*rank:i*rank], row) {
			case 0:
				return nil, invalidf("indices[%d] = [%s] is repeated", i, joinInts(row, ","))
			case 1:
				return nil, invalidf("indices[%d] = [%s] is out of order", i, joinInts(row, ","))
			}
		}
		places[place] = i
		if c.In[2].Rank() == 0 {
			places[place] = 0
		}
	}
	return one(c.In[2].PickOr(shape, places, c.In[3]))
}

func sparseReorder(c *Call, s sparse) ([]Value, error) {
	order := s.order()
	return []Value{s.rowsOf(order), s.values.Pick(s.values.Shape(), order)}, nil
}

// sparseReshape converts the indices of the values to those in another dense shape with the same
// number of elements.
func sparseReshape(c *Call, at, from []int) ([]Value, error) {
	to, err := c.ints(2)
	if err != nil {
		return nil, err
	}
	to = slices.Clone(to)
	all, ok := value.Count(from)
	if open := slices.Index(to, -1); open >= 0 {
		to[open] = 1
		known, okToo := value.Count(to)
		if !okToo || known == 0 || all%known != 0 {
			return nil, invalidf("reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero")
		}
		to[open] = all / known
	}
	if n, okToo := value.Count(to); !ok || !okToo || n != all {
		return nil, invalidf("Input to reshape is a tensor with %d dense values, but the requested shape has %d", all, n)
	}
	in, out := value.Strides(from), value.Strides(to)
	list := []int64{}
	for i := 0; len(from) > 0 && i+len(from) <= len(at); i += len(from) {
		place := 0
		for d, x := range at[i : i+len(from)] {
			place += x * in[d]
		}
		for d, step := range out {
			list = append(list, int64(place/step%to[d]))
		}
	}
	return []Value{value.Ints(value.Int64, []int{c.In[0].Shape()[0], len(to)}, list), value.Sizes(value.Int64, to)}, nil
}

func sparseMatmul(c *Call, s sparse) ([]Value, error) {
	b := c.In[3]
	if len(s.shape) != 2 || b.Rank() != 2 || s.values.F() == nil || c.flag("adjoint_a") || c.flag("adjoint_b") {
		return nil, c.unsupported("adjoints, ranks or dtypes")
	}
	if s.shape[1] != b.Shape()[0] {
		return nil, invalidf("Cannot multiply A and B because inner dimension does not match: %d vs. %d.  Did you forget a transpose?  Dimensions of A: [%d, %d).  Dimensions of B: %s",
			s.shape[1], b.Shape()[0], s.shape[0], s.shape[1], value.ShapeText(b.Shape()))
	}
	width := b.Shape()[1]
	shape := []int{s.shape[0], width}
	n, err := c.room(b.DType(), shape)
	if err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i, x := range s.values.F() {
		row, k := s.row(i)[0], s.row(i)[1]
		if k < 0 || k >= s.shape[1] {
			return nil, invalidf("k (%d) from index[%d,1] out of bounds (>=%d)", k, i, s.shape[1])
		}
		if row < 0 || row >= s.shape[0] {
			return nil, invalidf("m (%d) from index[%d,0] out of bounds (>=%d)", row, i, s.shape[0])
		}
		for j := range width {
			out[row*width+j] += x * b.F()[k*width+j]
		}
	}
	return one(value.Floats(b.DType(), shape, out))
}

// sparseFillEmptyRows adds a default value at the start of each row that has no values.
func sparseFillEmptyRows(c *Call, s sparse) ([]Value, error) {
	rows := s.shape[0]
	if _, err := c.room(value.Int64, []int{rows, len(s.shape)}); err != nil {
		return nil, err
	}
	byRow := make([][]int, rows)
	for i := range s.values.Len() {
		row := s.row(i)[0]
		if row < 0 || row >= rows {
			return nil, invalidf("indices(%d, 0) is invalid: %d >= %d", i, row, rows)
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

// sparseReduce converts the sparse tensor to a dense one and sums over the given dimensions.
func sparseReduce(c *Call, s sparse) ([]Value, error) {
	zero, ok := value.Zeros(s.values.DType(), nil)
	if !ok {
		return nil, c.unsupported("a dtype without zero")
	}
	dense, err := of2(ints(1), ints(0), sparseToDense)(&Call{Node: &Node{Name: c.Name, Op: c.Op}, In: []Value{c.In[0], c.In[2], c.In[1], zero}, Env: c.Env})
	if err != nil {
		return nil, err
	}
	node := &Node{Name: c.Name, Op: "Sum", Attrs: c.Attrs}
	return reduce(&Call{Node: node, In: []Value{dense[0], c.In[3]}, Env: c.Env})
}
