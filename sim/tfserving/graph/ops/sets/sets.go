package sets

import (
	"cmp"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

func internal(format string, args ...any) error {
	return ops.Statusf(rpcerrors.Internal, format, args...)
}

// operate joins, intersects or subtracts the sets of two tensors.
func operate(c *ops.Call) ([]ops.Value, error) {
	a, b, err := operands(c)
	if err != nil {
		return nil, err
	}
	for _, shape := range [][]int{a.shape, b.shape} {
		if len(shape) < 2 {
			return nil, ops.Invalidf("Shape %s has rank %d < 2", value.ShapeText(shape), len(shape))
		}
	}
	places := a.shape[:len(a.shape)-1]
	if others := b.shape[:len(b.shape)-1]; !slices.Equal(places, others) {
		return nil, ops.Invalidf("Mismatched shapes %s vs %s", value.ShapeText(places), value.ShapeText(others))
	}
	keep, ok := kinds[strings.ToLower(c.Text("set_operation"))]
	if !ok {
		return nil, ops.Invalidf("Invalid set_operation %s.", strings.ToLower(c.Text("set_operation")))
	}
	if err := c.Work(a.values.Len()+b.values.Len(), value.Int64, nil); err != nil {
		return nil, err
	}
	values := value.Join(a.values, b.values)
	return output(c, places, values, united(a, b, values, keep))
}

// operands reads the two tensors. The indices of values of the second follow those of the first.
func operands(c *ops.Call) (a, b groups, err error) {
	switch c.Op {
	case "DenseToDenseSetOperation":
		return dense(c.In[0]), dense(c.In[1]), nil
	case "DenseToSparseSetOperation":
		a = dense(c.In[0])
		b, err = sparse(c, 1)
		return a, b, err
	}
	if a, err = sparse(c, 0); err == nil {
		b, err = sparse(c, 3)
	}
	return a, b, err
}

// kinds says for each operation whether a value stays that is in the first set, and in the second.
var kinds = map[string]func(first, second bool) bool{
	"union":        func(first, second bool) bool { return first || second },
	"intersection": func(first, second bool) bool { return first && second },
	"a-b":          func(first, second bool) bool { return first && !second },
	"b-a":          func(first, second bool) bool { return second && !first },
}

// united applies keep to the sets of the same places, and returns those that are not empty. Their
// members are positions in values, those of a followed by those of b, in ascending order of the values.
func united(a, b groups, values ops.Value, keep func(first, second bool) bool) (all []group) {
	for i, j := 0, 0; i < len(a.list) || j < len(b.list); {
		order := 0
		switch {
		case i == len(a.list):
			order = 1
		case j == len(b.list):
			order = -1
		default:
			order = slices.Compare(a.list[i].place, b.list[j].place)
		}
		s, members := group{}, []int(nil)
		if order <= 0 {
			s.place, members = a.list[i].place, slices.Clone(a.list[i].members)
			i++
		}
		if order >= 0 {
			s.place = b.list[j].place
			for _, at := range b.list[j].members {
				members = append(members, a.values.Len()+at)
			}
			j++
		}
		if s.members = kept(values, members, a.values.Len(), keep); len(s.members) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// kept returns one position for each value that stays, in ascending order of the values. Positions
// from split on are of members of the second set. It sorts all.
func kept(values ops.Value, all []int, split int, keep func(first, second bool) bool) (list []int) {
	compare := comparison(values)
	slices.SortStableFunc(all, compare)
	for len(all) > 0 {
		n := 1
		for n < len(all) && compare(all[0], all[n]) == 0 {
			n++
		}
		if keep(all[0] < split, all[n-1] >= split) { // the sort is stable, so members of the first set come first
			list = append(list, all[0])
		}
		all = all[n:]
	}
	return list
}

// comparison returns a function that compares the values at two positions.
func comparison(values ops.Value) func(a, b int) int {
	if texts := values.S(); texts != nil {
		return func(a, b int) int { return cmp.Compare(texts[a], texts[b]) }
	}
	numbers := values.I()
	return func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) }
}

// output makes a sparse tensor from sets. A member's last index is its place in its set.
func output(c *ops.Call, places []int, values ops.Value, all []group) ([]ops.Value, error) {
	widest := 0
	var at []int64
	var members []int
	for _, s := range all {
		widest = max(widest, len(s.members))
		for i, member := range s.members {
			for _, n := range s.place {
				at = append(at, int64(n))
			}
			at, members = append(at, int64(i)), append(members, member)
		}
	}
	rank := len(places) + 1
	if _, err := c.Room(value.Int64, []int{len(members), rank}); err != nil {
		return nil, err
	}
	return []ops.Value{
		value.Ints(value.Int64, []int{len(members), rank}, at), values.Pick([]int{len(members)}, members), value.Sizes(value.Int64, append(slices.Clone(places), widest)),
	}, nil
}

// size counts the members of each set of a sparse tensor.
func size(c *ops.Call) ([]ops.Value, error) {
	g, err := sparse(c, 0)
	if err != nil {
		return nil, err
	}
	places := g.shape[:len(g.shape)-1]
	n, err := c.Room(value.Int32, places)
	if err != nil {
		return nil, err
	}
	sizes, strides := make([]int64, n), value.Strides(places)
	for _, s := range g.list {
		if err := g.outside(c, 0, s); err != nil {
			return nil, err
		}
		at := 0
		for d, i := range s.place {
			at += i * strides[d]
		}
		if at < 0 || at >= n {
			return nil, c.Unsupported("an index of %d", at)
		}
		sizes[at] = int64(len(kept(g.values, slices.Clone(s.members), g.values.Len(), kinds["union"])))
	}
	return ops.One(value.Ints(value.Int32, places, sizes))
}
