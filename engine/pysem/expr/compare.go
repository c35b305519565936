package expr

import (
	"bytes"
	"math/big"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// Equal returns a == b.
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

// same returns what containers ask: the same object, or an equal one.
func same(a, b Value) bool { return identical(a, b) == yes || Equal(a, b) }

func equalItems(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
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

// equalSets compares sets, and views of dicts as sets.
func equalSets(a, b Value) bool {
	if a == b {
		return true
	}
	x, ok := asSet(a)
	y, ok2 := asSet(b)
	return ok && ok2 && x.len() == y.len() && isSubset(x, y)
}

// asSet returns v where it is a set, or a view that acts as one.
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

// certainty is an answer that can be unknown.
type certainty uint8

const (
	no certainty = iota
	yes
	unknown // CPython may share equal values or not
)

// identical returns a is b.
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

// contains returns item in container.
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
	for _, v := range items {
		if same(v, item) {
			return true, nil
		}
	}
	return false, m.step(len(items) / 8)
}

func setContains(s *Set, item Value) (bool, error) {
	if other, ok := item.(*Set); ok && !other.frozen {
		item = other.copy(true) // a set is looked up as if it were frozen
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
	for _, e := range v.of.live() {
		if same(e.value, item) {
			return true, nil
		}
	}
	return false, nil
}

// wholeOf returns the int that a number equals.
func wholeOf(v Value) (int, bool) {
	if f, ok := v.(float64); ok {
		n, isInt := floatKey(f).(int)
		return n, isInt
	}
	return asInt(v)
}
