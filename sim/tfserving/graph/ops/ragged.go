package ops

import (
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// raggedOps holds the operations on ragged tensors. A ragged tensor consists of one vector of row
// splits for each ragged dimension, and the values.
var raggedOps = map[string]Kernel{
	"RaggedRange": raggedRange, "RaggedGather": raggedGather, "RaggedTensorToSparse": raggedToSparse, "RaggedTensorToTensor": raggedToTensor,
	"Bincount": of2(ints(0), scalar(1), bincount), "DenseBincount": of2(ints(0), scalar(1), bincount),
}

func raggedRange(c *Call) ([]Value, error) {
	rows := 1
	for _, v := range c.In {
		if v.Rank() > 0 {
			rows = v.Len()
		}
		if v.I() == nil {
			return nil, c.unsupported("floats")
		}
	}
	at := func(input, row int) int64 {
		if c.In[input].Rank() == 0 {
			row = 0
		}
		return c.In[input].I()[row]
	}
	splits, list := []int{0}, []int64{}
	for row := range rows {
		start, limit, delta := at(0, row), at(1, row), at(2, row)
		if delta == 0 {
			return nil, invalidf("Requires delta != 0")
		}
		for x := start; delta > 0 && x < limit || delta < 0 && x > limit; x += delta {
			list = append(list, x)
			if len(list) > maxElements {
				return nil, outOfMemory(c.In[0].DType(), []int{len(list)})
			}
		}
		splits = append(splits, len(list))
	}
	if _, err := c.room(c.In[0].DType(), []int{len(list)}); err != nil {
		return nil, err
	}
	return []Value{value.Sizes(c.typeOf("Tsplits"), splits), value.Ints(c.In[0].DType(), []int{len(list)}, list)}, nil
}

// raggedGather returns the selected rows of a ragged tensor, with all their nested rows.
func raggedGather(c *Call) ([]Value, error) {
	ragged := c.number("PARAMS_RAGGED_RANK")
	indices, err := c.ints(len(c.In) - 1)
	if err != nil {
		return nil, err
	}
	if c.In[len(c.In)-1].Rank() != 1 {
		return nil, c.unsupported("indices that are no vector")
	}
	rows := c.In[0].Len() - 1
	for i, at := range indices {
		if at < 0 || at >= rows {
			return nil, invalidf("indices%s = %d is not in [0, %d)", placeText(i, []int{len(indices)}), at, rows)
		}
	}
	out := []Value{}
	for level := range ragged {
		splits, err := c.ints(level)
		if err != nil {
			return nil, err
		}
		ends, inner := []int{0}, []int{}
		for _, row := range indices {
			if row+1 >= len(splits) || splits[row] > splits[row+1] {
				return nil, invalidf("Ragged splits must be sorted")
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
	levels := c.number("RAGGED_RANK")
	values := c.In[levels]
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
			if row+1 >= len(splits) || splits[row] > splits[row+1] {
				return nil, invalidf("Ragged splits must be sorted")
			}
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
	if _, err := c.room(value.Int64, []int{len(rows) * each, rank}); err != nil {
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
	kinds := lists.Map(c.Attrs["row_partition_types"].GetList().GetS(), func(b []byte) string { return string(b) })
	values, partitions := c.In[1], c.In[3:]
	if len(kinds) > 0 && kinds[0] == "FIRST_DIM_SIZE" {
		kinds, partitions = kinds[1:], partitions[1:]
	}
	size := 0
	if kind := c.In[3]; kind.Rank() == 0 && kind.Len() == 1 {
		size = int(kind.I()[0])
	} else {
		size = c.In[3].Len() - 1
	}
	wantedShape, err := c.ints(0)
	if err != nil {
		return nil, err
	}
	if c.In[0].Rank() == 0 {
		wantedShape = nil
	}
	p := partition{size: size, widths: []int{size}}
	for i, kind := range kinds {
		if err := p.add(kind, partitions[i]); err != nil {
			return nil, err
		}
	}
	inner := values.Shape()[1:]
	shape := append(slices.Clone(p.widths), inner...)
	for d := range shape {
		if d < len(wantedShape) && wantedShape[d] >= 0 {
			shape[d] = wantedShape[d]
		}
	}
	if len(wantedShape) > 0 && len(wantedShape) != len(shape) || !slices.Equal(shape[len(p.widths):], inner) {
		return nil, c.unsupported("another rank or inner shape")
	}
	n, err := c.room(values.DType(), shape)
	if err != nil {
		return nil, err
	}
	if c.In[2].Len() != 1 {
		return nil, c.unsupported("a default that is no scalar")
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
	return one(values.PickOr(shape, places, c.In[2]))
}

// partition tracks the index of each row of a ragged tensor while its dimensions are read from the
// outside in.
type partition struct {
	size   int
	at     [][]int // at has the place of each row; nil at the begin, where row i is at i
	widths []int
}

// add reads the next ragged dimension. kind says whether v holds row splits or row ids.
func (p *partition) add(kind string, v Value) error {
	parents := []int{}
	switch kind {
	case "ROW_SPLITS":
		splits := v.I()
		for row := 0; row+1 < len(splits); row++ {
			for range max(splits[row+1]-splits[row], 0) {
				parents = append(parents, row)
			}
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
			return invalidf("Invalid row partition: row %d of %d", row, p.size)
		}
		next[i] = append(slices.Clone(above), column)
		column++
		width = max(width, column)
	}
	p.at, p.widths = next, append(p.widths, width)
	return nil
}

// bincount counts how often each number below size occurs, or sums the weights of its occurrences.
func bincount(c *Call, numbers []int, size int) ([]Value, error) {
	if size < 0 {
		return nil, invalidf("size (%d) must be non-negative", size)
	}
	dtype := c.In[2].DType()
	rows, shape := 1, []int{size}
	if c.Op == "DenseBincount" && c.In[0].Rank() == 2 {
		rows = c.In[0].Shape()[0]
		shape = []int{rows, size}
	}
	n, err := c.room(dtype, shape)
	if err != nil {
		return nil, err
	}
	weights, ok := c.In[2].Cast(value.Float64)
	if !ok || c.In[2].Len() > 0 && c.In[2].Len() != len(numbers) {
		return nil, c.unsupported("weights of another shape")
	}
	out := make([]float64, n)
	for i, number := range numbers {
		if number < 0 {
			return nil, invalidf("Input arr must be non-negative!")
		}
		if number >= size {
			continue
		}
		at := i/max(len(numbers)/max(rows, 1), 1)*size + number
		switch {
		case c.flag("binary_output"):
			out[at] = 1
		case weights.Len() > 0:
			out[at] += weights.F()[i]
		default:
			out[at]++
		}
	}
	v, _ := value.Floats(value.Float64, shape, out).Cast(dtype)
	return one(v)
}
