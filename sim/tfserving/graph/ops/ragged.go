package ops

import (
	"math"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// raggedOps holds the operations on ragged tensors. A ragged tensor consists of one vector of row
// splits for each ragged dimension, and the values.
var raggedOps = map[string]Kernel{
	"RaggedRange": raggedRange, "RaggedGather": raggedGather, "RaggedTensorToSparse": raggedToSparse, "RaggedTensorToTensor": raggedToTensor,
	"Bincount": Of(ints(0), bincount), "DenseBincount": Of(ints(0), bincount),
}

func raggedRange(c *Call) ([]Value, error) {
	rows := -1
	for i, v := range c.In {
		switch {
		case v.Rank() > 1:
			return nil, Invalidf("%s must be a scalar or vector", []string{"starts", "limits", "deltas"}[i])
		case v.Rank() == 1 && rows >= 0 && v.Len() != rows:
			return nil, Invalidf("starts, limits, and deltas must have the same shape")
		case v.Rank() == 1:
			rows = v.Len()
		}
	}
	if rows < 0 {
		rows = 1
	}
	splits, parts := []int{0}, []Value{c.In[0].Pick([]int{0}, nil)}
	for row := range rows {
		part, err := c.rangeOfRow(row)
		if err != nil {
			return nil, err
		}
		parts, splits = append(parts, part), append(splits, splits[row]+part.Len())
	}
	return []Value{value.Sizes(c.TypeOf("Tsplits"), splits), value.Join(parts...)}, nil
}

// rangeOfRow returns the numbers of one row of a RaggedRange. If the limit lies before the start,
// in the direction of delta, the row is empty, as in Python.
func (c *Call) rangeOfRow(row int) (Value, error) {
	in := lists.Map(c.In, func(v Value) Value {
		if v.Rank() > 0 {
			return v.Pick(nil, []int{row})
		}
		return v
	})
	numbers := lists.Map(in, func(v Value) float64 {
		wide, _ := v.Cast(value.Float64)
		return wide.F()[0]
	})
	switch start, limit, delta := numbers[0], numbers[1], numbers[2]; {
	case delta == 0:
		return Value{}, Invalidf("Requires delta != 0")
	case delta > 0 && start >= limit || delta < 0 && start <= limit:
		return c.In[0].Pick([]int{0}, nil), nil
	case math.IsNaN(limit): // the size of the range would be NaN, too
		return Value{}, Invalidf("Requires ((limit - start) / delta) <= 9223372036854775807")
	}
	one, err := rangeOf(&Call{Node: c.Node, In: in, Env: c.Env})
	if err != nil {
		return Value{}, err
	}
	return one[0], nil
}

// raggedGather returns the selected rows of a ragged tensor, with all their nested rows.
func raggedGather(c *Call) ([]Value, error) {
	ragged := c.Number("PARAMS_RAGGED_RANK")
	indices, err := c.Ints(len(c.In) - 1)
	if err != nil {
		return nil, err
	}
	if c.In[len(c.In)-1].Rank() != 1 {
		return nil, c.Unsupported("indices that are no vector")
	}
	rows := c.In[0].Len() - 1
	for i, at := range indices {
		if at < 0 || at >= rows {
			return nil, Invalidf("indices%s = %d is not in [0, %d)", placeText(i, []int{len(indices)}), at, rows)
		}
	}
	for level := range ragged {
		splits := c.In[level].I()
		limit := c.In[level+1].Len() - 1 // number of rows at the next level
		if level == ragged-1 {
			limit = c.In[ragged].Shape()[0]
		}
		switch last := len(splits) - 1; {
		case last < 0:
			return nil, Invalidf("Ragged splits may not be empty")
		case splits[0] < 0:
			return nil, Invalidf("Ragged splits must be non-negative")
		case splits[last] > int64(limit):
			return nil, Invalidf("Ragged splits must not point past values")
		case !slices.IsSorted(splits):
			return nil, Invalidf("Ragged splits must be sorted")
		}
	}
	out := []Value{}
	for level := range ragged {
		splits, err := c.Ints(level)
		if err != nil {
			return nil, err
		}
		ends, inner := []int{0}, []int{}
		for _, row := range indices {
			if splits[row+1]-splits[row] > MaxElements-len(inner) {
				return nil, OutOfMemory(c.In[level].DType(), []int{len(inner) + splits[row+1] - splits[row]})
			}
			for i := splits[row]; i < splits[row+1]; i++ {
				inner = append(inner, i)
			}
			ends = append(ends, len(inner))
		}
		out = append(out, value.Sizes(c.In[level].DType(), ends))
		indices = inner
	}
	values := c.In[ragged]
	list := lists.Map(indices, func(n int) int64 { return int64(n) })
	taken, err := (&Call{Node: c.Node, In: []Value{values, value.Ints(value.Int64, []int{len(list)}, list)}, Env: c.Env}).gatherOn(values, 0, 0)
	return append(out, taken...), err
}

// raggedToSparse converts a ragged tensor to a sparse one, which lists the index of each value.
func raggedToSparse(c *Call) ([]Value, error) {
	levels := c.Number("RAGGED_RANK")
	values := c.In[levels]
	for level := levels - 1; level >= 0; level-- {
		splits, rows := c.In[level].I(), int64(c.In[level+1].Len()-1)
		if level == levels-1 {
			rows = int64(values.Shape()[0])
		}
		if len(splits) == 0 {
			return nil, Invalidf("ragged splits may not be empty.")
		}
		if splits[0] != 0 {
			return nil, Invalidf("First value of ragged splits must be 0.")
		}
		for i := range splits[1:] {
			if splits[i] > splits[i+1] {
				return nil, Invalidf("Ragged splits should be non decreasing, but we got %d followed by %d", splits[i], splits[i+1])
			}
		}
		if splits[len(splits)-1] != rows {
			return nil, Invalidf("Final value of ragged splits must match the length the corresponding ragged values.")
		}
	}
	inner := values.Shape()[1:]
	rank := levels + 1 + len(inner)
	shape := make([]int, rank)
	copy(shape[levels+1:], inner)
	shape[0] = c.In[0].Len() - 1
	rows := make([][]int64, shape[0])
	for i := range rows {
		rows[i] = []int64{int64(i)}
	}
	for level := range levels {
		splits := c.In[level].I()
		var places [][]int64
		for row, prefix := range rows {
			n := int(splits[row+1] - splits[row])
			shape[level+1] = max(shape[level+1], n)
			for i := range n {
				places = append(places, append(slices.Clone(prefix), int64(i)))
			}
		}
		rows = places
	}
	each, _ := value.Count(inner)
	list, strides := []int64{}, value.Strides(inner)
	if _, err := c.Room(value.Int64, []int{len(rows) * each, rank}); err != nil {
		return nil, err
	}
	for _, prefix := range rows {
		for i := range each {
			list = append(list, prefix...)
			for d, step := range strides {
				list = append(list, int64(i/step%inner[d]))
			}
		}
	}
	n := len(rows) * each
	return []Value{value.Ints(value.Int64, []int{n, rank}, list), values.Reshape([]int{n}), value.Sizes(value.Int64, shape)}, nil
}

// raggedToTensor converts a ragged tensor to a dense one. It pads rows to the longest row, or pads
// or cuts them to a given shape.
func raggedToTensor(c *Call) ([]Value, error) {
	values := c.In[1]
	p, err := c.partitions()
	if err != nil {
		return nil, err
	}
	wantedShape, err := c.Ints(0)
	if err != nil {
		return nil, err
	}
	if c.In[0].Rank() == 0 {
		wantedShape = nil
	}
	inner := values.Shape()[1:]
	shape := append(slices.Clone(p.widths), inner...)
	for d := range shape {
		if d < len(wantedShape) && wantedShape[d] >= 0 {
			shape[d] = wantedShape[d]
		}
	}
	if len(wantedShape) > 0 && len(wantedShape) != len(shape) || !slices.Equal(shape[len(p.widths):], inner) {
		return nil, c.Unsupported("another rank or inner shape")
	}
	n, err := c.Room(values.DType(), shape)
	if err != nil {
		return nil, err
	}
	if c.In[2].Len() != 1 {
		return nil, c.Unsupported("a default that is no scalar")
	}
	if len(p.at) > values.Shape()[0] {
		return nil, c.Unsupported("fewer values than places, which reads other memory")
	}
	places := slices.Repeat([]int{-1}, n)
	each, _ := value.Count(inner)
	strides := value.Strides(shape)
	for i, at := range p.at {
		start := 0
		for d, x := range at {
			if x >= shape[d] {
				start = -1
				break
			}
			start += x * strides[d]
		}
		for k := 0; start >= 0 && k < each; k++ {
			places[start+k] = i*each + k
		}
	}
	return One(values.PickOr(shape, places, c.In[2]))
}

// partitions reads the ragged dimensions of RaggedTensorToTensor.
func (c *Call) partitions() (partition, error) {
	kinds := lists.Map(c.Attrs["row_partition_types"].GetList().GetS(), func(b []byte) string { return string(b) })
	rest, first := c.In[3:], c.In[3]
	if len(kinds) > 0 && kinds[0] == "FIRST_DIM_SIZE" {
		kinds, rest = kinds[1:], rest[1:]
	}
	if first.Len() == 0 {
		return partition{}, Invalidf("Invalid first partition input. Tensor requires at least one element.")
	}
	size := first.Len() - 1
	if first.Rank() == 0 {
		size = int(first.I()[0])
	}
	p := partition{size: size, widths: []int{size}}
	for i, kind := range kinds {
		if err := p.add(c, kind, rest[i]); err != nil {
			return partition{}, err
		}
	}
	return p, nil
}

// partition tracks the index of each row of a ragged tensor while its dimensions are read from the
// outside in.
type partition struct {
	size   int
	at     [][]int // at holds the index of each row in the result; nil at the start, where row i has index i
	widths []int
}

// add reads the next ragged dimension. kind says whether v holds row splits or row ids.
func (p *partition) add(c *Call, kind string, v Value) error {
	parents := []int{}
	switch kind {
	case "ROW_SPLITS":
		splits := v.I()
		for row := 0; row+1 < len(splits); row++ {
			length := int(max(splits[row+1]-splits[row], 0))
			if length > MaxElements-len(parents) {
				return OutOfMemory(c.In[1].DType(), []int{p.size, length})
			}
			for range length {
				parents = append(parents, row)
			}
		}
		if n := len(splits); n > 0 && int64(len(parents)) != splits[n-1] {
			return Invalidf("Invalid row split size.")
		}
	case "VALUE_ROWIDS":
		for _, row := range v.I() {
			parents = append(parents, int(row))
		}
	default:
		return &Unsupported{"RaggedTensorToTensor: " + kind}
	}
	next, width := make([][]int, len(parents)), 0
	last, column := -1, 0
	for i, row := range parents {
		if row != last {
			last, column = row, 0
		}
		var above []int
		switch {
		case p.at == nil && row < p.size && row >= 0:
			above = []int{row}
		case row >= 0 && row < len(p.at):
			above = p.at[row]
		default:
			which, rows := "next", p.size
			if i == 0 {
				which = "current"
			}
			if p.at != nil {
				rows = len(p.at)
			}
			return Invalidf("Got %s_value_rowid=%d which is not less than %d", which, row, rows)
		}
		next[i] = append(slices.Clone(above), column)
		column++
		width = max(width, column)
	}
	p.at, p.widths = next, append(p.widths, width)
	return nil
}

// bincount counts how often each number below size occurs, or sums the weights of its occurrences.
func bincount(c *Call, numbers []int) ([]Value, error) {
	if c.In[1].Rank() != 0 {
		return nil, Invalidf("Shape must be rank 0 but is rank %d", c.In[1].Rank())
	}
	size, err := c.Int(1)
	if err != nil {
		return nil, err
	}
	if rank := c.In[0].Rank(); c.Op == "DenseBincount" && rank > 2 {
		return nil, Invalidf("Shape must be at most rank 2 but is rank %d", rank)
	}
	if w := c.In[2]; w.Len() > 0 && !slices.Equal(w.Shape(), c.In[0].Shape()) {
		if c.Op == "DenseBincount" {
			return nil, Invalidf("`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal to 1. Received %s", value.ShapeText(w.Shape()))
		}
		if w.Len() != len(numbers) {
			return nil, Invalidf("Input indices and weights must have the same size.")
		}
	}
	if size < 0 {
		return nil, Invalidf("size (%d) must be non-negative", size)
	}
	dtype := c.In[2].DType()
	rows, shape := 1, []int{size}
	if c.Op == "DenseBincount" && c.In[0].Rank() == 2 {
		rows = c.In[0].Shape()[0]
		shape = []int{rows, size}
	}
	n, err := c.Room(dtype, shape)
	if err != nil {
		return nil, err
	}
	weights, ok := c.In[2].Cast(value.Float64)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(dtype))
	}
	out := make([]float64, n)
	for i, number := range numbers {
		switch {
		case number < 0 && len(shape) > 1:
			return nil, Invalidf("Input 'in' must be non-negative! Negative input value found: %d", number)
		case number < 0:
			return nil, Invalidf("Input arr must be non-negative!")
		}
		if number >= size {
			continue
		}
		at := i/max(len(numbers)/max(rows, 1), 1)*size + number
		switch {
		case c.Flag("binary_output"):
			out[at] = 1
		case weights.Len() > 0:
			out[at] += weights.F()[i]
		default:
			out[at]++
		}
	}
	v, _ := value.Floats(value.Float64, shape, out).Cast(dtype)
	return One(v)
}
