package ops

import (
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// gatherOps holds the operations that read or write elements at indices given by an input.
var gatherOps = map[string]Kernel{
	"Gather": gather, "GatherV2": gather, "GatherNd": of(ints(1), gatherNd),
	"ScatterNd": of(ints(2), scatterNd), "TensorScatterUpdate": tensorScatter, "TensorScatterAdd": tensorScatter,
	"DynamicPartition": of(ints(1), dynamicPartition), "DynamicStitch": dynamicStitch, "ParallelDynamicStitch": dynamicStitch,
}

func gather(c *Call) ([]Value, error) {
	axis := 0
	if len(c.In) > 2 {
		var err error
		if axis, err = c.int(2); err != nil {
			return nil, err
		}
	}
	return c.gatherOn(c.In[0], axis, c.number("batch_dims"))
}

// gatherOn gathers slices of params along axis, at the indices in input 1.
func (c *Call) gatherOn(params Value, axis, batch int) ([]Value, error) {
	indices, err := c.ints(1)
	if err != nil {
		return nil, err
	}
	if params.Rank() == 0 {
		return nil, invalidf("params must be at least 1 dimensional")
	}
	if batch < 0 {
		batch += c.In[1].Rank()
	}
	at, ok := axisOf(axis, params.Rank())
	if !ok {
		return nil, invalidf("Expected axis in the range [%d, %d), but got %d", -params.Rank(), params.Rank(), axis)
	}
	if batch > at || batch > c.In[1].Rank() {
		return nil, invalidf("batch_dims (%d) must be less than or equal to axis (%d).", batch, at)
	}
	limit := params.Shape()[at]
	for i, n := range indices {
		if n < 0 || n >= limit {
			return nil, invalidf("indices%s = %d is not in [0, %d)", placeText(i, c.In[1].Shape()), n, limit)
		}
	}
	own := params.Shape()
	batches, _ := value.Count(own[:batch])
	outer, _ := value.Count(own[batch:at])
	inner, _ := value.Count(own[at+1:])
	shape := slices.Concat(own[:at], c.In[1].Shape()[batch:], own[at+1:])
	if _, err := c.room(params.DType(), shape); err != nil {
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
	return one(params.Pick(shape, places))
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

func joinInts(list []int, separator string) string {
	return strings.Join(lists.Map(list, strconv.Itoa), separator)
}

// slicesAt returns the first element of each slice that a row of indices selects, and the size of a
// slice. bad is the first row that is out of range; -1 if there is none.
func slicesAt(indices []int, depth int, shape []int) (starts []int, size, bad int) {
	size, _ = value.Count(shape[depth:])
	strides := value.Strides(shape)
	for i := 0; depth > 0 && i+depth <= len(indices); i += depth {
		start := 0
		for d, at := range indices[i : i+depth] {
			if at < 0 || at >= shape[d] {
				return nil, 0, i / depth
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
	if c.In[1].Rank() == 0 {
		return nil, invalidf("indices must be at least a vector")
	}
	depth, rows := depthOf(c.In[1])
	if depth > params.Rank() {
		return nil, invalidf("index innermost dimension length must be <= params rank; saw: %d vs. %d", depth, params.Rank())
	}
	starts, size, bad := slicesAt(indices, depth, params.Shape())
	if bad >= 0 {
		return nil, invalidf("indices%s = [%s] does not index into param shape %s, node name: %s",
			placeText(bad, rows), joinInts(indices[bad*depth:(bad+1)*depth], ", "), value.ShapeText(params.Shape()), c.Env.Path())
	}
	shape := slices.Concat(rows, params.Shape()[depth:])
	n, err := c.room(params.DType(), shape)
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
	return one(params.Pick(shape, places))
}

func scatterNd(c *Call, shape []int) ([]Value, error) {
	if _, err := c.room(c.In[1].DType(), shape); err != nil {
		return nil, err
	}
	zeros, ok := value.Zeros(c.In[1].DType(), shape)
	if !ok {
		return nil, c.unsupported("a tensor without zeros")
	}
	return c.scatter(zeros, c.In[0], c.In[1], true)
}

func tensorScatter(c *Call) ([]Value, error) {
	return c.scatter(c.In[0], c.In[1], c.In[2], c.Op == "TensorScatterAdd")
}

// scatter writes the slices of updates into a copy of a tensor at the given indices. If adds is
// true, it adds them instead.
func (c *Call) scatter(into, indices, updates Value, adds bool) ([]Value, error) {
	if indices.Rank() == 0 {
		return nil, invalidf("Indices shape must have rank at least one. Found:%s", value.ShapeText(indices.Shape()))
	}
	depth, rows := depthOf(indices)
	if depth > into.Rank() {
		return nil, invalidf("Index innermost dimension length must be <= params rank; saw: %d vs. %d", depth, into.Rank())
	}
	list := lists.Map(indices.I(), func(n int64) int { return int(n) })
	starts, size, bad := slicesAt(list, depth, into.Shape())
	if bad >= 0 {
		return nil, invalidf("indices%s = [%s] does not index into shape %s",
			placeText(bad, rows), joinInts(list[bad*depth:(bad+1)*depth], ", "), value.ShapeText(into.Shape()))
	}
	if updates.Len() != len(starts)*size {
		return nil, invalidf("Must have updates.shape = indices.shape[:batch_dim] + params_shape[slice_dim:], got updates.shape: %s, indices.shape: %s, params_shape: %s, slice_dim: %d, and batch_dim: %d",
			value.ShapeText(updates.Shape()), value.ShapeText(indices.Shape()), value.ShapeText(into.Shape()), depth, len(rows))
	}
	if _, err := c.room(into.DType(), into.Shape()); err != nil {
		return nil, err
	}
	switch {
	case adds && into.F() != nil:
		return one(value.Floats(into.DType(), into.Shape(), addAt(into.F(), updates.F(), starts, size)))
	case adds && into.I() != nil:
		return one(value.Ints(into.DType(), into.Shape(), addAt(into.I(), updates.I(), starts, size)))
	case adds && into.S() != nil && len(starts) > 0:
		return nil, c.unsupported("strings")
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
	return one(value.Join(into, updates).Pick(into.Shape(), places))
}

func addAt[T float64 | int64](into, updates []T, starts []int, size int) []T {
	out := slices.Clone(into)
	for i, start := range starts {
		for k := range size {
			out[start+k] += updates[i*size+k]
		}
	}
	return out
}

func dynamicPartition(c *Call, partitions []int) ([]Value, error) {
	v, rank := c.In[0], c.In[1].Rank()
	if v.Rank() < rank || !slices.Equal(v.Shape()[:rank], c.In[1].Shape()) {
		return nil, invalidf("data.shape must start with partitions.shape, got data.shape = %s, partitions.shape = %s",
			value.ShapeText(v.Shape()), value.ShapeText(c.In[1].Shape()))
	}
	size, _ := value.Count(v.Shape()[rank:])
	places := make([][]int, c.number("num_partitions"))
	for i, p := range partitions {
		if p < 0 || p >= len(places) {
			return nil, invalidf("partitions%s = %d is not in [0, %d)", placeText(i, c.In[1].Shape()), p, len(places))
		}
		for k := range size {
			places[p] = append(places[p], i*size+k)
		}
	}
	return lists.Map(places, func(list []int) Value {
		rows := 0
		if size > 0 {
			rows = len(list) / size
		}
		return v.Pick(append([]int{rows}, v.Shape()[rank:]...), list)
	}), nil
}

func dynamicStitch(c *Call) ([]Value, error) {
	n := len(c.In) / 2
	rows, all := 0, value.Join(c.In[n:]...)
	rest := c.In[n].Shape()[c.In[0].Rank():]
	size, _ := value.Count(rest)
	for _, indices := range c.In[:n] {
		for _, at := range indices.I() {
			if at < 0 || at > maxElements {
				return nil, invalidf("indices[0] is out of range")
			}
			rows = max(rows, int(at)+1)
		}
	}
	shape := append([]int{rows}, rest...)
	count, err := c.room(all.DType(), shape)
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
	return one(all.Pick(shape, places))
}
