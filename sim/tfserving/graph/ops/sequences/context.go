package sequences

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// batch holds the examples of one execution.
type batch struct {
	*ops.Call
	list   []sequence
	names  []string
	single bool // single is set for one example alone, whose outputs have no dimension for examples
}

func parse(c *ops.Call) ([]ops.Value, error) {
	b, err := examples(c)
	if err != nil {
		return nil, err
	}
	context, steps, err := wantedFeatures(c)
	if err != nil {
		return nil, err
	}
	if err := b.typeError(context, steps); err != nil {
		return nil, err
	}
	first, err := b.context(context)
	if err != nil {
		return nil, err
	}
	rest, err := b.steps(steps)
	return append(first, rest...), err
}

func examples(c *ops.Call) (*batch, error) {
	serialized, names := c.In[0], c.In[1]
	if serialized.Rank() > 1 {
		return nil, ops.Invalidf("Expected serialized to be a scalar or vector, got shape: %s", value.ShapeText(serialized.Shape()))
	}
	b := &batch{Call: c, names: names.S(), single: serialized.Rank() == 0}
	if names.Len() > 0 && names.Len() != serialized.Len() {
		return nil, ops.Invalidf("example_names must be empty or have the correct number of elements")
	}
	for i, text := range serialized.S() {
		s, ok := read([]byte(text))
		if !ok {
			return nil, ops.Invalidf("Invalid protocol message input, example id: %s", b.name(i))
		}
		b.list = append(b.list, s)
	}
	return b, nil
}

func (b *batch) name(i int) string {
	if i < len(b.names) {
		return b.names[i]
	}
	return "<unknown>"
}

// typeError returns the error for the first feature of another dtype.
func (b *batch) typeError(context, steps wanted) error {
	for _, f := range slices.Concat(context.dense, context.sparse, context.ragged) {
		for i, s := range b.list {
			if v, ok := ops.FeatureValue(s.context[f.key]); ok && v.DType() != f.dtype {
				return ops.Invalidf("Name: %s, Context feature: %s.  Data types don't match. Expected type: %s", b.name(i), f.key, tensor.DTypeName(f.dtype))
			}
		}
	}
	for _, f := range slices.Concat(steps.dense, steps.sparse, steps.ragged) {
		for i, s := range b.list {
			for step, own := range s.lists[f.key] {
				if v, ok := ops.FeatureValue(own); ok && v.DType() != f.dtype {
					return ops.Invalidf("Name: %s, Feature list: %s, Index: %d.  Data types don't match. Expected type: %s", b.name(i), f.key, step, tensor.DTypeName(f.dtype))
				}
			}
		}
	}
	return nil
}

func (b *batch) context(w wanted) ([]ops.Value, error) {
	var dense []ops.Value
	for _, f := range w.dense {
		v, err := b.dense(f)
		if err != nil {
			return nil, err
		}
		dense = append(dense, v)
	}
	var out [5][]ops.Value // indices, values and shapes of sparse features; values and splits of ragged ones
	for _, f := range w.sparse {
		flat, counts := b.flat(f)
		indices, shape := b.places(counts)
		out[0], out[1], out[2] = append(out[0], indices), append(out[1], flat), append(out[2], shape)
	}
	for _, f := range w.ragged {
		flat, counts := b.flat(f)
		out[3], out[4] = append(out[3], flat), append(out[4], b.outer(f, counts))
	}
	return slices.Concat(out[0], out[1], out[2], dense, out[3], out[4]), nil
}

// dense makes a dense tensor of a feature of the context.
func (b *batch) dense(f feature) (ops.Value, error) {
	most := f.fallback.Len()
	for _, s := range b.list {
		v, _ := ops.FeatureValue(s.context[f.key])
		most = max(most, length(v))
	}
	if most != f.size() {
		return ops.Value{}, ops.Invalidf("Inconsistent max number of elements for feature %s: expected %d, but found %d", f.key, f.size(), most)
	}
	rows := []ops.Value{}
	for i, s := range b.list {
		own, present := s.context[f.key]
		v, _ := ops.FeatureValue(own)
		switch {
		case !present && f.fallback.Len() == 0:
			return ops.Value{}, ops.Invalidf("Feature: %s (data type: %s) is required but could not be found.", f.key, tensor.DTypeName(f.dtype))
		case !present:
			v = f.fallback
		case length(v) != f.size():
			return ops.Value{}, ops.Invalidf("Unexpected number of elements in example %s", b.name(i))
		}
		rows = append(rows, v)
	}
	return b.stacked(f, rows, f.shape)
}

func length(v ops.Value) int {
	if v.DType() == 0 {
		return 0
	}
	return v.Len()
}

// stacked joins a tensor of each example, of the given shape, into one.
func (b *batch) stacked(f feature, rows []ops.Value, shape []int) (ops.Value, error) {
	if !b.single {
		shape = slices.Insert(slices.Clone(shape), 0, len(rows))
	}
	if _, err := b.Room(f.dtype, shape); err != nil {
		return ops.Value{}, err
	}
	empty, _ := value.Zeros(f.dtype, []int{0})
	return value.Join(append([]ops.Value{empty}, rows...)...).Reshape(shape), nil
}

// flat returns the values of a feature of all examples, and how many each has.
func (b *batch) flat(f feature) (ops.Value, []int) {
	empty, _ := value.Zeros(f.dtype, []int{0})
	rows, counts := []ops.Value{empty}, make([]int, len(b.list))
	for i, s := range b.list {
		if v, ok := ops.FeatureValue(s.context[f.key]); ok {
			rows, counts[i] = append(rows, v), v.Len()
		}
	}
	return value.Join(rows...), counts
}

// places returns the indices and the shape of a sparse feature that has counts values in each example.
func (b *batch) places(counts []int) (indices, shape ops.Value) {
	var list []int64
	n, most := 0, 0
	for i, count := range counts {
		n, most = n+count, max(most, count)
		for k := range count {
			if !b.single {
				list = append(list, int64(i))
			}
			list = append(list, int64(k))
		}
	}
	sizes := []int{len(counts), most}
	if b.single {
		sizes = sizes[1:]
	}
	return value.Ints(value.Int64, []int{n, len(sizes)}, list), value.Sizes(value.Int64, sizes)
}

// outer returns the splits of the examples of a ragged feature. One example alone has none: the
// runtime's is a scalar that it never sets.
func (b *batch) outer(f feature, counts []int) ops.Value {
	if b.single {
		return value.Ints(f.splits, nil, []int64{0})
	}
	return splits(f, counts)
}

func splits(f feature, counts []int) ops.Value {
	ends := []int{0}
	for i, n := range counts {
		ends = append(ends, ends[i]+n)
	}
	return value.Sizes(f.splits, ends)
}
