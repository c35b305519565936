package sequences

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

func (b *batch) steps(w wanted) ([]ops.Value, error) {
	var dense, lengths []ops.Value
	for _, f := range w.dense {
		v, counts, err := b.denseList(f)
		if err != nil {
			return nil, err
		}
		sizes := value.Sizes(value.Int64, counts)
		if b.single {
			sizes = sizes.Reshape(nil)
		}
		dense, lengths = append(dense, v), append(lengths, sizes)
	}
	var out [6][]ops.Value // indices, values and shapes of sparse lists; values, outer and inner splits of ragged ones
	for _, f := range w.sparse {
		flat, counts := b.flatList(f)
		indices, shape := b.placesInSteps(counts)
		out[0], out[1], out[2] = append(out[0], indices), append(out[1], flat), append(out[2], shape)
	}
	for _, f := range w.ragged {
		flat, counts := b.flatList(f)
		outer := make([]int, len(counts))
		for i, steps := range counts {
			outer[i] = len(steps)
		}
		out[3] = append(out[3], flat)
		out[4] = append(out[4], b.outer(f, outer))
		out[5] = append(out[5], splits(f, slices.Concat(counts...)))
	}
	return slices.Concat(out[0], out[1], out[2], dense, lengths, out[3], out[4], out[5]), nil
}

// denseList makes a dense tensor of a list of features, padded to the example with the most steps.
// It also returns the number of steps of each example.
func (b *batch) denseList(f feature) (ops.Value, []int, error) {
	counts, longest := make([]int, len(b.list)), 0
	rows := make([]ops.Value, len(b.list))
	for i, s := range b.list {
		var err error
		if rows[i], err = b.stepsOf(f, s, i); err != nil {
			return ops.Value{}, nil, err
		}
		counts[i] = len(s.lists[f.key])
		longest = max(longest, counts[i])
	}
	size := f.size()
	shape := slices.Insert(slices.Clone(f.shape), 0, longest)
	if _, err := b.Room(f.dtype, slices.Insert(slices.Clone(shape), 0, len(rows))); err != nil {
		return ops.Value{}, nil, err
	}
	for i, v := range rows {
		places := slices.Repeat([]int{-1}, longest*size)
		for k := range v.Len() {
			places[k] = k
		}
		rows[i] = v.Pick([]int{len(places)}, places)
	}
	v, err := b.stacked(f, rows, shape)
	return v, counts, err
}

// stepsOf returns the values of a dense list of one example.
func (b *batch) stepsOf(f feature, s sequence, i int) (ops.Value, error) {
	list, present := s.lists[f.key]
	if !present && !f.optional {
		return ops.Value{}, b.missingList(f, i)
	}
	empty, _ := value.Zeros(f.dtype, []int{0})
	rows, total := []ops.Value{empty}, 0
	for _, own := range list {
		if v, ok := ops.FeatureValue(own); ok {
			rows, total = append(rows, v), total+v.Len()
		}
	}
	if size := f.size(); size > 0 && total%size != 0 {
		return ops.Value{}, ops.Invalidf("Feature list '%s' has an unexpected number of values.  Total values size: %d is not consistent with output shape: %s",
			f.key, total, value.ShapeText(slices.Insert(slices.Clone(f.shape), 0, -1)))
	}
	for step, own := range list {
		if v, _ := ops.FeatureValue(own); length(v) != f.size() {
			return ops.Value{}, ops.Invalidf("Name: %s, Key: %s, Index: %d.  Number of values != expected.  values size: %d but output shape: %s",
				b.name(i), f.key, step, length(v), value.ShapeText(f.shape))
		}
	}
	return value.Join(rows...), nil
}

// missingList returns the error for a list that example i lacks.
func (b *batch) missingList(f feature, i int) error {
	return ops.Invalidf("Name: %s, Feature list '%s' is required but could not be found.  Did you mean to include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?", b.name(i), f.key)
}

// flatList returns the values of a list of features of all examples, and how many each step has.
func (b *batch) flatList(f feature) (ops.Value, [][]int) {
	empty, _ := value.Zeros(f.dtype, []int{0})
	rows, counts := []ops.Value{empty}, make([][]int, len(b.list))
	for i, s := range b.list {
		for _, own := range s.lists[f.key] {
			v, ok := ops.FeatureValue(own)
			if ok {
				rows = append(rows, v)
			}
			counts[i] = append(counts[i], length(v))
		}
	}
	return value.Join(rows...), counts
}

// placesInSteps returns the indices and the shape of a sparse list that has counts values in each step.
func (b *batch) placesInSteps(counts [][]int) (indices, shape ops.Value) {
	var list []int64
	n, steps, most := 0, 0, 0
	for i, example := range counts {
		steps = max(steps, len(example))
		for step, count := range example {
			n, most = n+count, max(most, count)
			for k := range count {
				if !b.single {
					list = append(list, int64(i))
				}
				list = append(list, int64(step), int64(k))
			}
		}
	}
	sizes := []int{len(counts), steps, most}
	if b.single {
		sizes = sizes[1:]
	}
	return value.Ints(value.Int64, []int{n, len(sizes)}, list), value.Sizes(value.Int64, sizes)
}

// stepText names a step of a list in an error.
func stepText(what string, f feature, step int) string {
	return fmt.Sprintf("%s: %s, Index: %d", what, f.key, step)
}
