package expr

import (
	"bytes"
	"cmp"
	"math/big"
	"slices"
	"sort"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// Equal returns Python's a == b.
func Equal(a, b Value) bool {
	switch x := a.(type) {
	case int:
		if y, ok := b.(int); ok {
			return x == y
		}
	case *List:
		y, ok := b.(*List)
		return ok && equalItems(x.Items, y.Items)
	case Tuple:
		y, ok := b.(Tuple)
		return ok && equalItems(x, y)
	case *Dict:
		y, ok := b.(*Dict)
		return ok && equalDicts(x, y)
	case *Set, *view:
		return equalSets(a, b)
	case *Range:
		y, ok := b.(*Range)
		return ok && rangeKey(x) == rangeKey(y)
	case *Slice:
		y, ok := b.(*Slice)
		return ok && equalItems([]Value{x.Start, x.Stop, x.Step}, []Value{y.Start, y.Stop, y.Step})
	case *method:
		y, ok := b.(*method)
		return ok && x.builtin.name == y.builtin.name && same(x.self, y.self)
	case *function, *builtin, *class, *iterator, ellipsis, notImplemented:
		return a == b
	}
	return pysem.Equal(a, b)
}

// same reports whether a and b count as the same item of a container: they are the same object, or
// are equal.
func same(a, b Value) bool { return identical(a, b) == yes || Equal(a, b) }

func equalItems(a, b []Value) bool {
	return slices.EqualFunc(a, b, same)
}

func equalDicts(a, b *Dict) bool {
	if a.Len() != b.Len() {
		return false
	}
	for _, e := range a.live() {
		v, found, err := b.get(e.key)
		if err != nil || !found || !same(e.value, v) {
			return false
		}
	}
	return true
}

// equalSets compares two sets. The keys and the items of a dict count as sets.
func equalSets(a, b Value) bool {
	if a == b {
		return true
	}
	x, ok := asSet(a)
	y, ok2 := asSet(b)
	return ok && ok2 && x.len() == y.len() && isSubset(x, y)
}

// asSet returns a set, or the keys or items of a dict as a set. ok is false for other values.
func asSet(v Value) (*Set, bool) {
	switch v := v.(type) {
	case *Set:
		return v, true
	case *view:
		if v.what == "values" {
			return nil, false
		}
		s, _ := newSet(false, nil)
		for _, e := range v.of.live() {
			if s.add(v.item(e)) != nil {
				return nil, false
			}
		}
		return s, true
	}
	return nil, false
}

func isSubset(a, b *Set) bool {
	if a.len() > b.len() {
		return false
	}
	for key, hash := range a.items.All {
		if !b.items.Has(key, hash) {
			return false
		}
	}
	return true
}

// certainty is the answer to Python's "a is b": yes, no, or unknown.
type certainty uint8

const (
	no certainty = iota
	yes
	unknown // CPython may or may not share one object for equal values
)

// identical returns the answer to Python's "a is b".
func identical(a, b Value) certainty {
	switch x := a.(type) {
	case *List, *Dict, *Range, *Slice, *view, *iterator, *function, *builtin, *class, ellipsis, notImplemented, nil, bool:
		return sure(a == b)
	case *Set:
		if y, ok := b.(*Set); ok && a != b && x.frozen && y.frozen && x.len() == 0 && y.len() == 0 {
			return unknown
		}
		return sure(a == b)
	case *method:
		return no
	}
	switch b.(type) {
	case bool, nil:
		return no
	}
	if typeName(a) != typeName(b) || !Equal(a, b) {
		if f, ok := a.(float64); ok && f != f && typeName(b) == "float" {
			return unknown
		}
		return no
	}
	switch x := a.(type) {
	case int:
		if x >= -5 && x <= 256 {
			return yes
		}
	case string:
		if x == "" {
			return yes
		}
	case Tuple:
		if len(x) == 0 {
			return yes
		}
	}
	return unknown
}

func sure(is bool) certainty {
	if is {
		return yes
	}
	return no
}

// contains reports whether item is in container.
func (m *machine) contains(container, item Value) (bool, error) {
	switch c := container.(type) {
	case string:
		s, ok := item.(string)
		if !ok {
			return false, typeError("'in <string>' requires string as left operand, not %s", typeName(item))
		}
		return strings.Contains(c, s), m.step(len(c) / 64)
	case []byte:
		return bytesContain(c, item)
	case *List:
		return m.among(c.Items, item)
	case Tuple:
		return m.among(c, item)
	case *Dict:
		_, found, err := c.get(item)
		return found, err
	case *Set:
		return setContains(c, item)
	case *Range:
		if n, ok := wholeOf(item); ok {
			return c.find(n) >= 0, nil
		}
		return false, nil
	case *view:
		return m.viewContains(c, item)
	}
	it, err := m.iterate(container)
	if err != nil {
		if pysem.TypeOf(err) == "TypeError" {
			return false, typeError("argument of type '%s' is not iterable", typeName(container))
		}
		return false, err
	}
	for {
		v, ok, err := it.next()
		if err != nil || !ok {
			return false, err
		}
		if same(v, item) {
			return true, nil
		}
	}
}

func (m *machine) among(items []Value, item Value) (bool, error) {
	if slices.ContainsFunc(items, func(v Value) bool { return same(v, item) }) {
		return true, nil
	}
	return false, m.step(len(items) / 8)
}

func setContains(s *Set, item Value) (bool, error) {
	if other, ok := item.(*Set); ok && !other.frozen {
		item = other.copy(true) // CPython looks up a set in a set as if it were a frozenset
	}
	return s.has(item)
}

func bytesContain(c []byte, item Value) (bool, error) {
	switch x := item.(type) {
	case []byte:
		return bytes.Contains(c, x), nil
	case bool, int, *big.Int:
		n, ok := asInt(x)
		if !ok || n < 0 || n > 255 {
			return false, raise("ValueError", "byte must be in range(0, 256)")
		}
		return bytes.IndexByte(c, byte(n)) >= 0, nil
	}
	return false, typeError("a bytes-like object is required, not '%s'", typeName(item))
}

func (m *machine) viewContains(v *view, item Value) (bool, error) {
	switch v.what {
	case "keys":
		_, found, err := v.of.get(item)
		return found, err
	case "items":
		pair, ok := item.(Tuple)
		if !ok || len(pair) != 2 {
			return false, nil
		}
		value, found, err := v.of.get(pair[0])
		return found && same(value, pair[1]), err
	}
	return slices.ContainsFunc(v.of.live(), func(e dictEntry) bool { return same(e.value, item) }), nil
}

// wholeOf returns the int that equals a number, such as 2 for 2.0. ok is false if there is none.
func wholeOf(v Value) (int, bool) {
	if f, ok := v.(float64); ok {
		n, isInt := floatKey(f).(int)
		return n, isInt
	}
	return asInt(v)
}

// compare evaluates a op b for the operators <, <=, >, >=, ==, !=, in, not in, is, and is not.
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

// sizeOf returns the number of items of a list or tuple. A comparison counts more steps, the more
// items there are.
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
			return holds(op, cmp.Compare(x, y)), nil
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

// holds reports whether op is true for two values whose comparison gives c: below 0 means less, 0
// equal, above 0 greater.
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

// orderItems compares two sequences by the first items that differ, then by length.
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

// orderSets compares sets by inclusion. ok is false when one of the values is no set.
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

// sorted sorts items in place by key, and is stable. For up to 64 items it makes exactly the
// comparisons of CPython's list.sort, so that errors and the order of incomparable values are the
// same.
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

// sorter is a sort.Interface over items and their keys. After the first error it moves no items.
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

// firstRun returns the length of the sorted run at the beginning of the items. It reverses a
// descending run (count_run).
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

// insertAll inserts each item from index start on into the sorted items before it, by binary search
// (binarysort).
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

// reverse reverses the order of the first n items and of their keys.
func (s *sorter) reverse(n int) {
	slices.Reverse(s.items[:n])
	slices.Reverse(s.keys[:n])
}
