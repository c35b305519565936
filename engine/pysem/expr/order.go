package expr

import (
	"bytes"
	"sort"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// compare returns a op b for one of < <= > >= == != is in and their negations.
func (m *machine) compare(op string, a, b Value) (bool, error) {
	switch op {
	case "==":
		return Equal(a, b), m.step(sizeOf(a) / 8)
	case "!=":
		return !Equal(a, b), m.step(sizeOf(a) / 8)
	case "in", "not in":
		found, err := m.contains(b, a)
		return found == (op == "in"), err
	case "is", "is not":
		answer := identical(a, b)
		if answer == unknown {
			return false, refuse(unstable, "is for equal values of type "+typeName(a))
		}
		return (answer == yes) == (op == "is"), nil
	}
	return m.order(op, a, b)
}

// sizeOf returns the number of items of a list or tuple, for what looking at it costs.
func sizeOf(v Value) int {
	switch v := v.(type) {
	case *List:
		return len(v.Items)
	case Tuple:
		return len(v)
	case string:
		return len(v) / 8
	}
	return 0
}

// order returns a op b for one of < <= > >=.
func (m *machine) order(op string, a, b Value) (bool, error) {
	if x, ok := a.(int); ok {
		if y, ok := b.(int); ok {
			return holds(op, cmpInt(x, y)), nil
		}
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return holds(op, strings.Compare(x, y)), m.step(len(x) / 64)
		}
	case []byte:
		if y, ok := b.([]byte); ok {
			return holds(op, bytes.Compare(x, y)), nil
		}
	case *List:
		if y, ok := b.(*List); ok {
			return m.orderItems(op, x.Items, y.Items)
		}
	case Tuple:
		if y, ok := b.(Tuple); ok {
			return m.orderItems(op, x, y)
		}
	case *Set, *view:
		if holds, ok := orderSets(op, a, b); ok {
			return holds, nil
		}
	case *Slice:
		if y, ok := b.(*Slice); ok {
			return m.orderItems(op, []Value{x.Start, x.Stop, x.Step}, []Value{y.Start, y.Stop, y.Step})
		}
	default:
		if c, ordered, ok := pysem.CompareNumbers(a, b); ok {
			return ordered && holds(op, c), nil
		}
	}
	return false, typeError("'%s' not supported between instances of '%s' and '%s'", op, typeName(a), typeName(b))
}

func cmpInt(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// holds says what op makes of a comparison's sign.
func holds(op string, c int) bool {
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// orderItems compares at the first place where the items differ, then by length.
func (m *machine) orderItems(op string, a, b []Value) (bool, error) {
	if err := m.step(1); err != nil {
		return false, err
	}
	for i := range min(len(a), len(b)) {
		if !same(a[i], b[i]) {
			return m.order(op, a[i], b[i])
		}
	}
	return holds(op, len(a)-len(b)), nil
}

// orderSets asks for subsets; ok is false when one is no set.
func orderSets(op string, a, b Value) (holds, ok bool) {
	x, isSet := asSet(a)
	y, isSet2 := asSet(b)
	if !isSet || !isSet2 {
		return false, false
	}
	if op == ">" || op == ">=" {
		x, y = y, x
	}
	return isSubset(x, y) && (len(op) == 2 || x.len() < y.len()), true
}

// sorted sorts items in place by key, stable, as list.sort. Up to 64 items the comparisons
// are CPython's, one for one, so that what they raise and what they make of values without
// an order is the same.
func (m *machine) sorted(items []Value, key func(Value) (Value, error), reverse bool) error {
	s := &sorter{m: m, items: items, keys: make([]Value, len(items))}
	for i, item := range items {
		k, err := key(item)
		if err != nil {
			return err
		}
		s.keys[i] = k
	}
	if reverse {
		s.reverse(len(items))
	}
	switch {
	case len(items) > 64:
		sort.Stable(s)
	case len(items) > 1:
		s.insertAll(s.firstRun())
	}
	if reverse {
		s.reverse(len(items))
	}
	return s.err
}

// sorter is sort.Interface over items and their keys; the first error ends it.
type sorter struct {
	m     *machine
	items []Value
	keys  []Value
	err   error
}

func (s *sorter) Len() int { return len(s.items) }

func (s *sorter) Less(i, j int) bool { return s.less(s.keys[i], s.keys[j]) }

func (s *sorter) Swap(i, j int) {
	s.items[i], s.items[j] = s.items[j], s.items[i]
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
}

func (s *sorter) less(a, b Value) bool {
	if s.err != nil {
		return false
	}
	less, err := s.m.order("<", a, b)
	if err == nil {
		err = s.m.step(1)
	}
	s.err = err
	return less
}

// firstRun returns how many items from the first on ascend, after a descending run was turned
// round (count_run).
func (s *sorter) firstRun() int {
	n := 2
	descends := s.Less(1, 0)
	for n < len(s.items) && s.Less(n, n-1) == descends {
		n++
	}
	if descends {
		s.reverse(n)
	}
	return n
}

// insertAll puts the items from start on into their places (binarysort).
func (s *sorter) insertAll(start int) {
	for ; start < len(s.items) && s.err == nil; start++ {
		item, pivot := s.items[start], s.keys[start]
		left, right := 0, start
		for left < right {
			middle := left + (right-left)/2
			if s.less(pivot, s.keys[middle]) {
				right = middle
			} else {
				left = middle + 1
			}
		}
		copy(s.items[left+1:start+1], s.items[left:start])
		copy(s.keys[left+1:start+1], s.keys[left:start])
		s.items[left], s.keys[left] = item, pivot
	}
}

// reverse turns the first n items round.
func (s *sorter) reverse(n int) {
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		s.Swap(i, j)
	}
}
