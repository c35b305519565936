package expr

import (
	"math"
	"math/big"

	"github.com/monosim/monosim/engine/pysem"
)

// subscript returns v[key].
func (m *machine) subscript(v, key Value) (Value, error) {
	if s, ok := key.(*Slice); ok {
		return m.slice(v, s)
	}
	switch v := v.(type) {
	case *List:
		i, err := place(key, len(v.Items), "list", "list indices must be integers or slices, not ")
		if err != nil {
			return nil, err
		}
		return v.Items[i], nil
	case Tuple:
		i, err := place(key, len(v), "tuple", "tuple indices must be integers or slices, not ")
		if err != nil {
			return nil, err
		}
		return v[i], nil
	case string:
		return charAt(v, key)
	case []byte:
		i, err := place(key, len(v), "", "byte indices must be integers or slices, not ")
		if err != nil {
			return nil, err
		}
		return int(v[i]), nil
	case *Range:
		i, err := place(key, v.Len(), "range object", "range indices must be integers or slices, not ")
		if err != nil {
			return nil, err
		}
		return v.at(i), nil
	case *Dict:
		value, found, err := v.get(key)
		if err != nil || found {
			return value, err
		}
		return nil, m.keyError(key)
	case *class:
		return nil, classSubscript(v)
	}
	return nil, typeError("'%s' object is not subscriptable", typeName(v))
}

func (m *machine) keyError(key Value) error {
	text, err := m.repr(key)
	if err != nil {
		return err
	}
	return &pysem.Error{Type: "KeyError", Message: text}
}

func classSubscript(c *class) error {
	switch c.name {
	case "int", "float", "str", "bool", "bytes", "range", "slice", "map", "zip", "object":
		return typeError("type '%s' is not subscriptable", c.name)
	}
	return refuse(outside, "a type of items as "+c.name+"[…]")
}

func charAt(text string, key Value) (Value, error) {
	if isASCII(text) {
		i, err := place(key, len(text), "string", "string indices must be integers, not ")
		if err != nil {
			return nil, err
		}
		return text[i : i+1], nil
	}
	runes := pysem.Runes(text)
	i, err := place(key, len(runes), "string", "string indices must be integers, not ")
	if err != nil {
		return nil, err
	}
	return textOf(runes[i : i+1]), nil
}

// place returns the index, among n items, that the subscript key refers to. A negative key counts
// from the end.
func place(key Value, n int, what, notInt string) (int, error) {
	name := typeName(key)
	if what == "string" {
		name = "'" + name + "'"
	}
	i, err := indexOf(key, notInt+name)
	if err != nil {
		if pysem.TypeOf(err) == "OverflowError" {
			return 0, raise("IndexError", "cannot fit 'int' into an index-sized integer")
		}
		return 0, err
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return 0, raise("IndexError", "%s", pick(what == "", "index out of range", what+" index out of range"))
	}
	return i, nil
}

// slice returns v[start:stop:step].
func (m *machine) slice(v Value, s *Slice) (Value, error) {
	n := -1
	switch v := v.(type) {
	case *List:
		n = len(v.Items)
	case Tuple:
		n = len(v)
	case string:
		n = lengthOf(v)
	case []byte:
		n = len(v)
	case *Range:
		n = v.Len()
	case *Dict:
		_, err := keyOf(s)
		return nil, err
	case *class:
		return nil, classSubscript(v)
	default:
		return nil, typeError("'%s' object is not subscriptable", typeName(v))
	}
	start, stop, step, count, err := s.bounds(n)
	if err != nil {
		return nil, err
	}
	if r, ok := v.(*Range); ok {
		return &Range{Start: r.at(start), Stop: r.at(stop), Step: step * r.Step}, nil
	}
	return takeItems(v, start, step, count), m.make(count)
}

// takeItems returns every step-th item of a sequence, count items in total, beginning at the index
// start.
func takeItems(v Value, start, step, count int) Value {
	switch v := v.(type) {
	case *List:
		return &List{Items: every(v.Items, start, step, count)}
	case Tuple:
		return Tuple(every(v, start, step, count))
	case []byte:
		return every(v, start, step, count)
	}
	text := v.(string)
	if isASCII(text) {
		return string(every([]byte(text), start, step, count))
	}
	return textOf(every(pysem.Runes(text), start, step, count))
}

func every[T any](items []T, start, step, count int) []T {
	part := make([]T, count)
	for i := range part {
		part[i] = items[start+i*step]
	}
	return part
}

// bounds returns which of n items the slice selects: the first index, the index to stop before, the
// step, and the number of items.
func (s *Slice) bounds(n int) (start, stop, step, count int, err error) {
	step = 1
	if s.Step != nil {
		if step, err = sliceIndex(s.Step); err != nil {
			return 0, 0, 0, 0, err
		}
		if step == 0 {
			return 0, 0, 0, 0, raise("ValueError", "slice step cannot be zero")
		}
		step = max(step, -math.MaxInt)
	}
	low, high := 0, n
	start, stop = 0, n
	if step < 0 {
		low, high = -1, n-1
		start, stop = n-1, -1
	}
	if s.Start != nil {
		if start, err = sliceIndex(s.Start); err != nil {
			return 0, 0, 0, 0, err
		}
		start = within(start, n, low, high)
	}
	if s.Stop != nil {
		if stop, err = sliceIndex(s.Stop); err != nil {
			return 0, 0, 0, 0, err
		}
		stop = within(stop, n, low, high)
	}
	switch {
	case step > 0 && start < stop:
		count = (stop-start-1)/step + 1
	case step < 0 && stop < start:
		count = (start-stop-1)/-step + 1
	}
	return start, stop, step, count, nil
}

func within(i, n, low, high int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, low), high)
}

// sliceIndex returns a bound of a slice as an int. A bound beyond the range of int is clamped to
// it.
func sliceIndex(v Value) (int, error) {
	if n, ok := v.(*big.Int); ok {
		if n.Sign() < 0 {
			return -math.MaxInt, nil
		}
		return math.MaxInt, nil
	}
	n, ok := asInt(v)
	if !ok {
		return 0, typeError("slice indices must be integers or None or have an __index__ method")
	}
	return max(n, -math.MaxInt), nil
}
