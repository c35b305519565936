package prefetch

import (
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/session"
)

// Tensor is a value that a step computes.
type Tensor struct {
	// Device is where it is computed; one with GPU in it goes through a queue of its own.
	Device string
	// Eval is its value in a step.
	Eval func(s session.Session) (any, error)
}

// Constant returns a tensor whose value never changes.
func Constant(value any) *Tensor {
	return &Tensor{Eval: func(session.Session) (any, error) { return value, nil }}
}

// Ragged is a tensor whose rows differ in length: their values one behind the other, and where each
// row begins.
type Ragged struct {
	// Rank is how many of its dimensions differ in length.
	Rank              int
	Values, RowSplits *Tensor
}

// Tuple is Python's tuple.
type Tuple []any

// place is where a leaf of a nested value is kept.
type place struct {
	kind  int
	index int
}

// The kinds of leaves.
const (
	dense = iota
	ragged
	other
)

// NestedTensors is a value of lists, tuples and dicts whose tensors are taken out and put back in
// (nested_tensors.py:42).
type NestedTensors struct {
	quirks  quirks.Set
	shape   any // the value with a place for each leaf
	places  map[any]place
	tensors []*Tensor
	ragged  []*Ragged
	others  []any
}

// NewNestedTensors takes the tensors out of a value of []any, [Tuple] and *pysem.Dict. A tensor that
// is there twice is one. Text, ints, bools and variables are left in place, as is None; any other
// leaf is a TypeError, or with Q271 repaired the ValueError that is meant; a ragged tensor of
// ragged rows is a ValueError.
func NewNestedTensors(kept quirks.Set, value any) (*NestedTensors, error) {
	n := &NestedTensors{quirks: kept, places: map[any]place{}}
	shape, err := iterate(value, n.add)
	n.shape = shape
	return n, err
}

// iterate returns a value with each leaf but None as action answers.
func iterate(nested any, action func(leaf any) (any, error)) (any, error) {
	switch v := nested.(type) {
	case nil:
		return nil, nil
	case []any:
		return each(v, action)
	case Tuple:
		list, err := each(v, action)
		return Tuple(list), err
	case *pysem.Dict:
		made := &pysem.Dict{}
		for _, item := range v.Items {
			leaf, err := iterate(item.Value, action)
			if err != nil {
				return nil, err
			}
			made.Set(item.Key, leaf)
		}
		return made, nil
	}
	return action(nested)
}

func each(list []any, action func(leaf any) (any, error)) ([]any, error) {
	made := make([]any, len(list))
	for i, v := range list {
		leaf, err := iterate(v, action)
		if err != nil {
			return nil, err
		}
		made[i] = leaf
	}
	return made, nil
}

// add keeps a leaf and answers its place.
func (n *NestedTensors) add(leaf any) (any, error) {
	if p, ok := n.places[leaf]; ok {
		return p, nil
	}
	var p place
	switch v := leaf.(type) {
	case *Tensor:
		p = place{dense, len(n.tensors)}
		n.tensors = append(n.tensors, v)
	case *Ragged:
		if v.Rank != 1 {
			return nil, pysem.Raise("ValueError", "Nested tensor doesn't support nested RaggedTensor.")
		}
		p = place{ragged, len(n.ragged)}
		n.ragged = append(n.ragged, v)
	case bool, int, string, *session.Variable:
		p = place{other, len(n.others)}
		n.others = append(n.others, v)
	default:
		if !n.quirks.Keeps(quirks.Q271) {
			return nil, pysem.Raise("ValueError", "Tensor is not supported. %s", pysem.Str(leaf))
		}
		return nil, pysem.Raise("TypeError", "isinstance() arg 2 must be a type or tuple of types")
	}
	n.places[leaf] = p
	return p, nil
}

// Tensors are those that were taken out: the dense ones, then values and row splits of each ragged one.
func (n *NestedTensors) Tensors() []*Tensor {
	list := append([]*Tensor{}, n.tensors...)
	for _, r := range n.ragged {
		list = append(list, r.Values, r.RowSplits)
	}
	return list
}

// NestedResult returns the value with other tensors in it, as many as Tensors has and in its order. Too few
// of ragged ones are an AssertionError, of dense ones an IndexError.
func (n *NestedTensors) NestedResult(tensors []*Tensor) (any, error) {
	cut := min(len(n.tensors), len(tensors))
	flat := tensors[cut:]
	if len(flat) != 2*len(n.ragged) {
		return nil, &pysem.Error{Type: "AssertionError"}
	}
	return iterate(n.shape, func(leaf any) (any, error) {
		p := leaf.(place)
		switch {
		case p.kind == ragged:
			return &Ragged{Rank: 1, Values: flat[2*p.index], RowSplits: flat[2*p.index+1]}, nil
		case p.kind == other:
			return n.others[p.index], nil
		case p.index >= cut:
			return nil, pysem.Raise("IndexError", "list index out of range")
		}
		return tensors[p.index], nil
	})
}
