package prefetch

import (
	"math/big"
	"reflect"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/session"
)

// Tensor is a value that a step computes.
type Tensor struct {
	// Device is where the tensor is computed. A tensor whose device contains GPU goes through a
	// separate queue.
	Device string
	// Eval returns the tensor's value in a step.
	Eval func(s session.Session) (any, error)
}

// Constant returns a tensor whose value never changes.
func Constant(value any) *Tensor {
	return &Tensor{Eval: func(session.Session) (any, error) { return value, nil }}
}

// Ragged is a tensor with rows of different lengths. Values holds the values of all rows one after
// another, and RowSplits where each row begins.
type Ragged struct {
	// Rank is the number of dimensions along which lengths differ.
	Rank              int
	Values, RowSplits *Tensor
}

// Tuple is Python's tuple.
type Tuple []any

// place stands for a leaf of a nested value. It tells in which list the leaf is kept, and at which
// index.
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

// NestedTensors is a value of lists, tuples and dicts whose tensors can be taken out and replaced
// (nested_tensors.py:42).
//
// Cost: taking the tensors out and putting others in grows with the leaves of the value.
type NestedTensors struct {
	quirks  jobquirks.Set
	shape   any // the nested value, with a placeholder for each tensor
	places  map[any]place
	tensors []*Tensor
	ragged  []*Ragged
	others  []any
}

// NewNestedTensors takes the tensors out of a value of []any, [Tuple] and *pysem.Dict. A tensor
// that occurs twice is taken once. Texts, ints, bools, variables and None stay in place. Any other
// leaf is a TypeError; with Q271 repaired it is the ValueError that the reference means. A ragged
// tensor of ragged rows is a ValueError.
func NewNestedTensors(kept jobquirks.Set, value any) (*NestedTensors, error) {
	n := &NestedTensors{quirks: kept, places: map[any]place{}}
	shape, err := iterate(value, n.add)
	n.shape = shape
	return n, err
}

// iterate returns a value with each leaf except None replaced by the result of action.
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

// add stores a leaf and returns its place.
func (n *NestedTensors) add(leaf any) (any, error) {
	if !reflect.ValueOf(leaf).Comparable() { // bytes or a set, which no map has for a key
		return nil, n.unsupported(leaf)
	}
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
	case bool, int, *big.Int, string, *session.Variable:
		p = place{other, len(n.others)}
		n.others = append(n.others, v)
	default:
		return nil, n.unsupported(leaf)
	}
	n.places[leaf] = p
	return p, nil
}

// unsupported returns the error for a leaf that is neither a tensor nor one of the kept types (Q271).
func (n *NestedTensors) unsupported(leaf any) error {
	if !n.quirks.Keeps(jobquirks.Q271) {
		return pysem.Raise("ValueError", "Tensor is not supported. %s", pysem.Str(leaf))
	}
	return pysem.Raise("TypeError", "isinstance() arg 2 must be a type or tuple of types")
}

// Tensors returns the tensors that were taken out: the dense ones, then the values and the row
// splits of each ragged one.
func (n *NestedTensors) Tensors() []*Tensor {
	list := append([]*Tensor{}, n.tensors...)
	for _, r := range n.ragged {
		list = append(list, r.Values, r.RowSplits)
	}
	return list
}

// NestedResult returns the nested value with its tensors replaced by the given ones. tensors must
// have the same number and order as the result of Tensors. Too few ragged tensors are an
// AssertionError, too few dense ones an IndexError.
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
