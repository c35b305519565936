package expr

import (
	"slices"
)

var listMethods = []*builtin{
	defineMethod("list", "append", signature{style: oneArg}, func(m *machine, l *List, a []Value) (Value, error) {
		l.Items = append(l.Items, a[0])
		return nil, m.make(1)
	}),
	defineMethod("list", "extend", signature{style: oneArg}, func(m *machine, l *List, a []Value) (Value, error) {
		if l == a[0] {
			l.Items = slices.Repeat(l.Items, 2)
			return nil, m.make(len(l.Items))
		}
		return nil, m.each(a[0], func(item Value) error {
			l.Items = append(l.Items, item)
			return m.make(1)
		})
	}),
	defineMethod("list", "insert", exactly(2), func(m *machine, l *List, a []Value) (Value, error) {
		i, err := wantIndex(a[0])
		if err != nil {
			return nil, err
		}
		n := len(l.Items)
		l.Items = slices.Insert(l.Items, within(i, n, 0, n), a[1])
		return nil, m.make(1)
	}),
	defineMethod("list", "pop", between(0, 1), popItem),
	defineMethod("list", "remove", signature{style: oneArg}, func(m *machine, l *List, a []Value) (Value, error) {
		i := slices.IndexFunc(l.Items, func(v Value) bool { return same(v, a[0]) })
		if i < 0 {
			return nil, raise("ValueError", "list.remove(x): x not in list")
		}
		l.Items = slices.Delete(l.Items, i, i+1)
		return nil, m.step(1)
	}),
	defineMethod("list", "clear", signature{}, func(m *machine, l *List, _ []Value) (Value, error) {
		l.Items = nil
		return nil, nil
	}),
	defineMethod("list", "copy", signature{}, func(m *machine, l *List, _ []Value) (Value, error) {
		return &List{Items: slices.Clone(l.Items)}, m.make(len(l.Items))
	}),
	defineMethod("list", "reverse", signature{}, func(m *machine, l *List, _ []Value) (Value, error) {
		slices.Reverse(l.Items)
		return nil, m.step(len(l.Items) / 16)
	}),
	defineMethod("list", "sort", signature{style: keyworded, min: 0, max: 2, names: []string{"key", "reverse"}}, sortList),
	defineMethod("list", "count", signature{style: oneArg}, func(m *machine, l *List, a []Value) (Value, error) {
		return countItem(l.Items, a[0]), m.step(len(l.Items) / 8)
	}),
	defineMethod("list", "index", between(1, 3), func(m *machine, l *List, a []Value) (Value, error) {
		i, err := findItem(l.Items, a)
		if err == nil && i < 0 {
			text, err := m.repr(a[0])
			if err != nil {
				return nil, err
			}
			return nil, raise("ValueError", "%s is not in list", text)
		}
		return i, err
	}),
}

var tupleMethods = []*builtin{
	defineMethod("tuple", "count", signature{style: oneArg}, func(m *machine, t Tuple, a []Value) (Value, error) {
		return countItem(t, a[0]), m.step(len(t) / 8)
	}),
	defineMethod("tuple", "index", between(1, 3), func(m *machine, t Tuple, a []Value) (Value, error) {
		i, err := findItem(t, a)
		if err == nil && i < 0 {
			return nil, raise("ValueError", "tuple.index(x): x not in tuple")
		}
		return i, err
	}),
}

var rangeMethods = []*builtin{
	defineMethod("range", "count", signature{style: oneArg}, func(m *machine, r *Range, a []Value) (Value, error) {
		if n, ok := wholeOf(a[0]); ok && r.find(n) >= 0 {
			return 1, nil
		}
		return 0, nil
	}),
	defineMethod("range", "index", signature{style: oneArg}, func(m *machine, r *Range, a []Value) (Value, error) {
		n, ok := wholeOf(a[0])
		if ok && r.find(n) >= 0 {
			return r.find(n), nil
		}
		if !isInt(a[0]) {
			return nil, raise("ValueError", "sequence.index(x): x not in sequence")
		}
		text, err := m.repr(a[0])
		if err != nil {
			return nil, err
		}
		return nil, raise("ValueError", "%s is not in range", text)
	}),
}

func countItem(items []Value, item Value) int {
	n := 0
	for _, v := range items {
		if same(v, item) {
			n++
		}
	}
	return n
}

// findItem searches items as Python's index(item, start, stop) does. It returns -1 if the item is
// not there.
func findItem(items []Value, a []Value) (int, error) {
	bounds := [2]int{0, len(items)}
	for i, v := range a[1:] {
		if !has(v) {
			continue
		}
		n, err := sliceIndex(v)
		if err != nil || v == nil {
			return 0, typeError("slice indices must be integers or have an __index__ method")
		}
		bounds[i] = within(n, len(items), 0, len(items))
	}
	for i := bounds[0]; i < bounds[1]; i++ {
		if same(items[i], a[0]) {
			return i, nil
		}
	}
	return -1, nil
}

func popItem(m *machine, l *List, a []Value) (Value, error) {
	i, err := given(a[0], -1, wantIndex)
	if err != nil {
		return nil, err
	}
	n := len(l.Items)
	if n == 0 {
		return nil, raise("IndexError", "pop from empty list")
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return nil, raise("IndexError", "pop index out of range")
	}
	v := l.Items[i]
	l.Items = slices.Delete(l.Items, i, i+1)
	return v, nil
}

// sortList implements list.sort. As in CPython, the list is empty while it is being sorted.
func sortList(m *machine, l *List, a []Value) (Value, error) {
	items := l.Items
	l.Items = nil
	err := m.sortBy(items, a[0], a[1])
	changed := len(l.Items) > 0
	l.Items = items
	if err == nil && changed {
		return nil, raise("ValueError", "list modified during sort")
	}
	return nil, err
}

// sortBy sorts items according to the arguments key and reverse of a sort function.
func (m *machine) sortBy(items []Value, key, reverse Value) error {
	backwards := false
	if has(reverse) {
		n, err := wantIndex(reverse)
		if err != nil {
			return err
		}
		backwards = n != 0
	}
	return m.sorted(items, m.keyFunction(key), backwards)
}

// keyFunction returns the function in a key argument. Without that argument it returns the
// identity.
func (m *machine) keyFunction(key Value) func(Value) (Value, error) {
	if key == nil || !has(key) {
		return func(v Value) (Value, error) { return v, nil }
	}
	return func(v Value) (Value, error) { return m.call(key, arguments{values: []Value{v}}) }
}
