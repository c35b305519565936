package sets

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// group is a set: its place, which is all indices but the last, and the positions of its members in
// the values of the tensor.
type group struct {
	place   []int
	members []int
}

// groups are the sets of a tensor, in the order of their places.
type groups struct {
	shape  []int // of the tensor
	values ops.Value
	list   []group
}

// dense reads the sets of a dense tensor. There is one for each place, even if it is empty.
func dense(v ops.Value) groups {
	g := groups{shape: v.Shape(), values: v}
	if v.Rank() < 2 {
		return g // the shapes are refused later
	}
	places, width := v.Shape()[:v.Rank()-1], v.Shape()[v.Rank()-1]
	n, _ := value.Count(places)
	for i := range n {
		s := group{place: placeOf(i, places)}
		for j := range width {
			s.members = append(s.members, i*width+j)
		}
		g.list = append(g.list, s)
	}
	return g
}

func placeOf(i int, sizes []int) []int {
	place := make([]int, len(sizes))
	for d := len(sizes) - 1; d >= 0; d-- {
		place[d], i = i%sizes[d], i/sizes[d]
	}
	return place
}

// sparse reads the sets of a sparse tensor from three inputs, the first of which is input.
func sparse(c *ops.Call, input int) (groups, error) {
	at, values, sizes := c.In[input], c.In[input+1], c.In[input+2]
	if sizes.Rank() != 1 {
		return groups{}, ops.Invalidf("Shape must be a 1D tensor.")
	}
	shape, err := c.Ints(input + 2)
	if err != nil {
		return groups{}, err
	}
	rows, err := c.Ints(input)
	if err != nil {
		return groups{}, err
	}
	for _, n := range shape {
		if n < 0 {
			return groups{}, ops.Invalidf("Expected shape dimensions to be non-negative, got %d", n)
		}
	}
	rank := len(shape)
	switch {
	case rank < 2:
		return groups{}, ops.Invalidf("Invalid rank %d.", rank)
	case values.Rank() != 1:
		return groups{}, ops.Invalidf("vals must be a vec, but got: %s", value.ShapeText(values.Shape()))
	case at.Rank() == 0 || at.Shape()[0] != values.Len():
		return groups{}, ops.Invalidf("indices and values rows (indexing dimension) must match. (indices = %d, values = %d)", firstOf(at.Shape()), values.Len())
	case at.Rank() != 2:
		return groups{}, ops.Invalidf("indices must be a matrix, but got: %s", value.ShapeText(at.Shape()))
	case at.Shape()[1] != rank:
		return groups{}, ops.Invalidf("Order length must be SparseTensor rank.")
	}
	g := groups{shape: shape, values: values}
	for i := range values.Len() {
		if c.Flag("validate_indices") {
			if err := ops.Misplaced(rows, i, shape); err != nil {
				return groups{}, err
			}
		}
		place := rows[i*rank : (i+1)*rank-1]
		if n := len(g.list); n == 0 || !slices.Equal(g.list[n-1].place, place) {
			g.list = append(g.list, group{place: place})
		}
		last := &g.list[len(g.list)-1]
		last.members = append(last.members, i)
	}
	return g, nil
}

func firstOf(shape []int) int {
	if len(shape) == 0 {
		return 1
	}
	return shape[0]
}

// outside returns the error for a member of a set that lies outside of the tensor. Only indices
// that were not validated can.
func (g groups) outside(c *ops.Call, input int, s group) error {
	rows, err := c.Ints(input)
	if err != nil {
		return err
	}
	rank := len(g.shape)
	for d, size := range g.shape {
		if size <= 0 {
			return internal("Invalid dim_size[%d] = %d.", d, size)
		}
		for j, i := range s.members {
			if n := rows[i*rank+d]; n >= size {
				return internal("indices[%d, %d] expected < %d, got %d.", j, d, size, n)
			}
		}
	}
	return nil
}
