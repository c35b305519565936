package pysem

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// Tuple is a Python tuple.
type Tuple []any

// Dict is a Python dict with string keys, in the order in which they were added.
type Dict struct {
	Items []Item
	index map[string]int
}

// Item is one entry of a [Dict].
type Item struct {
	Key   string
	Value any
}

// DictOf makes a dict from alternating keys and values.
func DictOf(pairs ...any) *Dict {
	d := &Dict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

// smallDict is the number of entries up to which a linear search is as fast as a Go map.
const smallDict = 16

// Get returns the value of a key. The second result is false if the dict does not have the key.
func (d *Dict) Get(key string) (any, bool) {
	if i := d.find(key); i >= 0 {
		return d.Items[i].Value, true
	}
	return nil, false
}

// Set sets the value of a key. An existing key keeps its place in the order.
func (d *Dict) Set(key string, value any) {
	if i := d.find(key); i >= 0 {
		d.Items[i].Value = value
		return
	}
	d.Items = append(d.Items, Item{Key: key, Value: value})
	if d.index != nil {
		d.index[key] = len(d.Items) - 1
	}
}

func (d *Dict) find(key string) int {
	if len(d.Items) <= smallDict {
		for i := range d.Items {
			if d.Items[i].Key == key {
				return i
			}
		}
		return -1
	}
	if d.index == nil {
		d.index = make(map[string]int, 2*len(d.Items))
		for i := range d.Items {
			d.index[d.Items[i].Key] = i
		}
	}
	if i, ok := d.index[key]; ok {
		return i
	}
	return -1
}

// TypeName returns the name of a Python value's class, such as "int". It returns "object" for any
// other Go type.
func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case []byte:
		return "bytes"
	case []any:
		return "list"
	case Tuple:
		return "tuple"
	case *Dict:
		return "dict"
	}
	return "object"
}

// Truth returns Python's bool(v). It is false for None, for zeros, and for anything empty.
func Truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case *big.Int:
		return v.Sign() != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []byte:
		return len(v) > 0
	case []any:
		return len(v) > 0
	case Tuple:
		return len(v) > 0
	case *Dict:
		return len(v.Items) > 0
	}
	return true
}

// Str returns Python's str(v), as f-strings use it: a string unchanged, and the [Repr] of anything
// else.
func Str(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return Repr(v)
}

// Repr returns Python's repr(v). For any other Go type it returns "<object>".
func Repr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int:
		return strconv.Itoa(v)
	case *big.Int:
		return v.String()
	case float64:
		return FloatRepr(v)
	case string:
		return reprString(v, "")
	case []byte:
		return reprBytes(v)
	case []any:
		return "[" + reprAll(v) + "]"
	case Tuple:
		if len(v) == 1 {
			return "(" + Repr(v[0]) + ",)"
		}
		return "(" + reprAll(v) + ")"
	case *Dict:
		var b strings.Builder
		b.WriteByte('{')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(Repr(item.Key) + ": " + Repr(item.Value))
		}
		b.WriteByte('}')
		return b.String()
	}
	return "<object>"
}

func reprAll(values []any) string {
	return strings.Join(lists.Map(values, Repr), ", ")
}

// Equal returns Python's a == b. Numbers of different types are equal if their values are, and True
// equals 1.
func Equal(a, b any) bool {
	if isNumber(a) && isNumber(b) {
		c, ordered := compareNumbers(a, b)
		return ordered && c == 0
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		s, ok := b.(string)
		return ok && s == a
	case []byte:
		s, ok := b.([]byte)
		return ok && string(s) == string(a)
	case []any:
		s, ok := b.([]any)
		return ok && equalAll(a, s)
	case Tuple:
		s, ok := b.(Tuple)
		return ok && equalAll(a, s)
	case *Dict:
		s, ok := b.(*Dict)
		if !ok || len(s.Items) != len(a.Items) {
			return false
		}
		for _, item := range a.Items {
			if v, ok := s.Get(item.Key); !ok || !Equal(item.Value, v) {
				return false
			}
		}
		return true
	}
	return false
}

func equalAll(a, b []any) bool {
	return slices.EqualFunc(a, b, Equal)
}

// Subscript returns Python's container[key] for JSON values: dicts, lists and strings. A missing
// item is a KeyError or IndexError. A key of the wrong type is a TypeError.
func Subscript(container, key any) (any, error) {
	switch c := container.(type) {
	case *Dict:
		if name, ok := key.(string); ok {
			if v, ok := c.Get(name); ok {
				return v, nil
			}
		}
		switch key.(type) {
		case []any, *Dict:
			return nil, Raise("TypeError", "unhashable type: '%s'", TypeName(key))
		}
		return nil, Raise("KeyError", "%s", Repr(key))
	case []any:
		i, err := index(key, len(c), "list indices must be integers or slices, not %s", "list")
		if err != nil {
			return nil, err
		}
		return c[i], nil
	case string:
		chars := Chars(c)
		i, err := index(key, len(chars), "string indices must be integers, not '%s'", "string")
		if err != nil {
			return nil, err
		}
		return chars[i], nil
	}
	return nil, Raise("TypeError", "'%s' object is not subscriptable", TypeName(container))
}

// index returns the index, in a sequence of n items, that the subscript key refers to. A negative
// key counts from the end.
func index(key any, n int, notInt, what string) (int, error) {
	position, ok := Big(key)
	if !ok {
		return 0, Raise("TypeError", notInt, TypeName(key))
	}
	if !position.IsInt64() {
		return 0, Raise("IndexError", "cannot fit 'int' into an index-sized integer")
	}
	i := int(position.Int64())
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return 0, Raise("IndexError", "%s index out of range", what)
	}
	return i, nil
}
