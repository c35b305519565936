// Package nested has ragged tensors as elements of other tensors, as functions that are mapped over
// their rows get and return them (core/kernels/ragged_tensor_to_variant_op.cc, ragged_tensor_from_variant_op.cc).
//
// The two things to use first are Family, which the graph looks operations up in, and ragged, the
// element.
//
// To change how rows become elements, look at toVariant; how elements become rows, at fromVariant.
//
// Unstable: any commit may change it.
package nested

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{"RaggedTensorToVariant": toVariant, "RaggedTensorFromVariant": fromVariant},
	Outputs: map[string][]ops.Output{"RaggedTensorFromVariant": {{Name: "output_nested_splits", Count: "output_ragged_rank"}, {Name: "output_dense_values"}}},
}

// ragged is a ragged tensor. Without splits it is a dense one.
type ragged struct {
	splits []ops.Value // from the outermost on
	values ops.Value
}

// rows returns the size of the first dimension.
func (r ragged) rows() int {
	switch {
	case len(r.splits) > 0:
		return r.splits[0].Len() - 1
	case r.values.Rank() == 0:
		return 0
	}
	return r.values.Shape()[0]
}

// row returns the part of row i, which has one level less.
func (r ragged) row(i int) ragged {
	if len(r.splits) == 0 {
		return ragged{nil, r.values.Rows(i, i+1).Reshape(r.values.Shape()[1:])}
	}
	return ragged{r.splits[1:], r.values}.part(int(r.splits[0].I()[i]), int(r.splits[0].I()[i+1]))
}

// part returns the rows from one on to another.
func (r ragged) part(from, to int) ragged {
	if len(r.splits) == 0 {
		return ragged{nil, r.values.Rows(from, to)}
	}
	own := r.splits[0].I()[from : to+1]
	moved := make([]int, len(own))
	for i, n := range own {
		moved[i] = int(n - own[0])
	}
	inner := ragged{r.splits[1:], r.values}.part(int(own[0]), int(own[len(own)-1]))
	return ragged{append([]ops.Value{value.Sizes(r.splits[0].DType(), moved)}, inner.splits...), inner.values}
}

// toVariant makes one element of a ragged tensor, or one of each of its rows.
func toVariant(c *ops.Call) ([]ops.Value, error) {
	last := len(c.In) - 1
	r := ragged{c.In[:last], c.In[last]}
	for level := last - 1; level >= 0; level-- {
		inner := ragged{r.splits[level+1:], r.values}
		if err := splitsError(c, r.splits[level].I(), inner.rows()); err != nil {
			return nil, err
		}
	}
	if !c.Flag("batched_input") {
		return ops.One(value.Handles(value.Variant, nil, []any{r}))
	}
	if len(r.splits) == 0 && r.values.Rank() == 0 {
		return nil, c.Unsupported("rows of a scalar")
	}
	if _, err := c.Room(value.Variant, []int{r.rows()}); err != nil {
		return nil, err
	}
	rows := make([]any, r.rows())
	for i := range rows {
		rows[i] = r.row(i)
	}
	return ops.One(value.Handles(value.Variant, []int{len(rows)}, rows))
}

func splitsError(c *ops.Call, splits []int64, rows int) error {
	if len(splits) == 0 || splits[0] != 0 {
		return c.Unsupported("splits that do not begin with 0")
	}
	for i := 1; i < len(splits); i++ {
		if splits[i] < splits[i-1] {
			return ops.Invalidf("Invalid ragged splits: ragged splits must be monotonically increasing, but ragged_splits[%d]=%d is smaller than row_splits[%d]=%d", i, splits[i], i-1, splits[i-1])
		}
	}
	if end := splits[len(splits)-1]; end != int64(rows) {
		return ops.Invalidf("Invalid ragged splits: last element of ragged splits must be the number of ragged values(%d) but is %d", rows, end)
	}
	return nil
}

// fromVariant returns the ragged tensor that one element holds, or that has the elements of a vector
// as rows.
func fromVariant(c *ops.Call) ([]ops.Value, error) {
	parts := make([]ragged, c.In[0].Len())
	for i, held := range c.In[0].H() {
		var ok bool
		if parts[i], ok = held.(ragged); !ok {
			return nil, c.Unsupported("a variant of another kind")
		}
	}
	dtype := c.TypeOf("Tsplits")
	if dtype == 0 {
		dtype = value.Int64
	}
	var r ragged
	switch levels := c.Number("output_ragged_rank"); {
	case c.In[0].Rank() == 0:
		r = parts[0]
	case c.In[0].Rank() == 1 && levels > 0:
		var err error
		if r, err = joined(c, parts, levels, dtype); err != nil {
			return nil, err
		}
	default:
		return nil, c.Unsupported("elements of rank %d", c.In[0].Rank())
	}
	if len(r.splits) != c.Number("output_ragged_rank") || r.values.DType() != c.TypeOf("Tvalues") {
		return nil, c.Unsupported("an element of another kind")
	}
	return append(slices.Clone(r.splits), r.values), nil
}

// joined makes the parts the rows of a ragged tensor with the given number of levels.
func joined(c *ops.Call, parts []ragged, levels int, dtype ops.DType) (ragged, error) {
	ends := make([][]int, levels)
	for level := range ends {
		ends[level] = []int{0}
	}
	empty, ok := value.Zeros(c.TypeOf("Tvalues"), []int{0})
	if !ok {
		return ragged{}, c.Unsupported("values without a zero")
	}
	values, shape := []ops.Value{empty}, []int{0}
	for i, p := range parts {
		if len(p.splits) != levels-1 || p.values.Rank() == 0 || p.values.DType() != empty.DType() {
			return ragged{}, c.Unsupported("an element of another kind")
		}
		inner := p.values.Shape()
		if i == 0 {
			shape = slices.Insert(slices.Clone(inner[1:]), 0, 0)
		}
		if !slices.Equal(shape[1:], inner[1:]) {
			return ragged{}, c.Unsupported("elements of unequal shapes")
		}
		ends[0] = append(ends[0], ends[0][i]+p.rows())
		for level, own := range p.splits {
			start := ends[level+1][len(ends[level+1])-1]
			for _, n := range own.I()[1:] {
				ends[level+1] = append(ends[level+1], start+int(n))
			}
		}
		values, shape[0] = append(values, p.values), shape[0]+inner[0]
	}
	if _, err := c.Room(empty.DType(), shape); err != nil {
		return ragged{}, err
	}
	r := ragged{values: value.Join(values...).Reshape(shape)}
	for _, list := range ends {
		r.splits = append(r.splits, value.Sizes(dtype, list))
	}
	return r, nil
}
